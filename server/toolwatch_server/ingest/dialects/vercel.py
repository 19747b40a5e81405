"""Vercel's AI SDK up to version 6: `ai.operationId`. Version 7 follows the GenAI conventions."""

from typing import Final

from toolwatch_server.domain.facts import Reading
from toolwatch_server.domain.span import Span
from toolwatch_server.ingest.attributes import text
from toolwatch_server.ingest.reading import agent_reading, first_of, scope_reading, tool_reading, turn_reading
from toolwatch_server.ingest.values import clean_id

OPERATION: Final = "ai.operationId"
TOOL_CALL: Final = "ai.toolCall"
TOOL_NAME: Final = "ai.toolCall.name"
TOOL_CALL_ID: Final = "ai.toolCall.id"
ARGUMENTS: Final = ("ai.toolCall.args", "ai.toolCall.input")
RESULT: Final = ("ai.toolCall.result", "ai.toolCall.output")
ASKED: Final = "ai.response.toolCalls"
PROMPT: Final = "ai.prompt.messages"
MODEL_CALLS: Final = (".doGenerate", ".doStream")  # inside ai.generateText, ai.streamText and their kin


def recognises(span: Span) -> bool:
    return OPERATION in span.attributes


def read(span: Span) -> Reading:
    a = span.attributes
    operation = text(a, OPERATION) or ""
    if operation == TOOL_CALL:
        return tool_reading(
            span,
            tool=text(a, TOOL_NAME),
            tool_call_id=clean_id(a.get(TOOL_CALL_ID)),
            arguments=first_of(a, ARGUMENTS),
            result=first_of(a, RESULT),
        )
    if operation.endswith(MODEL_CALLS):
        return turn_reading(span, output=_asked(span), prompt=a.get(PROMPT))
    return agent_reading(span) if operation in ("ai.generateText", "ai.streamText") else scope_reading(span)


def _asked(span: Span) -> object:
    """A list of bare calls, which only the attribute's name tells to be calls."""
    listed = span.attributes.get(ASKED)
    return None if listed is None else {"role": "assistant", "tool_calls": listed}
