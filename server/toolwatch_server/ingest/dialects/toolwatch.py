"""Our own spans (docs/wire.md), from the Python collector and the Go module alike."""

from collections.abc import Callable, Iterator
from typing import Final

from toolwatch import conventions as c
from toolwatch_server.domain.call import Error, Part, Problem, Redaction
from toolwatch_server.domain.facts import (
    About,
    Answered,
    Attempted,
    Dispatched,
    Fact,
    Orphan,
    Pulse,
    Reading,
    Requested,
    Run,
    RunEnded,
    Shown,
)
from toolwatch_server.domain.span import Span
from toolwatch_server.ingest import wire
from toolwatch_server.ingest.attributes import error_of, flag, integer, origin_of, raised_in, text, texts


def recognises(span: Span) -> bool:
    return text(span.attributes, c.RECORD) in READERS


def read(span: Span) -> Reading:
    return READERS[str(span.attributes[c.RECORD])](span)


def _attempt(span: Span) -> Reading:
    a = span.attributes
    key = text(a, c.CALL_KEY)
    if key is None:
        return Reading()
    started = text(a, c.RECORD) == c.RECORD_STARTED
    interrupt = text(a, c.INTERRUPT_VALUE)
    fact = Attempted(
        fact_id=f"attempt:{span.trace_id}:{span.span_id}",
        origin=origin_of(span, tracked=True),
        attempt_span_id=(text(a, c.STARTED_SPAN_ID) or span.parent_span_id) if started else span.span_id,
        started_ns=span.start_ns,
        ended_ns=None if started else span.end_ns,
        tool=text(a, c.TOOL_NAME),
        tool_call_id=_call_id(span),
        parent_key=text(a, c.PARENT_KEY),
        message_id=text(a, c.MESSAGE_ID),
        position=integer(a, c.POSITION),
        group_id=text(a, c.GROUP_ID),
        group_size=integer(a, c.GROUP_SIZE),
        cause=text(a, c.ATTEMPT_CAUSE),
        outcome=None if started else text(a, c.ATTEMPT_OUTCOME),
        body_ran=None if started else flag(a, c.BODY_RAN),
        late=flag(a, c.ATTEMPT_LATE) or False,
        handled_by=text(a, c.HANDLED_BY),
        thread_name=text(a, c.THREAD_NAME),
        arguments=text(a, c.TOOL_CALL_ARGUMENTS),
        arguments_bytes=integer(a, c.ARGUMENTS_BYTES),
        validated=text(a, c.ARGUMENTS_VALIDATED),
        injected=texts(a, c.ARGUMENTS_INJECTED),
        problems=tuple(_problem(p) for p in wire.listed(text(a, c.ARGUMENTS_PROBLEMS), wire.FieldProblem)),
        result=text(a, c.TOOL_CALL_RESULT),
        result_bytes=integer(a, c.RESULT_BYTES),
        result_status=text(a, c.RESULT_STATUS),
        parts=_parts(wire.listed(text(a, c.RESULT_PARTS), wire.ContentPart)),
        # A tool may return an error message without raising: error.type alone is no exception.
        error=None if started or interrupt is not None else raised_in(span),
        interrupt=interrupt,
        resume=text(a, c.RESUME_VALUE),
        content_captured=flag(a, c.CONTENT_CAPTURED) is not False,
        redactions=_marks(span, key, alone=True) if not started else (),
    )
    return Reading(facts=(About(call_key=key, fact=fact),))


def _call_id(span: Span) -> str | None:
    """An empty id is not a value that conventions allow, so it travels beside them."""
    given = text(span.attributes, c.TOOL_CALL_ID)
    return "" if given is None and text(span.attributes, c.ID_ABSENT) == "empty" else given


def _turn(span: Span) -> Reading:
    a = span.attributes
    sights = wire.listed(text(a, c.SEEN), wire.Sight)
    shown = (
        About(
            call_key=sight.key,
            fact=Shown(
                fact_id=f"shown:{span.trace_id}:{span.span_id}:{sight.key}",
                origin=origin_of(span, tracked=True),
                at_ns=span.start_ns,
                content=sight.content,
                status=sight.status,
                redactions=_marks(span, sight.key),
            ),
        )
        for sight in sights
    )
    return Reading(facts=(*_requests(span, span.end_ns), *shown))


def _requests(span: Span, at_ns: int) -> Iterator[About]:
    a = span.attributes
    asked = wire.listed(text(a, c.REQUESTS), wire.Request)
    reasons = texts(a, c.FINISH_REASONS)
    for request in asked:
        fact = Requested(
            fact_id=f"request:{span.trace_id}:{span.span_id}:{request.key}",
            origin=origin_of(span, tracked=True),
            at_ns=at_ns,
            kind=request.kind,
            tool=request.name,
            tool_call_id=request.id,
            message_id=request.message_id or text(a, c.MESSAGE_ID),
            position=request.position,
            group_id=request.group_id or text(a, c.GROUP_ID),
            group_size=request.group_size if request.group_size is not None else len(asked),
            parent_key=request.parent_key,
            arguments=request.arguments,
            raw=request.raw,
            repaired=request.repaired,
            error=request.error,
            finish_reason=reasons[0] if reasons else None,
            output_tokens=integer(a, c.OUTPUT_TOKENS),
            max_tokens=integer(a, c.REQUEST_MAX_TOKENS),
            redactions=_marks(span, request.key),
        )
        yield About(call_key=request.key, fact=fact)


def _step(span: Span) -> Reading:
    dispatches = wire.listed(text(span.attributes, c.DISPATCHES), wire.Dispatch)
    facts = [About(call_key=d.key, fact=_dispatched(span, d, place)) for place, d in enumerate(dispatches)]
    return Reading(facts=(*facts, *_answers(span)), orphans=_orphans(span))


def _dispatched(span: Span, d: wire.Dispatch, place: int) -> Dispatched:
    return Dispatched(
        fact_id=f"dispatch:{span.trace_id}:{span.span_id}:{place}",
        origin=origin_of(span, tracked=True),
        started_ns=d.started_ns,
        ended_ns=d.ended_ns,
        tool=d.name,
        tool_call_id=d.id,
        arguments=d.arguments,
        message_id=d.message_id,
        position=d.position,
        group_id=d.group_id,
        group_size=d.group_size,
        parent_key=d.parent_key,
        cause=d.cause,
        unknown_tool=d.unknown,
        raised_by_wrapper=d.raised_by_wrapper,
        handled_by=d.handled_by,
        handler_did_not_match=d.handler_did_not_match,
        error=_error(d.error),
        masked=_error(d.masked),
        interrupt=d.interrupt,
        taken_up=d.taken_up,
        attempts=d.attempts,
        state=d.state,
        step_outcome=text(span.attributes, c.OUTCOME),
        redactions=_marks(span, d.key),
    )


def _answers(span: Span) -> Iterator[About]:
    for place, answer in enumerate(wire.listed(text(span.attributes, c.ANSWERS), wire.Answer)):
        fact = Answered(
            fact_id=f"answer:{span.trace_id}:{span.span_id}:{place}",
            origin=origin_of(span, tracked=True),
            at_ns=answer.at_ns,
            status=answer.status,
            content=answer.content,
            same_as_result=answer.same_as_result,
            parts=_parts(answer.parts),
            bytes=answer.bytes,
            truncated=answer.truncated,
            by=answer.by,
            delivered=answer.delivered,
        )
        yield About(call_key=answer.key, fact=fact)


def _orphans(span: Span) -> tuple[Orphan, ...]:
    return tuple(
        Orphan(
            orphan_id=f"{span.trace_id}:{span.span_id}:{place}",
            origin=origin_of(span, tracked=True),
            at_ns=span.end_ns,
            tool_call_id=stray.id,
            tool=stray.name,
            status=stray.status,
            content=stray.content,
        )
        for place, stray in enumerate(wire.listed(text(span.attributes, c.ORPHANS), wire.Stray))
    )


def _run(span: Span) -> Reading:
    a, origin = span.attributes, origin_of(span, tracked=True)
    outcome, error = text(a, c.OUTCOME), error_of(span)
    ends: list[tuple[str, Fact]] = []
    for key in texts(a, c.CALLS) if outcome is not None else ():
        fact = RunEnded(
            fact_id=f"run:{span.trace_id}:{span.span_id}:{key}",
            origin=origin,
            at_ns=span.end_ns,
            outcome=outcome or "ok",
            error_type=error.type if error is not None else None,
        )
        ends.append((key, fact))
    run = Run(
        origin=origin,
        name=span.name.removeprefix(c.INVOKE_AGENT).strip() or origin.agent,
        started_ns=span.start_ns,
        ended_ns=span.end_ns,
        outcome=outcome,
        error=error,
    )
    facts = (About(call_key=key, fact=fact) for key, fact in ends)
    return Reading(
        facts=(*_requests(span, span.start_ns), *_answers(span), *facts), orphans=_orphans(span), run=run
    )


def _alive(span: Span) -> Reading:
    a = span.attributes
    instance_id = text(span.resource, "service.instance.id")
    if instance_id is None:
        return Reading()
    return Reading(
        pulse=Pulse(
            instance_id=instance_id,
            at_ns=span.end_ns,
            calls=texts(a, c.CALLS),
            dropped=integer(a, c.DROPPED) or 0,
            missing_hooks=texts(a, c.MISSING_HOOKS),
        )
    )


def _marks(span: Span, key: str, *, alone: bool = False) -> tuple[Redaction, ...]:
    """Marks that name the call; on a record of one call, those that name none as well."""
    marks = wire.listed(text(span.attributes, c.REDACTIONS), wire.Mark)
    return tuple(
        Redaction(where=mark.where, rule=mark.rule, count=mark.count)
        for mark in marks
        if mark.key == key or (alone and mark.key is None)
    )


def _problem(p: wire.FieldProblem) -> Problem:
    return Problem(field=p.field, reason=p.reason, expected=p.expected, received=p.received)


def _parts(parts: tuple[wire.ContentPart, ...]) -> tuple[Part, ...]:
    return tuple(Part(type=p.type, mime_type=p.mime_type, bytes=p.bytes) for p in parts)


def _error(failure: wire.Failure | None) -> Error | None:
    return None if failure is None else Error(type=failure.type, message=failure.message, stack=failure.stack)


READERS: Final[dict[str, Callable[[Span], Reading]]] = {
    c.RECORD_STARTED: _attempt,
    c.RECORD_ATTEMPT: _attempt,
    c.RECORD_TURN: _turn,
    c.RECORD_STEP: _step,
    c.RECORD_RUN: _run,
    c.RECORD_ALIVE: _alive,
}
