"""Logfire's instrumentation of the OpenAI Agents SDK: span names are templates, values stand beside them."""

from typing import Final

from toolwatch_server.domain.facts import Reading
from toolwatch_server.domain.span import Span
from toolwatch_server.ingest.attributes import integer, text
from toolwatch_server.ingest.reading import agent_reading, first_of, scope_reading, tool_reading, turn_reading
from toolwatch_server.ingest.values import mapping, name_of

TEMPLATE: Final = "logfire.msg_template"
TOOL: Final = "Function: {name}"
TOOL_NAME: Final = "name"
INPUT: Final = "input"
OUTPUT: Final = "output"
OUTPUTS: Final = (OUTPUT, "response", "events")  # of a model
ERROR: Final = "error"
LEVEL: Final = "logfire.level_num"
FAILED_LEVEL: Final = 17
MODELS: Final = ("Chat completion with", "Responses API", "Response")
AGENT: Final = "Agent run"
SCOPE: Final = "logfire.openai_agents"


def recognises(span: Span) -> bool:
    return text(span.attributes, TEMPLATE) == TOOL or span.scope_name == SCOPE


def read(span: Span) -> Reading:
    a = span.attributes
    template = text(a, TEMPLATE) or span.name
    if template == TOOL:
        return _tool(span)
    if template.startswith(MODELS):
        return turn_reading(span, output=first_of(a, OUTPUTS), prompt=a.get(INPUT))
    if template.startswith(AGENT):
        return agent_reading(span, agent=text(a, "name"))
    return scope_reading(span)


def _tool(span: Span) -> Reading:
    a = span.attributes
    error = mapping(a.get(ERROR))
    said = mapping(error.get("data")).get("error") or error.get("message")
    level = integer(a, LEVEL)
    return tool_reading(
        span,
        tool=text(a, TOOL_NAME),
        arguments=a.get(INPUT),
        result=a.get(OUTPUT),
        failed=bool(error) or (level is not None and level >= FAILED_LEVEL),
        error_text=name_of(said),
    )
