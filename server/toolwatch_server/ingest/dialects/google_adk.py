"""Google's Agent Development Kit: GenAI conventions, with attributes of its own before version 2."""

from typing import Any, Final

from toolwatch import conventions as c
from toolwatch_server.domain.facts import Reading
from toolwatch_server.domain.span import Span
from toolwatch_server.ingest.attributes import text
from toolwatch_server.ingest.by_conventions import OUTPUT_MESSAGES, read_by_conventions
from toolwatch_server.ingest.reading import first_of, scope_reading, tool_reading, turn_reading
from toolwatch_server.ingest.values import clean_id, mapping

SCOPE: Final = "gcp.vertex.agent"
MERGED: Final = "(merged tools)"  # a span around parallel calls, with an id of its own
ARGUMENTS: Final = (c.TOOL_CALL_ARGUMENTS, "gcp.vertex.agent.tool_call_args")
RESULT: Final = (c.TOOL_CALL_RESULT, "gcp.vertex.agent.tool_response")
ASKED: Final = "gcp.vertex.agent.llm_response"
PROMPT: Final = "gcp.vertex.agent.llm_request"
NOT_SAID: Final = ("{}", "N/A", "<not serializable>")


def recognises(span: Span) -> bool:
    return span.scope_name == SCOPE


def read(span: Span) -> Reading:
    a = span.attributes
    if text(a, c.OPERATION) == c.EXECUTE_TOOL:
        return scope_reading(span) if text(a, c.TOOL_NAME) == MERGED else _tool(span)
    if a.get(ASKED) is not None and OUTPUT_MESSAGES not in a:
        return turn_reading(span, output=a[ASKED], prompt=a.get(PROMPT))
    return read_by_conventions(span)


def _tool(span: Span) -> Reading:
    a = span.attributes
    arguments = first_of(a, ARGUMENTS)
    return tool_reading(
        span,
        tool=text(a, c.TOOL_NAME),
        tool_call_id=clean_id(a.get(c.TOOL_CALL_ID)),
        arguments=None if arguments in NOT_SAID and c.TOOL_CALL_ARGUMENTS not in a else arguments,
        result=_result(first_of(a, RESULT)),
    )


def _result(value: Any) -> Any:
    """A tool that returns no object gets one around it: {result}, in {id, name, response} before 2."""
    found = mapping(value)
    found = found["response"] if isinstance(found.get("response"), dict) and "id" in found else found
    if set(found) == {"result"}:
        return found["result"]
    return None if value in NOT_SAID else value
