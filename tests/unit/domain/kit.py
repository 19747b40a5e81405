"""Facts with defaults: a test names only what it is about."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeAlias

from toolwatch_server.domain.assemble import assemble
from toolwatch_server.domain.call import Call, Error
from toolwatch_server.domain.facts import (
    Answered,
    Attempted,
    Dispatched,
    Fact,
    Origin,
    Requested,
    RunEnded,
    Shown,
)

Details: TypeAlias = dict[str, Any]

SECOND = 1_000_000_000
NOW = 1_000 * SECOND
ORIGIN = Origin(
    trace_id="t1",
    span_id="s0",
    service="shop",
    thread_id="thread-1",
    run_id="run-1",
    node="tools",
    tracked=True,
)


def at(seconds: float) -> int:
    return NOW + int(seconds * SECOND)


def requested(seconds: float = 0, **said: Any) -> Requested:
    details: Details = {
        "tool": "pay",
        "tool_call_id": "call_1",
        "arguments": '{"amount": 5}',
        "message_id": "m1",
    } | said
    return Requested(fact_id=f"request:{seconds}", origin=ORIGIN, at_ns=at(seconds), **details)


def started(span: str = "a1", seconds: float = 1, *, trace: str = "t1", **said: Any) -> Attempted:
    origin = replace(ORIGIN, trace_id=trace)
    details: Details = {"tool": "pay", "tool_call_id": "call_1", "cause": "first"} | said
    return Attempted(
        fact_id=f"started:{span}", origin=origin, attempt_span_id=span, started_ns=at(seconds), **details
    )


def ended(
    span: str = "a1", seconds: float = 1, lasted: float = 1, *, trace: str = "t1", **said: Any
) -> Attempted:
    origin = replace(ORIGIN, trace_id=trace)
    details: Details = {
        "tool": "pay",
        "tool_call_id": "call_1",
        "cause": "first",
        "outcome": "ok",
        "body_ran": True,
    } | said
    return Attempted(
        fact_id=f"ended:{span}",
        origin=origin,
        attempt_span_id=span,
        started_ns=at(seconds),
        ended_ns=at(seconds + lasted),
        **details,
    )


def failed(span: str = "a1", seconds: float = 1, *, error: str = "TimeoutError", **said: Any) -> Attempted:
    return ended(
        span, seconds, outcome="tool_error", error=Error(type=error, message="read timed out"), **said
    )


def dispatched(*attempts: str, seconds: float = 1, lasted: float = 2, **said: Any) -> Dispatched:
    details: Details = {"state": "returned", "step_outcome": "ok", "cause": "first"} | said
    return Dispatched(
        fact_id=f"dispatch:{seconds}",
        origin=ORIGIN,
        started_ns=at(seconds),
        ended_ns=at(seconds + lasted),
        attempts=attempts,
        **details,
    )


def answered(seconds: float = 3, **said: Any) -> Answered:
    details: Details = {"status": "success", "content": "paid", "by": "tool", "delivered": True} | said
    return Answered(fact_id=f"answer:{seconds}", origin=ORIGIN, at_ns=at(seconds), **details)


def shown(seconds: float = 4, **said: Any) -> Shown:
    return Shown(fact_id=f"shown:{seconds}", origin=ORIGIN, at_ns=at(seconds), **said)


def run_ended(outcome: str = "ok", seconds: float = 5, *, trace: str = "t1") -> RunEnded:
    origin = replace(ORIGIN, trace_id=trace)
    return RunEnded(fact_id=f"run:{seconds}", origin=origin, at_ns=at(seconds), outcome=outcome)


def call_of(*facts: Fact, after: float = 6, **kwargs: Any) -> Call:
    """The call, seen `after` seconds past the start of the story."""
    return assemble("c1", facts, now_ns=at(after), **kwargs)


def codes(call: Call) -> set[str]:
    return {warning.code for warning in call.warnings}


def outcomes(calls: Iterable[Call]) -> list[str]:
    return [call.outcome for call in calls]
