"""Where bars lie in a Chrome trace: apart, or one inside the other."""

from hypothesis import given
from hypothesis import strategies as st

from toolwatch_server.domain.export_perfetto import Lanes
from toolwatch_server.domain.span import Span


def a_span(number: int, start: int, end: int, parent: str = "") -> Span:
    return Span(
        trace_id="t", span_id=str(number), parent_span_id=parent, name="n", kind=1,
        start_ns=start, end_ns=end, status_code=0, status_message="", attributes={},
    )  # fmt: skip


def test_a_child_lies_in_the_row_of_its_parent() -> None:
    lanes = Lanes()

    assert [lanes.place(a_span(1, 0, 10)), lanes.place(a_span(2, 1, 5, "1"))] == [0, 0]


def test_siblings_at_once_lie_in_rows_of_their_own() -> None:
    lanes = Lanes()
    spans = [a_span(1, 0, 10), a_span(2, 1, 5, "1"), a_span(3, 2, 6, "1"), a_span(4, 7, 8, "1")]

    assert [lanes.place(span) for span in spans] == [0, 0, 1, 0]


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(0, 20)), max_size=40))
def test_no_two_bars_of_a_row_ever_overlap_halfway(drawn: list[tuple[int, int, int]]) -> None:
    lanes, rows = Lanes(), list[tuple[int, int, int]]()
    for number, (start, length, parent) in enumerate(sorted(drawn)):
        row = lanes.place(a_span(number, start, start + length, str(parent)))
        for other, from_, to in rows:
            apart = to <= start or start + length <= from_
            inside = from_ <= start and start + length <= to
            assert other != row or apart or inside
        rows.append((row, start, start + length))
