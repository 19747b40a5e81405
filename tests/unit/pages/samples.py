"""Calls with defaults: a test names only what it is about."""

from dataclasses import replace
from typing import Any

from toolwatch_server.domain.call import FAILED, Answer, Arguments, Attempt, Call, Error, Warning_
from toolwatch_server.domain.rows import CallRow, TimelineSpan, TimelineView

NOON_NS = 1_767_268_800_000_000_000
MS = 1_000_000
NO_ANSWER = Answer(status=None, content=None, parts=(), bytes=0, truncated=False, delivered=None, by=None)
NO_ARGUMENTS = Arguments(raw=None, value=None, received=None, validated=None, injected=(), problems=())
TIMEOUT = Error(type="TimeoutError", message="no answer from the gateway")


def an_answer(content: str | None, status: str = "success", **said: Any) -> Answer:
    answer = replace(NO_ANSWER, content=content, status=status, delivered=True, bytes=len(content or ""))
    return replace(answer, **said)


def an_attempt(
    number: int = 1, outcome: str = "ok", start_ms: float = 0, lasted_ms: float | None = 10, **said: Any
) -> Attempt:
    start_ns = NOON_NS + round(start_ms * MS)
    attempt = Attempt(
        number=number,
        cause="first" if number == 1 else "wrapper_retry",
        outcome=outcome,
        discarded=False,
        late=False,
        body_ran=True,
        started_ns=start_ns,
        ended_ns=None if lasted_ms is None else start_ns + round(lasted_ms * MS),
        duration_ms=lasted_ms,
        trace_id="t1",
        span_id=f"a{number}-{start_ms}",
        thread_name=None,
        error=TIMEOUT if outcome == "tool_error" else None,
        interrupt=None,
        resume=None,
        result=None,
    )
    return replace(attempt, **said)


def a_row(key: str = "c1", **said: Any) -> CallRow:
    row = CallRow(
        key=key,
        tool_call_id=f"call_{key}",
        tool="charge_card",
        service="shop",
        environment=None,
        thread_id="thread-1",
        trace_id="t1",
        run_id="run-1",
        parent_key=None,
        group_id=None,
        position=0,
        outcome="ok",
        failed=False,
        executions=1,
        attempts=1,
        sort_ns=NOON_NS,
        started_ns=NOON_NS,
        ended_ns=NOON_NS + 10 * MS,
        duration_ms=10.0,
        waited_ms=None,
        error_type=None,
        error_message=None,
        arguments_preview=None,
        answer_preview=None,
        warnings=(),
        redactions=0,
    )
    return replace(row, **said)


def a_timeline(*ran: tuple[CallRow, float, float], spans: tuple[TimelineSpan, ...] = ()) -> TimelineView:
    """A trace with calls that ran once each: (row, start and length in ms). Their spans are called s-KEY."""
    own = tuple(a_span(f"s-{row.key}", "", "attempt", start, lasted) for row, start, lasted in ran)
    given = {span.span_id for span in spans}
    every = (*spans, *(span for span in own if span.span_id not in given))
    return TimelineView(
        calls=tuple(row for row, _, _ in ran),
        spans=every,
        attempts=tuple((f"s-{row.key}", row.key) for row, _, _ in ran),
        orphans=(),
        runs=(),
        calls_total=len(ran),
        spans_total=len(every),
    )


def a_span(
    span_id: str, parent: str, record: str | None, start_ms: float = 0, lasted_ms: float = 100
) -> TimelineSpan:
    start_ns = NOON_NS + round(start_ms * MS)
    return TimelineSpan(
        span_id=span_id,
        parent_span_id=parent,
        name=f"invoke_agent {span_id}",
        record=record,
        start_ns=start_ns,
        end_ns=start_ns + round(lasted_ms * MS),
    )


def a_warning(code: str) -> Warning_:
    return Warning_(code=code, text="as it is")


def a_call(outcome: str = "ok", **said: Any) -> Call:
    attempts = said.pop("attempts", ())
    said.setdefault("told", said["answer"].content if "answer" in said else None)
    call = Call(
        key="c1",
        tool_call_id="call_1",
        tool="charge_card",
        framework="langgraph",
        sdk=None,
        service="shop",
        environment=None,
        agent="payment",
        node="tools",
        thread_id="thread-1",
        run_id="run-1",
        trace_id="t1",
        trace_ids=("t1",),
        span_id=None,
        message_id="m1",
        parent_key=None,
        position=0,
        group=None,
        outcome=outcome,
        failed=outcome in FAILED,
        handled_by=None,
        requested_ns=NOON_NS,
        dispatched_ns=None,
        started_ns=attempts[0].started_ns if attempts else None,
        ended_ns=None,
        answered_ns=None,
        seen_ns=None,
        duration_ms=None,
        waited_ms=None,
        executions=sum(attempt.body_ran for attempt in attempts),
        attempts=attempts,
        arguments=NO_ARGUMENTS,
        result=None,
        error=None,
        answer=NO_ANSWER,
        told=None,
        redactions=(),
        warnings=(),
        arguments_bytes=0,
        result_bytes=0,
        finish_reason=None,
        run_outcome=None,
        instance_id=None,
        last_seen_ns=None,
    )
    return replace(call, **said)
