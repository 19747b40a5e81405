"""What differs between two calls, and what does not."""

from dataclasses import replace
from typing import Any

from tests.unit.pages.samples import NO_ARGUMENTS, TIMEOUT, a_call, a_row, a_timeline, an_answer, an_attempt
from toolwatch_server.domain.call import Call
from toolwatch_server.pages.shape_compare import compare_calls, compare_traces


def a_payment(amount: float, **said: Any) -> Call:
    arguments = replace(NO_ARGUMENTS, value={"amount": amount, "card": "gold"})
    return a_call(attempts=(an_attempt(),), arguments=arguments, **said)


def differing(a: Call, b: Call) -> set[str]:
    return {pair.label for pair in compare_calls(a, b).pairs if pair.differs}


def test_a_call_does_not_differ_from_itself() -> None:
    assert differing(a_payment(1), a_payment(1)) == set()


def test_what_differs_is_marked_field_by_field() -> None:
    failed = a_payment(2, outcome="tool_error", error=TIMEOUT, answer=an_answer("no", "error"))

    assert differing(a_payment(1, answer=an_answer("paid")), failed) == {
        "Outcome",
        "Argument amount",
        "Raised",
        "The model was told",
    }


def test_a_field_that_only_one_has_is_marked() -> None:
    with_note = replace(NO_ARGUMENTS, value={"note": ""})

    assert differing(a_call(arguments=with_note), a_call(arguments=replace(NO_ARGUMENTS, value={}))) == {
        "Argument note"
    }


def test_durations_differ_when_one_would_notice() -> None:
    assert "Took" not in differing(a_payment(1, duration_ms=500.0), a_payment(1, duration_ms=540.0))
    assert "Took" in differing(a_payment(1, duration_ms=500.0), a_payment(1, duration_ms=900.0))


def test_traces_are_compared_place_by_place_to_the_end_of_the_longer() -> None:
    a = a_timeline((a_row("a1"), 0, 10), (a_row("a2"), 20, 10))
    b = a_timeline((a_row("b1"), 0, 10))

    page = compare_traces(a, b, "ta", "tb")

    assert [(line.differs, line.a_href, line.b_href) for line in page.lines] == [
        (False, "/calls/a1", "/calls/b1"),
        (True, "/calls/a2", None),
    ]
