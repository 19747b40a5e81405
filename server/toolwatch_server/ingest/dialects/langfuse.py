"""Langfuse: `langfuse.observation.type`; metadata values are JSON texts, quotes and all."""

from typing import Final

from toolwatch_server.domain.facts import Reading
from toolwatch_server.domain.span import Span
from toolwatch_server.ingest.arguments import unwrapped
from toolwatch_server.ingest.attributes import text
from toolwatch_server.ingest.reading import agent_reading, scope_reading, tool_reading, turn_reading
from toolwatch_server.ingest.values import clean_id

TYPE: Final = "langfuse.observation.type"
INPUT: Final = "langfuse.observation.input"
OUTPUT: Final = "langfuse.observation.output"
TOOL_CALL_ID: Final = "langfuse.observation.metadata.tool_call_id"
LEVEL: Final = "langfuse.observation.level"
STATUS_MESSAGE: Final = "langfuse.observation.status_message"
AGENTS: Final = frozenset({"agent"})
MODELS: Final = frozenset({"generation"})


def recognises(span: Span) -> bool:
    return TYPE in span.attributes


def read(span: Span) -> Reading:
    a = span.attributes
    kind = text(a, TYPE)
    if kind == "tool":
        return _tool(span)
    if kind in MODELS:
        return turn_reading(span, output=a.get(OUTPUT), prompt=a.get(INPUT))
    return agent_reading(span) if kind in AGENTS else scope_reading(span)


def _tool(span: Span) -> Reading:
    a = span.attributes
    arguments, sole = unwrapped(a.get(INPUT))
    return tool_reading(
        span,
        tool=span.name,
        tool_call_id=clean_id(a.get(TOOL_CALL_ID)),
        arguments=arguments,
        sole_argument=sole,
        result=a.get(OUTPUT),
        failed=text(a, LEVEL) == "ERROR",
        error_text=text(a, STATUS_MESSAGE) if text(a, LEVEL) == "ERROR" else None,
    )
