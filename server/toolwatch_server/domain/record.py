"""What the write path hands to the store: one redacted record and its reading."""

from dataclasses import dataclass

from toolwatch_server.domain.facts import Reading
from toolwatch_server.domain.span import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """raw is OTLP protobuf (a ResourceSpans or ResourceLogs of one record), redacted, unknown fields kept.

    span is None for a log record.
    """

    received_ns: int
    span: Span | None
    raw: bytes
    reading: Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    stored: int
    duplicates: int
    touched: tuple[str, ...]  # keys of the calls that changed
