"""What became of forwarded spans, since the start of this process."""

from typing import Final

from prometheus_client import CollectorRegistry, Counter

RESULTS: Final = ("sent", "refused", "expired", "deleted")


class Counts:
    def __init__(self, registry: CollectorRegistry) -> None:
        self._spans = Counter(
            "toolwatch_forwarded_spans",
            "Spans passed on, by destination and what became of them.",
            ("destination", "result"),
            registry=registry,
        )

    def known(self, destination: str) -> None:
        """All results are there from the start, as zeros."""
        for result in RESULTS:
            self._spans.labels(destination, result)

    def sent(self, destination: str, number: int) -> None:
        self._spans.labels(destination, "sent").inc(number)

    def refused(self, destination: str, number: int) -> None:
        self._spans.labels(destination, "refused").inc(number)

    def expired(self, destination: str, number: int) -> None:
        self._spans.labels(destination, "expired").inc(number)

    def deleted(self, destination: str, number: int) -> None:
        self._spans.labels(destination, "deleted").inc(number)

    def of(self, destination: str) -> dict[str, int]:
        found = {
            sample.labels["result"]: int(sample.value)
            for metric in self._spans.collect()
            for sample in metric.samples
            if sample.name.endswith("_total") and sample.labels["destination"] == destination
        }
        given_up = found.get("expired", 0) + found.get("deleted", 0)
        return {"sent": found.get("sent", 0), "refused": found.get("refused", 0), "given_up": given_up}
