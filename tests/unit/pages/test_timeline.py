"""What ran when, and what ran at once."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.pages.samples import MS, NOON_NS, a_call, an_attempt
from toolwatch_server.domain.call import Call, Group
from toolwatch_server.domain.rows import TraceView
from toolwatch_server.domain.span import Span
from toolwatch_server.pages.concurrency import Stretch, covered_ns, lanes, together
from toolwatch_server.pages.timeline import bar_kind, lines_of, scale_of

INTERVALS = st.lists(st.tuples(st.integers(0, 1_000), st.integers(0, 300)), max_size=40)


def stretches(pairs: list[tuple[int, int]]) -> list[Stretch[int]]:
    return [Stretch(start_ns=start, end_ns=start + length, of=n) for n, (start, length) in enumerate(pairs)]


def view(calls: tuple[Call, ...], spans: tuple[Span, ...] = ()) -> TraceView:
    return TraceView(calls=calls, spans=spans, orphans=(), runs=(), spans_total=len(spans))


def a_span(span_id: str, parent: str, record: str, start_ms: int = 0, lasted_ms: int = 100) -> Span:
    return Span(
        trace_id="t1",
        span_id=span_id,
        parent_span_id=parent,
        name=f"invoke_agent {span_id}",
        kind=1,
        start_ns=NOON_NS + start_ms * MS,
        end_ns=NOON_NS + (start_ms + lasted_ms) * MS,
        status_code=0,
        status_message="",
        attributes={"toolwatch.record": record},
    )


@given(INTERVALS)
def test_nothing_overlaps_within_a_lane(pairs: list[tuple[int, int]]) -> None:
    found = lanes(stretches(pairs))

    assert sum(map(len, found)) == len(pairs)
    for lane in found:
        assert all(one.end_ns <= next_.start_ns for one, next_ in pairwise(lane))


@given(INTERVALS)
def test_covered_time_counts_no_moment_twice(pairs: list[tuple[int, int]]) -> None:
    moments = {moment for start, length in pairs for moment in range(start, start + length)}

    assert covered_ns(stretches(pairs)) == len(moments)


def test_calls_of_one_message_that_ran_at_once_say_what_that_saved() -> None:
    group = Group(id="m1", size=3)
    calls = [
        a_call(key=f"c{n}", group=group, attempts=(an_attempt(1, start_ms=n, lasted_ms=500),))
        for n in range(3)
    ]

    assert [said.text for said in together(calls)] == ["Ran 3 at once: 502 ms instead of 1.50 s"]


def test_calls_one_after_the_other_say_nothing() -> None:
    group = Group(id="m1", size=2)
    calls = [a_call(key=f"c{n}", group=group, attempts=(an_attempt(1, start_ms=20 * n),)) for n in range(2)]

    assert together(calls) == ()


def test_a_call_stands_under_the_run_it_belongs_to() -> None:
    attempt = an_attempt(1, span_id="a1")
    spans = (a_span("r1", "", "run"), a_span("a1", "r1", "attempt"))
    found = view((a_call(attempts=(attempt,)),), spans)

    lines = lines_of(found, scale_of(found, NOON_NS), trace_id="t1", every_span=False)

    assert [(line.kind, line.depth) for line in lines] == [("run", 0), ("call", 1)]


def test_parents_that_go_round_in_circles_hide_nothing() -> None:
    spans = (a_span("x", "y", "step"), a_span("y", "x", "step"))
    found = view((), spans)

    lines = lines_of(found, scale_of(found, NOON_NS), trace_id="t1", every_span=True)

    assert sorted(line.label for line in lines) == ["invoke_agent x", "invoke_agent y"]


def test_every_fate_of_an_attempt_looks_different() -> None:
    fates = [
        an_attempt(),
        an_attempt(2),
        an_attempt(1, "tool_error"),
        an_attempt(1, "interrupted"),
        an_attempt(discarded=True),
        an_attempt(late=True),
        an_attempt(1, "running", lasted_ms=None),
    ]

    assert len({bar_kind(attempt) for attempt in fates}) == len(fates)


@given(INTERVALS)
def test_bars_stay_on_the_axis(pairs: list[tuple[int, int]]) -> None:
    attempts = tuple(
        an_attempt(n + 1, start_ms=start, lasted_ms=length) for n, (start, length) in enumerate(pairs)
    )
    found = view((a_call(attempts=attempts),))

    for line in lines_of(found, scale_of(found, NOON_NS), trace_id="t1", every_span=False):
        for bar in line.bars:
            assert 0 <= bar.x <= 100
            assert 0 < bar.width <= 100.001
            assert bar.x + bar.width <= 100.001
