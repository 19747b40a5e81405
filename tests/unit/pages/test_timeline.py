"""What ran when, and what ran at once."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.pages.samples import MS, NOON_NS, a_row, a_span, a_timeline, an_attempt
from toolwatch_server.domain.rows import TimelineView
from toolwatch_server.pages.bars import Scale, bar_kind, bars_of
from toolwatch_server.pages.concurrency import Stretch, covered_ns, lanes, together
from toolwatch_server.pages.outline import Shown, outline
from toolwatch_server.pages.timeline import scale_of, tree_of
from toolwatch_server.pages.trace_map import attempts_of, trails_of

INTERVALS = st.lists(st.tuples(st.integers(0, 1_000), st.integers(0, 300)), max_size=40)


def stretches(pairs: list[tuple[int, int]]) -> list[Stretch[int]]:
    return [Stretch(start_ns=start, end_ns=start + length, of=n) for n, (start, length) in enumerate(pairs)]


def lines_of(view: TimelineView, *, every_span: bool = False) -> tuple[Shown, ...]:
    return outline(tree_of(view, scale_of(view, NOON_NS), every_span=every_span)).lines


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
    view = a_timeline(*((a_row(f"c{n}", group_id="m1"), n, 500) for n in range(3)))

    found = together(attempts_of(view, scale_of(view, NOON_NS)))

    assert [said.text for said in found] == ["Ran 3 at once: 502 ms instead of 1.50 s"]


def test_calls_one_after_the_other_say_nothing() -> None:
    view = a_timeline(*((a_row(f"c{n}", group_id="m1"), 20 * n, 10) for n in range(2)))

    assert together(attempts_of(view, scale_of(view, NOON_NS))) == ()


def test_a_call_stands_under_the_run_it_belongs_to() -> None:
    spans = (a_span("r1", "", "run"), a_span("s-c1", "r1", "attempt"))

    lines = lines_of(a_timeline((a_row(), 0, 10), spans=spans))

    assert [(line.item.kind, line.depth) for line in lines] == [("run", 0), ("call", 1)]


def test_a_call_of_a_nested_agent_stands_in_that_agent() -> None:
    spans = (
        a_span("r1", "", "run"),
        a_span("s-research", "r1", "attempt", 5, 90),
        a_span("r2", "s-research", "run", 10, 80),
        a_span("s-search", "r2", "attempt", 20, 50),
    )
    ran = ((a_row("research"), 5, 90), (a_row("search", parent_key="research"), 20, 50))

    lines = lines_of(a_timeline(*ran, spans=spans))

    assert [(line.item.id, line.depth) for line in lines] == [
        ("r1", 0), ("research", 1), ("r2", 2), ("search", 3),
    ]  # fmt: skip


def test_parents_that_go_round_in_circles_hide_nothing() -> None:
    lines = lines_of(a_timeline(spans=(a_span("x", "y", "step"), a_span("y", "x", "step"))), every_span=True)

    assert sorted(line.item.id for line in lines) == ["x", "y"]


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


@given(INTERVALS.filter(bool))
def test_bars_stay_on_the_axis(pairs: list[tuple[int, int]]) -> None:
    attempts = [
        an_attempt(n + 1, start_ms=start, lasted_ms=length) for n, (start, length) in enumerate(pairs)
    ]
    last = max(start + length for start, length in pairs)

    for bar in bars_of(attempts, Scale(NOON_NS, NOON_NS + last * MS)):
        assert 0 <= bar.x <= 100
        assert 0 < bar.width <= 100.001
        assert bar.x + bar.width <= 100.001


def test_thousands_of_attempts_are_a_handful_of_paths() -> None:
    ran = [
        (a_row(f"c{n}", failed=n % 9 == 0, outcome="tool_error" if n % 9 == 0 else "ok"), n % 700, 40)
        for n in range(5_000)
    ]
    view = a_timeline(*ran)
    scale = scale_of(view, NOON_NS)

    trails, height = trails_of(attempts_of(view, scale), scale)

    assert [trail.kind for trail in trails] == ["failed", "ok"]
    assert sum(trail.path.count("M") for trail in trails) == 5_000
    assert height <= 221
