"""Which single spans and log records cannot be kept, and why. The rest of their request is not affected."""

from typing import Final

from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span

LATEST_NS: Final = 2**63 - 1  # the year 2262, and the largest number that databases keep
NAMED: Final = 5
LONGEST_NAME: Final = 80


def span_fault(span: Span) -> str | None:
    """What is wrong with the span in a few words; None when it can be kept."""
    return (
        _id_fault("trace id", span.trace_id, 16)
        or _id_fault("span id", span.span_id, 8)
        or (_id_fault("parent span id", span.parent_span_id, 8) if span.parent_span_id.strip(b"\0") else None)
        or _time_fault("start time", span.start_time_unix_nano)
        or _time_fault("end time", span.end_time_unix_nano)
        or next((fault for e in span.events if (fault := _time_fault("event time", e.time_unix_nano))), None)
    )


def log_fault(log: LogRecord) -> str | None:
    """Log records need no ids, but those they have must be ids."""
    return (
        (_id_fault("trace id", log.trace_id, 16) if log.trace_id.strip(b"\0") else None)
        or (_id_fault("span id", log.span_id, 8) if log.span_id.strip(b"\0") else None)
        or _time_fault("time", log.time_unix_nano)
        or _time_fault("observed time", log.observed_time_unix_nano)
    )


class Refusals:
    """Counts what was refused and names the first few."""

    def __init__(self, noun: str) -> None:
        self._noun = noun
        self._named: list[str] = []
        self.count = 0

    def add(self, number: int, name: str, fault: str) -> None:
        """number counts from 1 through the request."""
        self.count += 1
        if len(self._named) < NAMED:
            title = f" ({name[:LONGEST_NAME]!r})" if name else ""
            self._named.append(f"{self._noun} {number}{title}: {fault}")

    @property
    def message(self) -> str:
        more = self.count - len(self._named)
        return "; ".join(self._named) + (f"; and {more} more" if more else "")


def _id_fault(what: str, value: bytes, length: int) -> str | None:
    if len(value) != length:
        return f"its {what} has {len(value)} bytes, not {length}"
    return None if value.strip(b"\0") else f"its {what} is all zeros"


def _time_fault(what: str, time_ns: int) -> str | None:
    return f"its {what} {time_ns} is after the year 2262" if time_ns > LATEST_NS else None
