"""Attempts on one axis."""

from tests.unit.pages.samples import a_call, an_attempt
from toolwatch_server.pages.shape_attempts import attempts_of


def test_attempts_that_ran_at_once_name_one_another_and_for_how_long() -> None:
    view = attempts_of(a_call("ok", attempts=(an_attempt(1, lasted_ms=50), an_attempt(2, start_ms=20))))

    assert view is not None
    assert [attempt.overlaps for attempt in view.attempts] == ["#2", "#1"]
    assert view.note == "Two ran at once for 30 ms."


def test_attempts_one_after_the_other_overlap_with_none() -> None:
    view = attempts_of(a_call("ok", attempts=(an_attempt(1, lasted_ms=10), an_attempt(2, start_ms=30))))

    assert view is not None
    assert [(a.overlaps, a.bar.x, a.bar.width) for a in view.attempts] == [("", 0.0, 25.0), ("", 75.0, 25.0)]
    assert view.note is None


def test_one_plain_attempt_needs_no_table_but_one_that_asked_a_person_does() -> None:
    assert attempts_of(a_call("ok", attempts=(an_attempt(),))) is None
    assert attempts_of(a_call("ok")) is None
    asked = an_attempt(1, "interrupted", interrupt='"Pay?"')
    assert attempts_of(a_call("interrupted", attempts=(asked,))) is not None
