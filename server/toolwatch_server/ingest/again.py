"""What was stored before a rule existed, as it would be stored now."""

from collections.abc import Sequence
from typing import Any, Final

from toolwatch_server.domain.facts import Reading
from toolwatch_server.domain.record import Record
from toolwatch_server.ingest.dialects import Unreadable, read_log, read_span
from toolwatch_server.ingest.otlp.export import SPANS_FIELD, framed
from toolwatch_server.ingest.otlp.media import PROTOBUF
from toolwatch_server.ingest.otlp.records import Decoded, decode_logs, decode_traces
from toolwatch_server.ingest.otlp.scrub import Scrubber
from toolwatch_server.ingest.redact import Hit, TextRedactor

UNCUT: Final = 1 << 40  # what is stored was cut before, and says so


class _Nothing:
    def value(self, value: object, /) -> tuple[object, Sequence[Hit]]:
        return value, ()


_AS_STORED: Final = Scrubber(TextRedactor(_Nothing()), UNCUT)


class Again:
    def __init__(self, scrubber: Scrubber) -> None:
        """scrubber: of the rules that hold now, which cuts nothing."""
        self._scrubber = scrubber

    def span(self, raw: bytes, received_ns: int) -> tuple[Record, Record] | None:
        """The record as it is and as it has to be; None where there is nothing to hide."""
        body = framed(raw, SPANS_FIELD)
        new = decode_traces(body, PROTOBUF, self._scrubber)
        if not new.marks.hidden:
            return None
        old = decode_traces(body, PROTOBUF, _AS_STORED)
        return _span(old, raw, received_ns), _span(new, None, received_ns)

    def log(self, raw: bytes, received_ns: int) -> tuple[Record, Record] | None:
        body = framed(raw, SPANS_FIELD)  # resource_logs have the same number in their request
        new = decode_logs(body, PROTOBUF, self._scrubber)
        if not new.marks.hidden:
            return None
        old = decode_logs(body, PROTOBUF, _AS_STORED)
        return _log(old, raw, received_ns), _log(new, None, received_ns)


def _span(decoded: Decoded, raw: bytes | None, received_ns: int) -> Record:
    ((span, encoded),) = decoded.spans
    reading = _read(read_span, span)
    return Record(received_ns=received_ns, span=span, raw=encoded if raw is None else raw, reading=reading)


def _log(decoded: Decoded, raw: bytes | None, received_ns: int) -> Record:
    ((log, encoded),) = decoded.logs
    reading = _read(read_log, log)
    return Record(received_ns=received_ns, span=None, raw=encoded if raw is None else raw, reading=reading)


def _read(read: Any, record: Any) -> Reading:
    try:
        found: Reading = read(record)
    except Unreadable:
        return Reading()
    return found
