"""OpenTelemetry's GenAI conventions, as any SDK sends them.

Such senders report what ran and what the model saw, not what a framework did in between. A call is known
by its trace and tool_call_id; a run of a tool without an id stands for itself.
"""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
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
    said = _Said("log", _origin_of_log(log), log.attributes, asked_ns=log.time_ns, shown_ns=log.time_ns)
    if not log.trace_id:
        return Reading()
    if log.event_name == "gen_ai.choice":
        return _reading(said, messages.asked_for_in_choice(log.body), ())
    if log.event_name == "gen_ai.tool.message":
        return _reading(said, (), messages.told_in_tool_message(log.body))
    return _exchange(said) if log.event_name == DETAILS_EVENT else Reading()


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


@dataclass(frozen=True, slots=True)
class _Said:
    """A record about a request to a model. source tells a span from a log record of the same span."""

    source: str
    origin: Origin
    attributes: Attributes
    asked_ns: int
    shown_ns: int

    def fact_id(self, kind: str, what: object) -> str:
        return f"{kind}:{self.source}:{self.origin.trace_id}:{self.origin.span_id}:{what}"


def _turn(span: Span) -> Reading:
    said = _Said("span", origin_of(span), span.attributes, asked_ns=span.end_ns, shown_ns=span.start_ns)
    return _exchange(said)


def _exchange(said: _Said) -> Reading:
    asked = messages.asked_for(said.attributes.get(OUTPUT_MESSAGES))
    return _reading(said, asked, messages.told(said.attributes.get(INPUT_MESSAGES)))


def _reading(said: _Said, asked: tuple[Asked, ...], told: tuple[Told, ...]) -> Reading:
    requests = (_requested(said, call, position, len(asked)) for position, call in enumerate(asked))
    return Reading(facts=(*requests, *(_shown(said, answer) for answer in told)))


def _shown(said: _Said, answer: Told) -> About:
    fact = Shown(
        fact_id=said.fact_id("shown", answer.tool_call_id),
        origin=said.origin,
        at_ns=said.shown_ns,
        content=answer.content,
    )
    return About(call_key=_key(said.origin, answer.tool_call_id), fact=fact)


def _requested(said: _Said, call: Asked, position: int, size: int) -> About:
    a, origin = said.attributes, said.origin
    reasons = texts(a, c.FINISH_REASONS)
    fact = Requested(
        fact_id=said.fact_id("request", position),
        origin=origin,
        at_ns=said.asked_ns,
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
        redactions=_marks(a, "arguments") if size == 1 else (),  # of several, which one is not known
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
