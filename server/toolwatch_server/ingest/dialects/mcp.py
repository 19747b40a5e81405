"""The Model Context Protocol's conventions: client and server each write a span of one call.

The protocol knows no tool_call_id. The client's span may name the tool only in its own name.
"""

from typing import Final

from toolwatch import conventions as c
from toolwatch_server.domain.facts import Reading
from toolwatch_server.domain.span import Span
from toolwatch_server.ingest.attributes import text
from toolwatch_server.ingest.reading import first_of, nothing, tool_reading
from toolwatch_server.ingest.values import clean_id

METHOD: Final = "mcp.method.name"
CALL: Final = "tools/call"
TOOL_NAME: Final = (c.TOOL_NAME, "mcp.tool.name", "mcp.request.name")
ARGUMENTS: Final = (c.TOOL_CALL_ARGUMENTS, "mcp.request.argument", "mcp.tool.arguments")
RESULT: Final = (c.TOOL_CALL_RESULT, "mcp.tool.result")


def recognises(span: Span) -> bool:
    return METHOD in span.attributes or span.name.startswith(f"MCP send {CALL} ")


def read(span: Span) -> Reading:
    a = span.attributes
    if text(a, METHOD) not in (CALL, None):
        return nothing()
    named = first_of(a, TOOL_NAME)
    return tool_reading(
        span,
        tool=named if isinstance(named, str) else span.name.partition(f"{CALL} ")[2] or None,
        tool_call_id=clean_id(a.get(c.TOOL_CALL_ID)),
        arguments=first_of(a, ARGUMENTS),
        result=first_of(a, RESULT),
    )
