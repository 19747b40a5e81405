"""OpenTelemetry's GenAI conventions, old and new, as spans, their events, and log records."""

import hashlib
from collections.abc import Mapping

from toolwatch import conventions as c
from toolwatch_server.domain.clues import Asked, Clue, Told, Turn
from toolwatch_server.domain.facts import Reading
from toolwatch_server.domain.span import LogRecord, Span
from toolwatch_server.ingest.attributes import text
from toolwatch_server.ingest.by_conventions import (
    AGENT_OPERATIONS,
    ASSISTANT_MESSAGE,
    CHOICE,
    CREATE_AGENT,
    DETAILS_EVENT,
    INPUT_MESSAGES,
    MODEL_OPERATIONS,
    OUTPUT_MESSAGES,
    TOOL_MESSAGE,
    is_tool,
    is_turn,
    message_event,
    read_by_conventions,
)
from toolwatch_server.ingest.chat import asked_in, news_in, told_in
from toolwatch_server.ingest.origins import sender_of
from toolwatch_server.ingest.reading import nothing, turn_details

KNOWN = MODEL_OPERATIONS | AGENT_OPERATIONS | {c.EXECUTE_TOOL, CREATE_AGENT}


def recognises(span: Span) -> bool:
    return text(span.attributes, c.OPERATION) in KNOWN or is_tool(span) or is_turn(span)


def read(span: Span) -> Reading:
    return read_by_conventions(span)


def read_log(log: LogRecord) -> Reading:
    """What an event says; an event without a trace says nothing that could be put anywhere."""
    if not log.trace_id or not log.span_id:
        return nothing()
    if log.event_name == DETAILS_EVENT:
        recalled, told = news_in(log.attributes.get(INPUT_MESSAGES))
        asked = asked_in(log.attributes.get(OUTPUT_MESSAGES))
        return _log_clue(log, asked=asked, recalled=recalled, told=told, whole=True)
    if log.event_name not in (CHOICE, ASSISTANT_MESSAGE, TOOL_MESSAGE):
        return nothing()
    body = [message_event(log.event_name, log.body if isinstance(log.body, Mapping) else log.attributes)]
    if log.event_name == CHOICE:
        return _log_clue(log, asked=asked_in(body), whole=True)
    return _log_clue(log, recalled=asked_in(body), told=told_in(body))


def _log_clue(
    log: LogRecord,
    *,
    asked: tuple[Asked, ...] = (),
    recalled: tuple[Asked, ...] = (),
    told: tuple[Told, ...] = (),
    whole: bool = False,
) -> Reading:
    if not asked and not recalled and not told:
        return nothing()
    span = Span(
        trace_id=log.trace_id, span_id=log.span_id, parent_span_id="", name="", kind=0, start_ns=0, end_ns=0,
        status_code=0, status_message="", attributes=log.attributes, resource=log.resource,
        scope_name=log.scope_name,
    )  # fmt: skip
    turn = Turn(
        asked=asked, recalled=recalled, told=told, place_ns=log.time_ns, from_prompt=not whole,
        **turn_details(log.attributes),
    )  # fmt: skip
    source = f"log:{hashlib.sha256(repr((log.event_name, log.time_ns, turn)).encode()).hexdigest()[:16]}"
    clue = Clue(origin=sender_of(span), source=source, start_ns=log.time_ns, end_ns=log.time_ns, turn=turn)
    return Reading(clues=(clue,))
