"""The GenAI conventions' own shapes of a span, which other dialects fall back on."""

from collections.abc import Mapping
from typing import Any, Final

from toolwatch import conventions as c
from toolwatch_server.domain.clues import Ledger
from toolwatch_server.domain.facts import Reading
from toolwatch_server.domain.span import Span
from toolwatch_server.ingest.attributes import text
from toolwatch_server.ingest.chat import asked_in, told_in
from toolwatch_server.ingest.reading import agent_reading, scope_reading, tool_reading, turn_reading
from toolwatch_server.ingest.values import clean_id, unpacked

MODEL_OPERATIONS: Final = frozenset({c.CHAT, "generate_content", "text_completion"})
AGENT_OPERATIONS: Final = frozenset({c.INVOKE_AGENT, "invoke_workflow"})
STATUS: Final = "gen_ai.tool.status"  # Strands: success | error
CREATE_AGENT: Final = "create_agent"  # a little trace of its own, without any call
NOT_A_TOOL: Final = frozenset({"(merged tools)"})  # a span that google-adk writes around parallel calls

INPUT_MESSAGES: Final = "gen_ai.input.messages"
OUTPUT_MESSAGES: Final = "gen_ai.output.messages"
DETAILS_EVENT: Final = "gen_ai.client.inference.operation.details"
CHOICE: Final = "gen_ai.choice"
ASSISTANT_MESSAGE: Final = "gen_ai.assistant.message"
TOOL_MESSAGE: Final = "gen_ai.tool.message"
MESSAGES: Final = frozenset({
    CHOICE, ASSISTANT_MESSAGE, TOOL_MESSAGE, "gen_ai.user.message", "gen_ai.system.message",
})  # fmt: skip


def read_by_conventions(span: Span) -> Reading:
    a = span.attributes
    if is_tool(span):
        return _tool(span)
    if is_turn(span):
        return _turn(span)
    if text(a, c.OPERATION) in AGENT_OPERATIONS:
        asked, told = asked_in(a.get(OUTPUT_MESSAGES)), told_in(a.get(OUTPUT_MESSAGES))
        return agent_reading(span, ledger=Ledger(asked=asked, told=told) if asked else None)
    return scope_reading(span)


def is_turn(span: Span) -> bool:
    """A request to a model."""
    operation = text(span.attributes, c.OPERATION)
    if operation in MODEL_OPERATIONS:
        return True
    return operation is None and OUTPUT_MESSAGES in span.attributes and c.TOOL_NAME not in span.attributes


def is_tool(span: Span) -> bool:
    name = text(span.attributes, c.TOOL_NAME)
    operation = text(span.attributes, c.OPERATION)
    if name in NOT_A_TOOL:
        return False
    return operation == c.EXECUTE_TOOL or (
        operation is None and name is not None and span.name.startswith(f"{c.EXECUTE_TOOL} ")
    )


def _tool(span: Span) -> Reading:
    a = span.attributes
    arguments, result = a.get(c.TOOL_CALL_ARGUMENTS), a.get(c.TOOL_CALL_RESULT)
    for event in span.events:  # Strands writes content as events of the tool's span
        if event.name == TOOL_MESSAGE and arguments is None:
            arguments = event.attributes.get("content")
        if event.name == CHOICE and result is None:
            result = event.attributes.get("message")
    named = text(a, c.TOOL_NAME) or span.name.partition(f"{c.EXECUTE_TOOL} ")[2] or None
    return tool_reading(
        span,
        tool=named,
        tool_call_id=clean_id(a.get(c.TOOL_CALL_ID)),
        arguments=arguments,
        result=result,
        failed=text(a, STATUS) == "error",
    )


def _turn(span: Span) -> Reading:
    a = span.attributes
    if OUTPUT_MESSAGES in a or INPUT_MESSAGES in a:
        return turn_reading(span, output=a.get(OUTPUT_MESSAGES), prompt=a.get(INPUT_MESSAGES))
    events = [message_event(e.name, e.attributes) for e in span.events if e.name in MESSAGES]
    details: dict[str, Any] = {}
    for event in span.events:  # Strands writes one for the prompt and one for the answer
        details = {**event.attributes, **details} if event.name == DETAILS_EVENT else details
    return turn_reading(
        span,
        output=[e for e in events if e["event.name"] == CHOICE] or details.get(OUTPUT_MESSAGES),
        prompt=[e for e in events if e["event.name"] != CHOICE] or details.get(INPUT_MESSAGES),
    )


def message_event(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """An event as a message: on spans its contents are attributes, often as JSON."""
    return {**{key: unpacked(value) for key, value in given.items()}, "event.name": name}
