"""Dialects: who says what about tool calls in which attributes. A new one is a module and a line here."""

from typing import Final, Protocol

import structlog

from toolwatch_server.domain.facts import Reading
from toolwatch_server.domain.span import LogRecord, Span
from toolwatch_server.ingest.dialects import (
    eino_apmplus,
    eino_loongsuite,
    fallback,
    genai,
    google_adk,
    langfuse,
    langsmith,
    logfire,
    mcp,
    mlflow,
    openinference,
    pydantic_ai,
    toolwatch,
    traceloop,
    vercel,
)

log = structlog.get_logger(__name__)


class Dialect(Protocol):
    """A module satisfies it. read is called only with spans that the dialect recognises."""

    def recognises(self, span: Span) -> bool: ...
    def read(self, span: Span) -> Reading: ...


# The first that recognises a span reads it: the particular stand before the general.
DIALECTS: Final[tuple[Dialect, ...]] = (
    toolwatch,
    openinference,
    eino_apmplus,
    eino_loongsuite,
    traceloop,
    langfuse,
    mlflow,
    langsmith,
    vercel,
    logfire,
    pydantic_ai,
    google_adk,
    mcp,
    genai,
    fallback,
)


class Unreadable(Exception):
    """A dialect failed on a record. The record is kept all the same."""


def read_span(span: Span) -> Reading:
    """What the span says about calls; nothing when no dialect knows it. Raises Unreadable."""
    try:
        dialect = next((d for d in DIALECTS if d.recognises(span)), None)
        return Reading() if dialect is None else dialect.read(span)
    except Exception as error:
        log.warning(
            "dialect failed", trace_id=span.trace_id, span_id=span.span_id, error=type(error).__name__
        )
        raise Unreadable from error


def read_log(record: LogRecord) -> Reading:
    """What the log record says about calls. Raises Unreadable."""
    try:
        return genai.read_log(record)
    except Exception as error:
        log.warning(
            "dialect failed", trace_id=record.trace_id, event=record.event_name, error=type(error).__name__
        )
        raise Unreadable from error
