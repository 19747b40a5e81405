"""Every outcome of the closed list, from the facts that make it true."""

from tests.unit.domain.kit import (
    answered,
    call_of,
    dispatched,
    ended,
    failed,
    requested,
    run_ended,
    shown,
    started,
)
from toolwatch_server.domain.call import FAILED, OUTCOMES, Error

LONG_AFTER = 60


def test_a_tool_that_ran_and_answered_is_ok() -> None:
    call = call_of(requested(), ended(), dispatched("a1"), answered(), shown(), run_ended())
    assert (call.outcome, call.failed, call.handled_by, call.executions) == ("ok", False, None, 1)
    assert call.answer.delivered is True


def test_an_error_that_the_node_turned_into_a_message_is_still_an_error() -> None:
    call = call_of(
        requested(),
        failed(),
        dispatched("a1", handled_by="toolnode"),
        answered(status="error", content="Error"),
    )
    assert (call.outcome, call.failed, call.handled_by) == ("tool_error", True, "toolnode")
    assert call.error == Error(type="TimeoutError", message="read timed out")


def test_an_error_message_that_the_tool_returned_itself_is_an_error() -> None:
    refused = ended(outcome="tool_error")
    call = call_of(
        requested(),
        refused,
        dispatched("a1", handled_by="tool"),
        answered(status="error", content="no"),
    )
    assert (call.outcome, call.handled_by, call.error) == ("tool_error", "tool", None)


def test_an_error_that_nobody_handled_has_no_handler() -> None:
    error = Error(type="TimeoutError", message="read timed out")
    call = call_of(
        requested(), failed(), dispatched("a1", error=error, state="discarded"), run_ended("crashed")
    )
    assert (call.outcome, call.handled_by) == ("tool_error", None)


def test_arguments_that_failed_validation_never_ran() -> None:
    refused = ended(
        outcome="invalid_args", body_ran=False, error=Error(type="ValidationError", message="city")
    )
    call = call_of(
        requested(),
        refused,
        dispatched("a1", handled_by="toolnode"),
        answered(status="error", content="city"),
    )
    assert (call.outcome, call.executions, call.handled_by) == ("invalid_args", 0, "toolnode")


def test_a_failed_injection_is_not_the_tools_fault() -> None:
    error = Error(type="ValueError", message="no store")
    call = call_of(requested(), dispatched(error=error, state="discarded"), run_ended("crashed"))
    assert (call.outcome, call.executions, call.error) == ("inject_error", 0, error)


def test_a_result_that_the_node_refused_is_an_invalid_result() -> None:
    error = Error(type="TypeError", message="not a message")
    call = call_of(
        requested(), ended(), dispatched("a1", error=error, state="discarded"), run_ended("crashed")
    )
    assert (call.outcome, call.executions, call.error) == ("invalid_result", 1, error)


def test_a_tool_that_does_not_exist_is_unknown() -> None:
    call = call_of(
        requested(), dispatched(unknown_tool=True), answered(status="error", content="not a valid tool")
    )
    assert (call.outcome, call.executions) == ("unknown_tool", 0)


def test_arguments_that_are_not_json_are_malformed_and_kept_as_written() -> None:
    call = call_of(requested(kind="malformed", arguments='{"city": "Par'), run_ended())
    assert (call.outcome, call.arguments.raw, call.arguments.value) == ("malformed", '{"city": "Par', None)


def test_a_pause_is_neither_error_nor_failure() -> None:
    call = call_of(
        requested(),
        ended(outcome="interrupted", interrupt='"sure?"'),
        dispatched("a1", interrupt='"sure?"', state="discarded", step_outcome="interrupted"),
        run_ended("interrupted"),
        after=LONG_AFTER,
    )
    assert (call.outcome, call.failed, call.error, call.waited_ms) == ("interrupted", False, None, None)


def test_a_pause_before_the_tool_was_reached_is_a_pause() -> None:
    assert call_of(requested(), run_ended("interrupted"), after=LONG_AFTER).outcome == "interrupted"


def test_a_resume_joins_both_traces_and_counts_the_waiting_apart() -> None:
    call = call_of(
        requested(),
        ended("a1", 1, 1, outcome="interrupted", interrupt='"sure?"'),
        dispatched("a1", seconds=1, interrupt='"sure?"', state="discarded", step_outcome="interrupted"),
        run_ended("interrupted", 3),
        ended("a2", 12, 1, trace="t2", cause="rerun"),
        dispatched("a2", seconds=12),
        answered(13.5),
        run_ended("ok", 14, trace="t2"),
        after=20,
    )
    assert (call.outcome, call.executions, [a.cause for a in call.attempts]) == ("ok", 2, ["first", "resume"])
    assert (call.waited_ms, call.duration_ms) == (10_000, 2_000)
    assert call.trace_ids == ("t1", "t2")


def test_a_cancelled_call_is_neither_error_nor_running() -> None:
    error = Error(type="CancelledError")
    call = call_of(
        requested(),
        ended(outcome="cancelled", error=error),
        dispatched("a1", error=error, state="discarded"),
        run_ended("cancelled"),
    )
    assert (call.outcome, call.failed) == ("cancelled", True)


def test_a_result_thrown_away_with_a_failed_sibling_is_discarded() -> None:
    call = call_of(requested(), ended(), dispatched("a1", state="discarded"), run_ended("crashed"))
    assert (call.outcome, call.executions, call.attempts[0].discarded) == ("discarded", 1, True)


def test_a_call_whose_sibling_failed_first_never_started() -> None:
    assert call_of(requested(), run_ended("crashed")).outcome == "not_started"


def test_an_answer_without_a_run_of_the_tool_is_answered() -> None:
    call = call_of(requested(), dispatched(), answered(by="wrapper"))
    assert (call.outcome, call.executions) == ("answered", 0)


def test_a_refusal_by_a_person_is_rejected_and_no_failure() -> None:
    call = call_of(requested(), answered(status="error", content="no way", by="approval"), run_ended())
    assert (call.outcome, call.failed, call.executions) == ("rejected", False, 0)


def test_a_call_that_no_message_answered_is_unanswered() -> None:
    assert call_of(requested(), ended(), run_ended()).outcome == "unanswered"


def test_a_started_call_is_running_while_its_process_lives() -> None:
    call = call_of(
        requested(), started(), after=LONG_AFTER, last_seen_ns=call_of(requested(), after=58).last_seen_ns
    )
    assert call.outcome == "abandoned"
    alive = call_of(requested(), started(), after=10)
    assert (alive.outcome, alive.attempts[0].outcome, alive.ended_ns) == ("running", "running", None)


def test_a_started_call_of_a_dead_process_is_abandoned_never_ok_never_error() -> None:
    call = call_of(requested(), started(), after=LONG_AFTER)
    assert (call.outcome, call.failed, call.error) == ("abandoned", True, None)
    assert call.attempts[0].outcome == "abandoned"


def test_a_second_attempt_under_way_outweighs_the_end_of_the_first() -> None:
    call = call_of(
        requested(),
        ended("a1", 1, outcome="interrupted", interrupt="1"),
        dispatched("a1", seconds=1, interrupt="1", state="discarded", step_outcome="interrupted"),
        run_ended("interrupted", 3),
        started("a2", 5, trace="t2", cause="resume"),
        after=6,
    )
    assert call.outcome == "running"


def test_a_call_that_the_provider_ran_is_external() -> None:
    assert call_of(requested(kind="provider")).outcome == "external"


def test_a_wrapper_that_claims_success_does_not_hide_that_the_tool_failed() -> None:
    call = call_of(requested(), failed(), dispatched("a1"), answered(content="fallback", by="wrapper"))
    assert (call.outcome, call.failed, call.handled_by) == ("tool_error", True, "wrapper")


def test_an_error_that_another_node_answered_names_that_node() -> None:
    error = Error(type="TimeoutError", message="read timed out")
    call = call_of(
        requested(),
        failed(),
        dispatched("a1", error=error, state="discarded"),
        answered(4, status="error", content="sorry", by="on_error"),
    )
    assert (call.outcome, call.handled_by) == ("tool_error", "on_error")


def test_every_outcome_that_counts_as_failed_is_in_the_closed_list() -> None:
    assert set(OUTCOMES) >= FAILED
