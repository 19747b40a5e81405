"""What made a trace as long as it is."""

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.pages.samples import MS, NOON_NS, a_row, a_timeline
from toolwatch_server.pages.critical import critical_path
from toolwatch_server.pages.timeline import scale_of, tree_of


def shares(*ran: tuple[str, int, int]) -> list[tuple[str, float]]:
    """Of calls that ran: (tool, start, length), in milliseconds."""
    view = a_timeline(*((a_row(tool, tool=tool), start, lasted) for tool, start, lasted in ran))
    scale = scale_of(view, NOON_NS)
    path = critical_path(tree_of(view, scale, every_span=False), scale.start_ns, scale.end_ns)
    return [(label, ns / MS) for label, ns in path.shares]


def test_of_calls_at_once_only_the_slowest_counts() -> None:
    assert shares(("quick", 0, 50), ("slow", 0, 400)) == [("slow", 400)]


def test_calls_one_after_the_other_all_count() -> None:
    assert shares(("a", 0, 100), ("b", 150, 300)) == [("b", 300), ("a", 100)]


def test_what_was_overtaken_does_not_count() -> None:
    assert shares(("a", 0, 100), ("overtaken", 50, 100), ("b", 120, 300)) == [("b", 300), ("a", 100)]


@given(st.lists(st.tuples(st.integers(0, 1_000), st.integers(0, 300)), min_size=1, max_size=30))
def test_no_moment_is_counted_twice(pairs: list[tuple[int, int]]) -> None:
    first = min(start for start, _ in pairs)
    last = max(start + lasted for start, lasted in pairs)

    found = shares(*((f"t{n}", start, lasted) for n, (start, lasted) in enumerate(pairs)))

    assert sum(ms for _, ms in found) <= last - first
