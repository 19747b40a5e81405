"""Records with defaults: a test names only what it is about."""

from dataclasses import replace
from itertools import count
from typing import Any

from tests.conftest import NOON_NS
from toolwatch_server.domain.call import Error, Problem
from toolwatch_server.domain.facts import (
    About,
    Answered,
    Attempted,
    Fact,
    Origin,
    Orphan,
    Pulse,
    Reading,
    Requested,
    Run,
    RunEnded,
)
from toolwatch_server.domain.record import Record
from toolwatch_server.domain.span import Span

TRACE = "a" * 32
SECOND_NS = 1_000_000_000
_numbers = count(1)


def span_id() -> str:
    return f"{next(_numbers):016x}"


def an_origin(**said: Any) -> Origin:
    known: dict[str, Any] = {
        "trace_id": TRACE,
        "span_id": span_id(),
        "framework": "langgraph",
        "service": "shop",
        "environment": "test",
        "instance_id": "process-1",
        "thread_id": "thread-1",
        "run_id": "run-1",
        "tracked": True,
    }
    return Origin(**(known | said))


def a_span(
    origin: Origin, *, at_ns: int = NOON_NS, record: str = "attempt", name: str = "execute_tool"
) -> Span:
    return Span(
        trace_id=origin.trace_id,
        span_id=origin.span_id,
        parent_span_id="",
        name=name,
        kind=1,
        start_ns=at_ns,
        end_ns=at_ns + SECOND_NS,
        status_code=0,
        status_message="",
        attributes={"toolwatch.record": record},
        resource={"service.name": origin.service or ""},
    )


def a_record(
    reading: Reading, origin: Origin, *, received_ns: int = NOON_NS, record: str = "attempt"
) -> Record:
    """One span, of which `raw` is recognisable text (the store never looks into it)."""
    span = a_span(origin, at_ns=received_ns, record=record)
    return Record(received_ns=received_ns, span=span, raw=raw_of(span), reading=reading)


def raw_of(span: Span) -> bytes:
    return f"raw {span.trace_id} {span.span_id} ".encode() + b"." * 300


def about(key: str, *facts: Fact, received_ns: int = NOON_NS, record: str = "attempt") -> Record:
    """One record that says several things about one call."""
    reading = Reading(facts=tuple(About(call_key=key, fact=fact) for fact in facts))
    return a_record(reading, facts[0].origin, received_ns=received_ns, record=record)


def replace_received(record: Record, received_ns: int) -> Record:
    return replace(record, received_ns=received_ns)


def requested(origin: Origin, *, at_ns: int = NOON_NS, **said: Any) -> Requested:
    known: dict[str, Any] = {"tool": "weather", "arguments": '{"city": "Bern"}', "position": 0}
    return Requested(fact_id=f"request:{origin.span_id}", origin=origin, at_ns=at_ns, **(known | said))


def attempted(origin: Origin, *, at_ns: int = NOON_NS, lasted_ms: float = 100, **said: Any) -> Attempted:
    known: dict[str, Any] = {
        "tool": "weather",
        "outcome": "ok",
        "body_ran": True,
        "cause": "first",
        "result": "sunny",
        "ended_ns": at_ns + round(lasted_ms * 1_000_000),
        "attempt_span_id": origin.span_id,
    }
    return Attempted(
        fact_id=f"attempt:{origin.span_id}",
        origin=origin,
        started_ns=at_ns,
        **(known | said),
    )


def answered(origin: Origin, *, at_ns: int = NOON_NS, **said: Any) -> Answered:
    known: dict[str, Any] = {"status": "success", "content": "sunny", "by": "tool", "delivered": True}
    return Answered(fact_id=f"answer:{origin.span_id}", origin=origin, at_ns=at_ns, **(known | said))


def run_ended(origin: Origin, *, at_ns: int = NOON_NS, outcome: str = "ok") -> RunEnded:
    return RunEnded(fact_id=f"run:{origin.span_id}", origin=origin, at_ns=at_ns, outcome=outcome)


def a_call(
    key: str,
    *,
    at_ns: int = NOON_NS,
    tool_call_id: str | None = "call_1",
    tool: str = "weather",
    arguments: str = '{"city": "Bern"}',
    lasted_ms: float = 100,
    content: str = "sunny",
    status: str = "success",
    attempt: dict[str, Any] | None = None,
    request: dict[str, Any] | None = None,
    answer: bool = True,
    **origin: Any,
) -> list[Record]:
    """What a collector sends about one call that was asked for, ran and was answered."""
    identity = {"tool": tool, "tool_call_id": tool_call_id}
    turn, run, step = an_origin(**origin), an_origin(**origin), an_origin(**origin)
    ended_ns = at_ns + round(lasted_ms * 1_000_000)
    asked = requested(turn, at_ns=at_ns, arguments=arguments, **identity, **(request or {}))
    ran = attempted(
        run, at_ns=at_ns, lasted_ms=lasted_ms, **({**identity, "result": content} | (attempt or {}))
    )
    told = (
        [about(key, answered(step, at_ns=ended_ns, content=content, status=status), record="step")]
        if answer
        else []
    )
    return [about(key, asked, record="turn"), about(key, ran), *told]


def a_failure(
    key: str, *, error: str = "TimeoutError", message: str = "no answer", **said: Any
) -> list[Record]:
    """A call whose body raised."""
    attempt = {"outcome": "tool_error", "result": None, "error": Error(type=error, message=message)}
    return a_call(key, content=message, status="error", attempt=attempt, **said)


def a_refusal(key: str, *, field: str = "city", reason: str = "Field required", **said: Any) -> list[Record]:
    """A call whose arguments did not fit."""
    attempt = {
        "outcome": "invalid_args",
        "body_ran": False,
        "result": None,
        "error": Error(type="ValidationError", message=f"{field}: {reason}"),
        "problems": (Problem(field=field, reason=reason),),
    }
    return a_call(key, content=reason, status="error", attempt=attempt, **said)


def a_start(key: str, *, at_ns: int = NOON_NS, received_ns: int | None = None, **origin: Any) -> Record:
    """An attempt that has begun."""
    ran = attempted(an_origin(**origin), at_ns=at_ns, outcome=None, body_ran=None, result=None, ended_ns=None)
    return about(key, ran, received_ns=at_ns if received_ns is None else received_ns, record="started")


def a_pulse(instance_id: str = "process-1", *, at_ns: int = NOON_NS, **said: Any) -> Record:
    pulse = Pulse(instance_id=instance_id, at_ns=at_ns, **said)
    origin = an_origin(instance_id=instance_id)
    return a_record(Reading(pulse=pulse), origin, received_ns=at_ns, record="alive")


def an_orphan(tool_call_id: str = "call_nobody", *, at_ns: int = NOON_NS, **said: Any) -> Record:
    origin = an_origin(**said)
    orphan = Orphan(
        orphan_id=f"orphan:{origin.span_id}", origin=origin, at_ns=at_ns, tool_call_id=tool_call_id
    )
    return a_record(Reading(orphans=(orphan,)), origin, record="step")


def a_run(name: str = "agent", *, at_ns: int = NOON_NS, **said: Any) -> Record:
    origin = an_origin(**said)
    run = Run(
        origin=origin, name=name, started_ns=at_ns, ended_ns=at_ns + SECOND_NS, outcome="ok", error=None
    )
    return a_record(Reading(run=run), origin, record="run")
