"""The seven steps tell the truth about each outcome."""

import pytest

from tests.unit.pages.samples import TIMEOUT, a_call, an_answer, an_attempt
from toolwatch_server.domain.call import OUTCOMES, Call
from toolwatch_server.pages.steps import steps_of

ANSWER = an_answer("no", "error")


def states(call: Call) -> dict[str, str]:
    return {step.name: step.state for step in steps_of(call)}


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_there_are_always_seven(outcome: str) -> None:
    assert len(steps_of(a_call(outcome))) == 7


def test_a_good_call_went_all_the_way() -> None:
    call = a_call("ok", attempts=(an_attempt(),), answer=an_answer("paid"))

    assert set(states(call).values()) == {"done", "skipped"}
    assert states(call)["Error handling"] == "skipped"


def test_arguments_that_failed_stop_before_the_tool() -> None:
    call = a_call("invalid_args", handled_by="toolnode", answer=ANSWER, error=TIMEOUT)

    assert (states(call)["Validated"], states(call)["Executed"]) == ("failed", "skipped")
    assert states(call)["Error handling"] == "done"


def test_an_error_that_nobody_handled_leaves_no_answer() -> None:
    call = a_call("tool_error", attempts=(an_attempt(1, "tool_error"),), error=TIMEOUT, run_outcome="crashed")

    assert [states(call)[name] for name in ("Executed", "Error handling", "Answer", "Delivered")] == [
        "failed",
        "failed",
        "missing",
        "missing",
    ]


def test_a_pause_is_not_a_failure() -> None:
    call = a_call("interrupted", attempts=(an_attempt(1, "interrupted"),))

    assert "failed" not in states(call).values()
    assert states(call)["Executed"] == "waiting"


def test_an_abandoned_call_is_not_said_to_have_failed() -> None:
    call = a_call("abandoned", attempts=(an_attempt(1, "abandoned", lasted_ms=None),))

    assert states(call)["Executed"] == "unknown"
