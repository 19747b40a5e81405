"""A thread as the conversation that it was."""

from dataclasses import replace
from typing import Any

from tests.unit.pages.samples import MS, NO_ARGUMENTS, NOON_NS, a_call, an_attempt
from toolwatch_server.domain.call import Call, Group
from toolwatch_server.domain.facts import Origin, Run
from toolwatch_server.domain.rows import TraceView
from toolwatch_server.pages.conversation import thread_page


def a_run(start_ms: int, end_ms: int, trace_id: str = "t1", outcome: str = "ok") -> Run:
    origin = Origin(trace_id=trace_id, span_id=f"r{start_ms}", tracked=True)
    return Run(
        origin=origin,
        name="payment",
        started_ns=NOON_NS + start_ms * MS,
        ended_ns=NOON_NS + end_ms * MS,
        outcome=outcome,
        error=None,
    )


def call_at(ms: int, key: str, arguments: Any = None, **said: Any) -> Call:
    known = {
        "requested_ns": NOON_NS + ms * MS,
        "message_id": f"m{ms}",
        "arguments": replace(NO_ARGUMENTS, value=arguments),
    }
    return a_call(**{**known, "key": key, **said})


def page(calls: list[Call], *runs: Run) -> Any:
    return thread_page(
        TraceView(calls=tuple(calls), spans=(), orphans=(), runs=runs, spans_total=0), "thread-1"
    )


def test_the_same_call_again_and_again_is_one_line_whatever_the_order_of_its_keys() -> None:
    loop = [call_at(n, f"c{n}", {"a": 1, "b": 2} if n % 2 else {"b": 2, "a": 1}) for n in range(12)]

    (run,) = page(loop, a_run(0, 100)).runs

    assert [len(repeat.rows) for turn in run.turns for repeat in turn.repeats] == [12]


def test_other_calls_in_between_stay_visible() -> None:
    calls = [
        *(call_at(n, f"c{n}", {"a": 1}) for n in range(6)),
        call_at(7, "other", {"a": 2}),
        *(call_at(n, f"c{n}", {"a": 1}) for n in range(8, 12)),
    ]

    (run,) = page(calls, a_run(0, 100)).runs

    assert [len(repeat.rows) for turn in run.turns for repeat in turn.repeats] == [6, 1, 4]


def test_parallel_calls_are_no_loop() -> None:
    group = Group(id="m1", size=3)
    calls = [call_at(0, f"c{n}", {"a": 1}, group=group) for n in range(3)]

    (run,) = page(calls, a_run(0, 100)).runs

    assert [repeat.looped for turn in run.turns for repeat in turn.repeats] == [False, False, False]


def test_a_resumed_call_stands_in_both_of_its_runs() -> None:
    attempts = (
        an_attempt(1, "interrupted"),
        an_attempt(2, start_ms=500, cause="resume", trace_id="t2", resume='"yes"'),
    )
    call = call_at(0, "c1", attempts=attempts)

    first, second = page([call], a_run(-5, 100, outcome="interrupted"), a_run(490, 600, "t2")).runs

    assert len(first.turns) == 1
    assert second.turns[0].heading == 'went on with it; a person had answered "yes"'


def test_calls_that_nobody_answered_are_listed_apart() -> None:
    calls = [call_at(0, "c1", outcome="unanswered"), call_at(5, "c2", outcome="ok")]

    assert [row.key for row in page(calls, a_run(0, 100)).unanswered] == ["c1"]


def test_calls_of_a_run_that_was_never_seen_to_end_are_there_all_the_same() -> None:
    (run,) = page([call_at(0, "c1")]).runs

    assert run.outcome_word == "not ended, or not known"
