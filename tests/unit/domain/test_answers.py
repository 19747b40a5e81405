"""Which answers stand, and what a call is when they come by other ways than from the tool."""

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.domain.kit import (
    ORIGIN,
    answered,
    call_of,
    codes,
    dispatched,
    ended,
    failed,
    requested,
    run_ended,
    shown,
    started,
)
from toolwatch_server.domain.call import Error
from toolwatch_server.domain.facts import Fact
from toolwatch_server.domain.verdict import verdict

PAUSED: tuple[Fact, ...] = (
    requested(),
    ended(outcome="interrupted", interrupt='"sure?"'),
    dispatched("a1", interrupt='"sure?"', state="discarded", step_outcome="interrupted"),
    run_ended("interrupted", 4),
)
OUTSIDE = replace(ORIGIN, framework="langgraph", node=None, run_id=None)


@pytest.mark.parametrize("status", ["success", "error"])
def test_a_tool_that_a_wrapper_did_not_wait_for_was_cancelled_whatever_the_wrapper_said(status: str) -> None:
    cancelled = ended(outcome="cancelled", error=Error(type="CancelledError"))
    call = call_of(requested(), cancelled, dispatched("a1"), answered(status=status, by="wrapper"))
    assert (call.outcome, call.failed, call.handled_by) == ("cancelled", True, "wrapper")


def test_a_tool_that_is_still_running_after_a_wrapper_answered_for_it_is_running() -> None:
    call = call_of(requested(), started(), dispatched("a1"), answered(status="error", by="wrapper"))
    assert call.outcome == "running"


def test_a_tool_that_ended_after_a_wrapper_had_answered_for_it_did_not_succeed() -> None:
    late = ended(lasted=9, late=True)
    call = call_of(requested(), late, dispatched("a1"), answered(status="success", by="wrapper"), after=20)
    assert (call.outcome, call.attempts[0].outcome) == ("cancelled", "ok")
    assert "its code ran on" in verdict(call)


def test_a_result_that_a_wrapper_turned_into_an_error_was_refused_by_it() -> None:
    call = call_of(requested(), ended(), dispatched("a1"), answered(status="error", by="wrapper"))
    assert (call.outcome, call.handled_by, call.executions) == ("invalid_result", "wrapper", 1)
    assert "not_delivered" in codes(call)


def test_a_wrapper_that_raised_before_the_tool_ran_is_no_failed_injection() -> None:
    error = Error(type="PermissionError", message="not today")
    raised = dispatched(error=error, state="discarded", raised_by_wrapper=True)
    call = call_of(requested(), raised, run_ended("crashed"))
    assert (call.outcome, call.executions, call.error) == ("unanswered", 0, error)


def test_a_person_who_answers_in_place_of_a_paused_tool_ends_the_pause() -> None:
    call = call_of(*PAUSED, answered(9, content="by hand", by="graph"), shown(8), after=20)
    assert (call.outcome, call.answer.content, call.told) == ("answered", "by hand", "by hand")
    assert (call.waited_ms, call.handled_by) == (6_000, None)
    assert "was paused and did not go on" in verdict(call)


def test_a_person_who_refuses_a_paused_tool_rejects_it() -> None:
    call = call_of(*PAUSED, answered(9, status="error", content="no", by="graph"), after=20)
    assert (call.outcome, call.failed) == ("rejected", False)
    assert "was refused while it was paused" in verdict(call)


def test_a_sibling_of_a_pause_waits_with_it_and_has_not_failed() -> None:
    call = call_of(
        requested(),
        ended(),
        dispatched("a1", state="discarded", step_outcome="interrupted"),
        answered(delivered=False),
        run_ended("interrupted"),
    )
    assert (call.outcome, call.failed, call.attempts[0].discarded) == ("interrupted", False, True)
    assert "it will run again" in verdict(call)


def test_waiting_for_a_person_who_refused_is_known() -> None:
    call = call_of(
        requested(), run_ended("interrupted", 2), answered(7, status="error", by="approval"), after=20
    )
    assert (call.outcome, call.waited_ms) == ("rejected", 5_000)


def test_an_answer_that_a_model_was_shown_is_an_answer_though_nobody_saw_it_written() -> None:
    call = call_of(requested(), shown(4, content="by hand", status="success"), run_ended())
    assert (call.outcome, call.answer.content, call.answer.delivered) == ("answered", "by hand", True)


def test_an_answer_that_was_delivered_and_then_thrown_away_with_its_step_is_no_answer() -> None:
    call = call_of(
        requested(),
        ended(),
        dispatched("a1"),
        answered(3),
        answered(5, delivered=False),
        run_ended("crashed", 5.5),
    )
    assert (call.outcome, call.attempts[0].discarded, call.answer.delivered) == ("discarded", True, False)
    assert {"not_delivered", "run_crashed"} <= codes(call)


def test_a_result_that_was_kept_for_the_next_run_reaches_the_model_after_all() -> None:
    call = call_of(
        requested(),
        ended(),
        dispatched("a1"),
        answered(3),
        answered(5, delivered=False),
        run_ended("crashed", 5.5),
        shown(9),
        after=20,
    )
    assert (call.outcome, call.answer.content, call.executions) == ("ok", "paid", 1)
    assert not call.attempts[0].discarded


def test_an_answer_found_in_the_state_again_does_not_change_when_it_came() -> None:
    call = call_of(
        requested(), ended(), dispatched("a1"), answered(3), shown(4), answered(9, by="graph"), after=20
    )
    assert call.answered_ns == answered(3).at_ns
    assert call.answer.by == "tool"


def test_a_tool_called_by_code_outside_any_graph_owes_nobody_a_message() -> None:
    by_hand = replace(ended(), origin=OUTSIDE)
    call = call_of(replace(requested(), origin=OUTSIDE), by_hand, after=60)
    assert call.outcome == "ok"


def test_a_request_outside_any_graph_that_nobody_was_seen_to_answer_does_not_blame_a_dead_process() -> None:
    assert call_of(replace(requested(), origin=OUTSIDE), after=60).outcome == "unanswered"


def test_a_request_whose_process_died_before_the_tool_began_does_not_claim_that_it_began() -> None:
    call = call_of(requested(), after=60)
    assert call.outcome == "abandoned"
    assert "no start of it was ever reported" in verdict(call)


def test_a_stream_that_was_left_before_the_tools_blames_no_sibling() -> None:
    call = call_of(requested(group_id="g", group_size=1), run_ended("cancelled"))
    assert call.outcome == "cancelled"
    assert "sibling" not in verdict(call)


def test_a_crash_before_a_lonely_call_blames_no_sibling() -> None:
    assert "sibling" not in verdict(call_of(requested(group_id="g", group_size=1), run_ended("crashed")))


def test_only_the_call_that_ended_the_run_is_blamed_for_it() -> None:
    error = Error(type="CancelledError")
    beside = call_of(
        requested(),
        ended(outcome="cancelled", error=error),
        dispatched("a1", error=error, state="discarded", step_outcome="error"),
        run_ended("crashed"),
    )
    (warning,) = [w for w in beside.warnings if w.code == "run_crashed"]
    assert warning.text == "An error elsewhere ended it."


def test_a_node_that_ran_tools_by_hand_and_paused_runs_them_again_on_resume() -> None:
    call = call_of(
        requested(),
        ended("a1", 1),
        run_ended("interrupted", 3),
        ended("a2", 9, trace="t2"),
        answered(11, by="tools"),
        after=20,
    )
    assert [a.cause for a in call.attempts] == ["first", "resume"]
    assert "executed_again_after_resume" in codes(call)


def test_how_an_earlier_run_ended_is_not_how_the_run_ended_that_resumed_the_call() -> None:
    call = call_of(*PAUSED, ended("a2", 9, trace="t2"), dispatched("a2", seconds=9), answered(11), after=20)
    assert (call.outcome, call.run_outcome) == ("ok", None)


def test_what_no_model_was_shown_is_not_said_to_have_been_told() -> None:
    unseen = call_of(requested(), ended(), dispatched("a1"), answered())
    assert "the model was told" not in verdict(unseen)
    assert "the answer was “paid”" in verdict(unseen)


def test_an_error_that_only_the_next_input_answered_was_handled_by_nobody() -> None:
    error = Error(type="TimeoutError", message="read timed out")
    call = call_of(
        requested(),
        failed(),
        dispatched("a1", error=error, state="discarded"),
        run_ended("crashed", 5),
        answered(9, status="error", content="sorry", by="graph"),
        after=20,
    )
    assert (call.outcome, call.handled_by) == ("tool_error", None)


ASKED: dict[str, Any] = {
    "interrupt": '"Pay 5?"',
    "state": "pending",
    "step_outcome": "interrupted",
    "taken_up": False,
}


def test_a_question_that_another_node_asks_is_no_take_up_of_the_call() -> None:
    asked = dispatched(seconds=1, **ASKED)
    waiting = call_of(requested(), asked, run_ended("interrupted", 3), after=20)
    assert (waiting.outcome, waiting.question, waiting.dispatched_ns) == ("interrupted", '"Pay 5?"', None)
    crashed = call_of(requested(), asked, run_ended("interrupted", 3), run_ended("crashed", 9), after=20)
    assert (crashed.outcome, crashed.question) == ("not_started", None)
