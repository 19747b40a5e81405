"""Calls for the benchmark of the pages: made up, always the same, spread over thirty days up to now."""

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from sqlalchemy import text

from toolwatch_server.domain.call import Error, Problem
from toolwatch_server.domain.facts import About, Answered, Attempted, Origin, Reading, Requested, RunEnded
from toolwatch_server.domain.record import Record
from toolwatch_server.domain.span import Span
from toolwatch_server.storage.engine import open_database
from toolwatch_server.storage.migrate import migrate
from toolwatch_server.storage.store import Store

BATCH: Final = 2_000
DAY_NS: Final = 86_400_000_000_000
HUGE_TRACE: Final = "f" * 32
HUGE_CALLS: Final = 1_250
PER_THREAD: Final = 8
WORDS: Final = [
    "invoice",
    "order",
    "refund",
    "gateway",
    "timeout",
    "city",
    "weather",
    "customer",
    "paris",
    "ticket",
    "storage",
    "queue",
]


def a_known_call(calls: int) -> tuple[str, str, str]:
    """The key, the id and the thread of a call in the middle."""
    middle = calls // 2
    return f"key-{middle}", f"call_{middle:09}", f"thread-{middle // PER_THREAD}"


def prepare(url: str, calls: int) -> None:
    """Does nothing where the calls are there already."""
    database = open_database(url)
    migrate(database)
    with database.read() as db:
        there = db.execute(text("SELECT count(*) FROM calls")).scalar_one()
    if there < calls + HUGE_CALLS:
        store, made, began = Store(database), records(calls, time.time_ns()), time.monotonic()
        while batch := list(islice(made, BATCH)):
            store.save(batch)
        print(f"{calls} calls stored in {time.monotonic() - began:.0f} s")
    database.close()


def records(calls: int, now_ns: int) -> Iterator[Record]:
    dice = random.Random(7)
    for number in range(calls):
        # A service that grows: the last day has twice as many calls as the average day.
        back = dice.random() ** 1.5 * 30
        yield a_call(number, now_ns - round(back * DAY_NS), dice)
    yield from huge(now_ns - 3_600_000_000_000)


def a_call(number: int, at_ns: int, dice: random.Random) -> Record:
    trace = f"{number // PER_THREAD:032x}"
    origin = _origin(trace, f"{number:016x}", thread_id=f"thread-{number // PER_THREAD}")
    tool = f"tool_{min(int(dice.expovariate(0.2)), 39):02}"
    lasted_ms = dice.lognormvariate(4.5, 1.2)
    outcome = dice.choices(("ok", "tool_error", "invalid_args", "cancelled"), (90, 6, 3, 1))[0]
    made = Made(
        key=f"key-{number}",
        id=f"call_{number:09}",
        tool=tool,
        at_ns=at_ns,
        lasted_ms=lasted_ms,
        outcome=outcome,
    )
    return _record(origin, made, dice)


def huge(at_ns: int) -> Iterator[Record]:
    """One trace of 5,000 spans: a run, and four spans for each of its calls."""
    dice = random.Random(9)
    run = _origin(HUGE_TRACE, "e" * 16, thread_id="huge")
    yield _plain(run, "run", at_ns, 400_000, parent="")
    for number in range(HUGE_CALLS):
        start_ns, lasted_ms = at_ns + number // 3 * 900_000_000, dice.uniform(20, 800)
        step = f"5{number:015x}"
        yield _plain(_origin(HUGE_TRACE, step), "step", start_ns - 1_000_000, lasted_ms + 2, parent="e" * 16)
        own = _origin(HUGE_TRACE, f"a{number:015x}", thread_id="huge")
        made = Made(
            key=f"huge-{number}",
            id=f"huge_{number}",
            tool="search",
            at_ns=start_ns,
            lasted_ms=lasted_ms,
            parent=step,
        )
        yield _record(own, made, dice)
        for letter in "bc":
            foreign = _origin(HUGE_TRACE, f"{letter}{number:015x}")
            yield _plain(foreign, None, start_ns, lasted_ms / 2, parent=f"a{number:015x}")


def _origin(trace_id: str, span_id: str, *, thread_id: str | None = None) -> Origin:
    number = int(span_id[-4:], 16)
    return Origin(
        trace_id=trace_id,
        span_id=span_id,
        framework="langgraph",
        service=f"service-{number % 12}",
        environment="production" if number % 5 else "staging",
        instance_id="process-1",
        thread_id=thread_id,
        run_id=f"run-{trace_id[-8:]}",
        tracked=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    key: str
    id: str
    tool: str
    at_ns: int
    lasted_ms: float
    outcome: str = "ok"
    parent: str = ""


def _record(origin: Origin, made: Made, dice: random.Random) -> Record:
    key, at_ns, lasted_ms, outcome = made.key, made.at_ns, made.lasted_ms, made.outcome
    said = " ".join(dice.sample(WORDS, 4))
    failed = outcome in ("tool_error", "cancelled")
    error = Error(type=f"Error{dice.randrange(40):02}", message=f"{said} failed after {lasted_ms:.0f} ms")
    identity: dict[str, Any] = {"tool": made.tool, "tool_call_id": made.id, "origin": origin}
    asked = Requested(
        fact_id=f"q{key}",
        at_ns=at_ns,
        arguments=f'{{"text": "{said}", "n": "{made.id}"}}',
        position=0,
        **identity,
    )
    ended_ns = at_ns + round(lasted_ms * 1_000_000)
    ran = Attempted(
        fact_id=f"a{key}",
        attempt_span_id=origin.span_id,
        started_ns=at_ns,
        ended_ns=ended_ns,
        outcome=outcome,
        cause="first",
        body_ran=outcome != "invalid_args",
        error=error if failed else None,
        problems=(Problem(field="text", reason="Field required"),) if outcome == "invalid_args" else (),
        result=f"{said}: done" if outcome == "ok" else None,
        **identity,
    )
    told = Answered(
        fact_id=f"t{key}",
        origin=origin,
        at_ns=ended_ns,
        status="success" if outcome == "ok" else "error",
        content=f"{said}: done",
        by="tool",
        delivered=True,
    )
    done = RunEnded(fact_id=f"r{key}", origin=origin, at_ns=ended_ns, outcome="ok")
    facts = tuple(About(call_key=key, fact=fact) for fact in (asked, ran, told, done))
    span = _span(origin, "attempt", at_ns, lasted_ms, parent=made.parent)
    return _stored(span, Reading(facts=facts))


def _plain(origin: Origin, record: str | None, at_ns: int, lasted_ms: float, *, parent: str) -> Record:
    return _stored(_span(origin, record, at_ns, lasted_ms, parent=parent), Reading())


def _span(origin: Origin, record: str | None, at_ns: int, lasted_ms: float, *, parent: str) -> Span:
    return Span(
        trace_id=origin.trace_id,
        span_id=origin.span_id,
        parent_span_id=parent,
        name=record or "HTTP GET",
        kind=1,
        start_ns=at_ns,
        end_ns=at_ns + round(lasted_ms * 1_000_000),
        status_code=0,
        status_message="",
        attributes={"toolwatch.record": record} if record else {},
        resource={},
    )


def _stored(span: Span, reading: Reading) -> Record:
    # The raw bytes are never read by these pages; their length is that of a usual span.
    return Record(received_ns=span.start_ns, span=span, raw=span.span_id.encode() * 40, reading=reading)
