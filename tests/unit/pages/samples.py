"""Calls with defaults: a test names only what it is about."""

from dataclasses import replace
from typing import Any

from toolwatch_server.domain.call import FAILED, Answer, Arguments, Attempt, Call, Error, Warning_

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
