"""LangSmith's OpenTelemetry mode: `langsmith.span.kind`, with inputs and outputs as JSON."""

from typing import Any, Final

from toolwatch import conventions as c
from toolwatch_server.domain.facts import Reading
from toolwatch_server.domain.span import Span
from toolwatch_server.ingest.arguments import unwrapped
from toolwatch_server.ingest.attributes import text
from toolwatch_server.ingest.reading import first_of, scope_reading, tool_reading, turn_reading
from toolwatch_server.ingest.values import clean_id, mapping, printed, unpacked

KIND: Final = "langsmith.span.kind"
NAME: Final = "langsmith.trace.name"
INPUT: Final = ("gen_ai.prompt", "input.value")
OUTPUT: Final = ("gen_ai.completion", "output.value")
TOOL_CALL_ID: Final = ("langsmith.metadata.tool_call_id", c.TOOL_CALL_ID)


def recognises(span: Span) -> bool:
    return KIND in span.attributes


def read(span: Span) -> Reading:
    a = span.attributes
    kind = text(a, KIND)
    if kind == "tool":
        return _tool(span)
    if kind == "llm":
        return turn_reading(span, output=first_of(a, OUTPUT), prompt=first_of(a, INPUT))
    return scope_reading(span)


def _tool(span: Span) -> Reading:
    a = span.attributes
    arguments, sole = _arguments(first_of(a, INPUT))
    return tool_reading(
        span,
        tool=text(a, c.TOOL_NAME) or text(a, NAME) or span.name,
        tool_call_id=clean_id(first_of(a, TOOL_CALL_ID)),
        arguments=arguments,
        sole_argument=sole,
        result=_result(first_of(a, OUTPUT)),
    )


def _arguments(value: Any) -> tuple[Any, bool]:
    """LangChain hands a tool's arguments over as `{"input": "…"}`, which holds what Python prints."""
    found = mapping(value)
    if set(found) != {"input"}:
        return unwrapped(value)
    inner = unpacked(found["input"])
    if isinstance(inner, str) and inner[:1] == "{":
        inner = printed(f"input={inner}", "input") or inner
    return inner, not isinstance(inner, dict)


def _result(value: Any) -> Any:
    found = mapping(value)
    if not found and value == "{}":  # of a run that failed
        return None
    return found["output"] if set(found) == {"output"} else value
