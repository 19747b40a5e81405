"""What came in and what became of it, counted since the start of this process."""

from prometheus_client import CollectorRegistry, Counter, Gauge


class Counts:
    """One set for each application, so that two in one process do not mix."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = self._counter("requests", "Requests by signal and HTTP status.", "signal", "status")
        self.bytes = self._counter("received_bytes", "Bytes of request bodies after decompression.", "signal")
        self.received = self._counter(
            "records_received", "Spans and log records that were decoded.", "signal"
        )
        self.stored = self._counter("records_stored", "Records that were new and are in the database.")
        self.duplicates = self._counter("records_duplicate", "Records that were in the database already.")
        self.refused = self._counter(
            "records_refused", "Records refused singly, for example for a bad id.", "signal"
        )
        self.ignored = self._counter("requests_ignored", "Metrics requests: accepted, not kept.")
        self.redacted = self._counter("redactions", "Values hidden on arrival, by rule.", "rule")
        self.cut = self._counter("values_cut", "Texts cut because they were too long.")
        self.unreadable = self._counter(
            "records_unreadable", "Records kept although their dialect failed on them."
        )
        self.busy = self._counter("requests_turned_away", "Requests told to come back later.")
        self.queue_bytes = self._gauge("queue_bytes", "Bytes of requests that wait for the database.")
        self.queue_requests = self._gauge("queue_requests", "Requests that wait for the database.")

    def _counter(self, name: str, sentence: str, *labels: str) -> Counter:
        return Counter(f"toolwatch_{name}", sentence, labels, registry=self.registry)

    def _gauge(self, name: str, sentence: str) -> Gauge:
        return Gauge(f"toolwatch_{name}", sentence, registry=self.registry)

    def totals(self) -> dict[str, int]:
        """The counters by name, added up over their labels."""
        return {
            metric.name.removeprefix("toolwatch_"): int(
                sum(s.value for s in metric.samples if s.name.endswith("_total"))
            )
            for metric in self.registry.collect()
            if metric.type == "counter"
        }
