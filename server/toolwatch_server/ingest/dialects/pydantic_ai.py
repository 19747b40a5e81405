"""pydantic-ai of all generations: spans of the scope `pydantic-ai`.

0.x: `running tool`, and messages in the attribute `events`. 1.x: GenAI names beside `tool_arguments` and
`tool_response`. 2.x: GenAI conventions, and the stage at which a call failed.
"""

from typing import Any, Final

from toolwatch import conventions as c
from toolwatch_server.domain.facts import Reading
from toolwatch_server.domain.span import Span
from toolwatch_server.ingest.attributes import text
from toolwatch_server.ingest.by_conventions import is_turn, read_by_conventions
from toolwatch_server.ingest.reading import agent_reading, first_of, scope_reading, tool_reading, turn_reading
from toolwatch_server.ingest.values import clean_id, maps

SCOPE: Final = "pydantic-ai"
RUNNING: Final = "running tool"
BATCH: Final = "running tools"
AGENT: Final = "agent run"
ARGUMENTS: Final = (c.TOOL_CALL_ARGUMENTS, "tool_arguments")
RESULT: Final = (c.TOOL_CALL_RESULT, "tool_response")
EVENTS: Final = "events"
STAGE: Final = "pydantic_ai.tool.failure_stage"
CHOICE: Final = "gen_ai.choice"


def recognises(span: Span) -> bool:
    return span.scope_name == SCOPE


def read(span: Span) -> Reading:
    a = span.attributes
    if span.name == BATCH:
        return scope_reading(span)
    if span.name.startswith(RUNNING) or text(a, c.OPERATION) == c.EXECUTE_TOOL:
        return _tool(span)
    if EVENTS in a and is_turn(span):
        return _old_turn(span)
    if span.name == AGENT:
        return agent_reading(span)
    return read_by_conventions(span)


def _tool(span: Span) -> Reading:
    a = span.attributes
    return tool_reading(
        span,
        tool=text(a, c.TOOL_NAME),
        tool_call_id=clean_id(a.get(c.TOOL_CALL_ID)),
        arguments=first_of(a, ARGUMENTS),
        result=first_of(a, RESULT),
        outcome="invalid_args" if text(a, STAGE) == "validation" else None,
    )


def _old_turn(span: Span) -> Reading:
    """The messages of the prompt, then one choice."""
    events: list[Any] = list(maps(span.attributes[EVENTS]))
    return turn_reading(
        span,
        output=[event for event in events if event.get("event.name") == CHOICE],
        prompt=[event for event in events if event.get("event.name") != CHOICE],
    )
