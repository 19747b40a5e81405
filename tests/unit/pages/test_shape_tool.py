"""A tool before and after a moment."""

from dataclasses import replace

from toolwatch_server.pages.shape_tool import change_of, nothing_of

BEFORE = replace(
    nothing_of("pay", 0),
    calls=100,
    failed=2,
    p50_ms=50.0,
    p95_ms=900.0,
    outcomes=(("ok", 98), ("tool_error", 2)),
)


def marked(after_ms: float, failed: int) -> set[str]:
    outcomes = (("ok", 100 - failed), ("tool_error", failed))
    after = replace(BEFORE, p95_ms=after_ms, failed=failed, outcomes=outcomes)
    return {name for name, _, _, differs in change_of(BEFORE, after) if differs}


def test_what_changed_by_a_tenth_is_marked_and_the_rest_is_not() -> None:
    assert marked(910.0, 2) == set()
    assert marked(400.0, 2) == {"p95"}
    assert marked(900.0, 30) == {"Failed"}


def test_a_side_without_calls_marks_no_figure_but_its_number_of_calls() -> None:
    assert {name for name, _, _, differs in change_of(BEFORE, None) if differs} == {"Calls"}
