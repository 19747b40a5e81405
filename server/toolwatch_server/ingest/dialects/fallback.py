"""Senders that we do not know: a span that names a tool, and says by its id, arguments or name that it ran.

Careful on purpose: what only looks like a tool is left alone.
"""

import re
from typing import Any, Final

from toolwatch_server.domain.facts import Reading
from toolwatch_server.domain.span import Span
from toolwatch_server.ingest.arguments import unwrapped
from toolwatch_server.ingest.attributes import text
from toolwatch_server.ingest.reading import first_of, scope_reading, tool_reading
from toolwatch_server.ingest.values import clean_id

TOOL_NAME: Final = (
    "gen_ai.tool.name", "tool.name", "tool_name", "toolName", "tool.call.name", "llm.tool.name",
    "function.name", "spring.ai.tool.definition.name", "ai.tool.name",
)  # fmt: skip
TOOL_CALL_ID: Final = (
    "gen_ai.tool.call.id", "tool.call.id", "tool.call_id", "tool_call_id", "tool_call.id", "toolCallId",
    "tool_use_id", "ai.tool.call.id",
)  # fmt: skip
ARGUMENTS: Final = (
    "gen_ai.tool.call.arguments", "tool.arguments", "tool.args", "tool.input", "tool_input", "tool_arguments",
    "tool.call.arguments", "spring.ai.tool.call.arguments", "function.arguments",
)  # fmt: skip
RESULT: Final = (
    "gen_ai.tool.call.result", "tool.result", "tool.output", "tool_output", "tool_result", "tool_response",
    "tool.call.result", "spring.ai.tool.call.result", "function.result",
)  # fmt: skip
RUN: Final = re.compile(
    r"\b(?:execute|call|run|invoke|use|running|calling)[ _.-]?(?:mcp[ _.-])?(?:tool|function)\b"
    r"|\b(?:tool|function)[ _.-](?:call|use|execution|execute|run|invocation)\b|^tool[ :./]",
    re.IGNORECASE,
)


def recognises(span: Span) -> bool:
    a = span.attributes
    if not isinstance(first_of(a, TOOL_NAME), str):
        return False
    evidence = first_of(a, TOOL_CALL_ID), first_of(a, ARGUMENTS), first_of(a, RESULT)
    return any(found is not None for found in evidence) or bool(RUN.search(span.name))


def read(span: Span) -> Reading:
    a = span.attributes
    named: Any = first_of(a, TOOL_NAME)
    arguments, sole = unwrapped(first_of(a, ARGUMENTS))
    if named.startswith("("):
        return scope_reading(span)
    return tool_reading(
        span,
        tool=named,
        tool_call_id=clean_id(first_of(a, TOOL_CALL_ID)),
        arguments=arguments,
        sole_argument=sole,
        result=first_of(a, RESULT),
        failed=text(a, "tool.status") == "error",
    )
