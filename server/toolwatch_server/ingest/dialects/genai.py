"""OpenTelemetry's GenAI conventions, as any SDK sends them.

Such senders report what ran and what the model saw, not what a framework did in between. A call is known by its
trace and tool_call_id; a run of a tool without an id stands for itself.
"""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from toolwatch import conventions as c
from toolwatch_server.domain.call import Error, Redaction
from toolwatch_server.domain.facts import About, Attempted, Origin, Reading, Requested, Shown
from toolwatch_server.domain.span import Attributes, LogRecord, Span, Value
from toolwatch_server.ingest import messages, wire
from toolwatch_server.ingest.attributes import error_of, integer, origin_of, sdk_of, text, texts
from toolwatch_server.ingest.messages import Asked, Told

MODEL_OPERATIONS: Final = frozenset({c.CHAT, "generate_content", "text_completion"})
NOT_A_TOOL: Final = frozenset({"(merged tools)"})  # a span that google-adk writes around parallel calls
PAUSES: Final = frozenset({"GraphInterrupt", "NodeInterrupt"})
CANCELLED: Final = frozenset({"CancelledError"})
# Where the conventions had no name yet, some senders used these.
ARGUMENTS: Final = (c.TOOL_CALL_ARGUMENTS, "tool_arguments")
RESULT: Final = (c.TOOL_CALL_RESULT, "tool_response")

INPUT_MESSAGES: Final = "gen_ai.input.messages"
OUTPUT_MESSAGES: Final = "gen_ai.output.messages"
DETAILS_EVENT: Final = "gen_ai.client.inference.operation.details"


def recognises(span: Span) -> bool:
    return _is_tool(span) or text(span.attributes, c.OPERATION) in MODEL_OPERATIONS


def read(span: Span) -> Reading:
    return _attempt(span) if _is_tool(span) else _turn(span)


def read_log(log: LogRecord) -> Reading:
    """What an event says; an event without a trace says nothing that could be put anywhere."""
    if not log.trace_id:
        return Reading()
    a, origin = log.attributes, _origin_of_log(log)
    if log.event_name == "gen_ai.choice":
        return _reading(origin, "log", log.time_ns, messages.asked_for_in_choice(log.body), (), a)
    if log.event_name == "gen_ai.tool.message":
        return _reading(origin, "log", log.time_ns, (), messages.told_in_tool_message(log.body), a)
    if log.event_name == DETAILS_EVENT:
        return _exchange(origin, "log", log.time_ns, log.time_ns, a)
    return Reading()


def _is_tool(span: Span) -> bool:
    name = text(span.attributes, c.TOOL_NAME)
    operation = text(span.attributes, c.OPERATION)
    if name in NOT_A_TOOL:
        return False
    return operation == c.EXECUTE_TOOL or (
        operation is None and name is not None and span.name.startswith(f"{c.EXECUTE_TOOL} ")
    )


def _attempt(span: Span) -> Reading:
    a, origin, error = span.attributes, origin_of(span), error_of(span)
    call_id, tool = messages.clean_id(a.get(c.TOOL_CALL_ID)), text(a, c.TOOL_NAME)
    arguments, result = _first_text(a, ARGUMENTS), _first_text(a, RESULT)
    outcome = _outcome(error, tool)
    fact = Attempted(
        fact_id=f"attempt:{span.trace_id}:{span.span_id}",
        origin=origin,
        attempt_span_id=span.span_id,
        started_ns=span.start_ns,
        ended_ns=span.end_ns,
        tool=tool,
        tool_call_id=call_id,
        outcome=outcome,
        body_ran=False if outcome == "invalid_args" else None,
        arguments=arguments,
        arguments_bytes=None if arguments is None else len(arguments.encode()),
        result=result,
        result_bytes=None if result is None else len(result.encode()),
        error=None if outcome == "interrupted" else error,
        redactions=_marks(a),
    )
    return Reading(facts=(About(call_key=_key(origin, call_id), fact=fact),))


def _outcome(error: Error | None, tool: str | None) -> str:
    if error is None:
        return "ok"
    short = error.type.rpartition(".")[2]
    if short in PAUSES:
        return "interrupted"
    if short in CANCELLED:
        return "cancelled"
    # pydantic names the schema of the arguments after the tool; an error of another schema is the tool's own.
    if tool and re.match(rf"\d+ validation errors? for {re.escape(tool)}\b", error.message):
        return "invalid_args"
    return "tool_error"


def _turn(span: Span) -> Reading:
    return _exchange(origin_of(span), "span", span.start_ns, span.end_ns, span.attributes)


def _exchange(origin: Origin, source: str, shown_ns: int, asked_ns: int, a: Attributes) -> Reading:
    asked = _reading(origin, source, asked_ns, messages.asked_for(a.get(OUTPUT_MESSAGES)), (), a)
    told = _reading(origin, source, shown_ns, (), messages.told(a.get(INPUT_MESSAGES)), a)
    return Reading(facts=(*asked.facts, *told.facts))


def _reading(
    origin: Origin, source: str, at_ns: int, asked: tuple[Asked, ...], told: tuple[Told, ...], a: Attributes
) -> Reading:
    """source tells a span from a log record of the same span: they may say the same, at different times."""
    place = f"{source}:{origin.trace_id}:{origin.span_id}"
    requests = [_requested(origin, place, at_ns, i, len(asked), call, a) for i, call in enumerate(asked)]
    shown = [
        About(
            call_key=_key(origin, answer.tool_call_id),
            fact=Shown(
                fact_id=f"shown:{place}:{answer.tool_call_id}",
                origin=origin,
                at_ns=at_ns,
                content=answer.content,
            ),
        )
        for answer in told
    ]
    return Reading(facts=(*requests, *shown))


def _requested(
    origin: Origin, place: str, at_ns: int, position: int, size: int, call: Asked, a: Attributes
) -> About:
    reasons = texts(a, c.FINISH_REASONS)
    fact = Requested(
        fact_id=f"request:{place}:{position}",
        origin=origin,
        at_ns=at_ns,
        kind="provider" if call.by_provider else "model",
        tool=call.tool,
        tool_call_id=call.tool_call_id,
        position=position,
        group_id=f"{origin.trace_id}:{origin.span_id}",
        group_size=size,
        arguments=call.arguments,
        finish_reason=reasons[0] if reasons else None,
        output_tokens=integer(a, c.OUTPUT_TOKENS),
        max_tokens=integer(a, c.REQUEST_MAX_TOKENS),
        redactions=_marks(a, "arguments") if size == 1 else (),  # which of several calls it was is not known
    )
    return About(call_key=_key(origin, call.tool_call_id, position), fact=fact)


def _key(origin: Origin, tool_call_id: str | None, position: int = 0) -> str:
    own = (tool_call_id,) if tool_call_id is not None else ("", origin.span_id, str(position))
    digest = hashlib.sha256("\x1f".join(("genai", origin.trace_id, *own)).encode())
    return f"c{digest.hexdigest()[:24]}"


def _origin_of_log(log: LogRecord) -> Origin:
    span = Span(
        trace_id=log.trace_id, span_id=log.span_id, parent_span_id="", name="", kind=0, start_ns=0, end_ns=0,
        status_code=0, status_message="", attributes=log.attributes, resource=log.resource,
    )  # fmt: skip
    return replace(origin_of(span), sdk=sdk_of(log.resource, log.scope_name))


def _first_text(a: Attributes, names: Iterable[str]) -> str | None:
    value: Value = next((a[name] for name in names if a.get(name) is not None), None)
    return messages.as_text(value)


def _marks(a: Attributes, where: str | None = None) -> tuple[Redaction, ...]:
    return tuple(
        Redaction(where=mark.where, rule=mark.rule, count=mark.count)
        for mark in wire.listed(text(a, c.REDACTIONS), wire.Mark)
        if where is None or mark.where == where
    )
