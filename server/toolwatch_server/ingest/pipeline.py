"""The path of a request: decode, redact, read, hand over."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from toolwatch_server.domain.facts import Reading
from toolwatch_server.domain.record import Record, Saved
from toolwatch_server.ingest.counts import Counts
from toolwatch_server.ingest.dialects import Unreadable, read_log, read_span
from toolwatch_server.ingest.otlp.records import Decoded, decode_logs, decode_traces
from toolwatch_server.ingest.otlp.scrub import Scrubber
from toolwatch_server.ingest.writer import Writer

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a request. saved is None when there was nothing to save."""

    saved: "Future[Saved] | None"
    refused: int
    message: str  # about what was refused or cut; "" when there is nothing to say


class Pipeline:
    def __init__(self, scrubber: Scrubber, writer: Writer, counts: Counts, now_ns: Callable[[], int]) -> None:
        self._scrubber = scrubber
        self._writer = writer
        self._counts = counts
        self._now_ns = now_ns

    def take_traces(self, body: bytes, media: str) -> Taken:
        """Raises Undecodable, Busy, Closing."""
        decoded = decode_traces(body, media, self._scrubber)
        now_ns = self._now_ns()
        records = [
            Record(received_ns=now_ns, span=span, raw=raw, reading=self._read(read_span, span))
            for span, raw in decoded.spans
        ]
        return self._hand_over("traces", decoded, records)

    def take_logs(self, body: bytes, media: str) -> Taken:
        """Raises Undecodable, Busy, Closing."""
        decoded = decode_logs(body, media, self._scrubber)
        now_ns = self._now_ns()
        records = [
            Record(received_ns=now_ns, span=None, raw=raw, reading=self._read(read_log, log))
            for log, raw in decoded.logs
        ]
        return self._hand_over("logs", decoded, records)

    def ignore(self, _body: bytes, _media: str) -> Taken:
        """Metrics: nothing here needs them, and a sender of all signals must not see errors."""
        self._counts.ignored.inc()
        return Taken(None, 0, "")

    def _read(self, read: Callable[[T], Reading], record: T) -> Reading:
        try:
            return read(record)
        except Unreadable:
            self._counts.unreadable.inc()
            return Reading()

    def _hand_over(self, signal: str, decoded: Decoded, records: list[Record]) -> Taken:
        promise = self._writer.submit(records) if records else None
        self._count(signal, decoded, len(records))
        cut = decoded.marks.cut
        notes = [decoded.refusals.message, f"{cut} texts were too long and were cut" if cut else ""]
        return Taken(promise, decoded.refusals.count, "; ".join(note for note in notes if note))

    def _count(self, signal: str, decoded: Decoded, kept: int) -> None:
        refused = decoded.refusals.count
        self._counts.received.labels(signal).inc(kept + refused)
        self._counts.refused.labels(signal).inc(refused)
        self._counts.cut.inc(decoded.marks.cut)
        for (_, rule, _), count in decoded.marks.hidden.items():
            self._counts.redacted.labels(rule).inc(count)
