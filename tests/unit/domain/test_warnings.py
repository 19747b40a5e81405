"""Each warning that a call's own facts can raise: a story that raises it, and a close one that must not."""

from typing import Any, Final

import pytest

from tests.unit.domain.kit import (
    answered,
    call_of,
    codes,
    dispatched,
    ended,
    failed,
    requested,
    run_ended,
    started,
)
from toolwatch_server.domain.call import WARNINGS, Error, Problem, Redaction
from toolwatch_server.domain.facts import Fact
from toolwatch_server.domain.warnings import RULES

VALIDATION: Final = Error(type="ValidationError", message="1 validation error")
TIMEOUT: Final = Error(type="TimeoutError", message="read timed out")
PAUSED: Final[dict[str, Any]] = {"interrupt": "1", "state": "discarded", "step_outcome": "interrupted"}
DECIDED_ELSEWHERE: Final = {"repeated_call", "id_reused", "orphan_answer"}

RAISES: Final[dict[str, list[Fact]]] = {
    "executed_again_after_resume": [
        requested(),
        ended("a1", 1),
        dispatched("a1", seconds=1, state="discarded", step_outcome="interrupted"),
        ended("a2", 5, trace="t2", cause="resume"),
    ],
    "executed_again_after_retry": [requested(), failed("a1", 1), ended("a2", 3, cause="wrapper_retry")],
    "secret_reached_model": [
        requested(),
        failed(),
        dispatched("a1", redactions=(Redaction(where="answer", rule="url-password"),)),
        answered(status="error", content="postgres://app:[url-password]@db"),
    ],
    "error_masked": [requested(), failed(), dispatched("a1"), answered(status="error", content="Try later.")],
    "not_delivered": [requested(), ended(), dispatched("a1", state="discarded"), run_ended("crashed")],
    "run_crashed": [
        requested(),
        failed(),
        dispatched("a1", error=TIMEOUT, state="discarded"),
        run_ended("crashed"),
    ],
    "step_limit": [requested(), ended(), dispatched("a1"), answered(), run_ended("step_limit")],
    "still_running_after_run": [requested(), ended("a1", 1, 30), run_ended("cancelled", 5)],
    "inner_validation_error": [requested(), ended(outcome="tool_error", body_ran=True, error=VALIDATION)],
    "handler_did_not_match": [
        requested(),
        failed(),
        dispatched("a1", handler_did_not_match=True, error=TIMEOUT),
    ],
    "output_cut": [requested(finish_reason="length")],
    "arguments_repaired": [requested(repaired=True), ended()],
    "double_encoded_arguments": [
        requested(arguments='{"tasks": "[1, 2]", "note": "[not for a list]"}'),
        ended(
            outcome="invalid_args",
            body_ran=False,
            problems=(Problem(field="tasks", reason="list_type", expected="list", received="str"),),
        ),
    ],
    "id_missing": [requested(tool_call_id="")],
    "content_not_captured": [requested(), ended(content_captured=False)],
    "clock_skew": [requested(10), ended("a1", 1)],
}

MUST_NOT: Final[dict[str, list[Fact]]] = {
    "executed_again_after_resume": [
        requested(),
        ended("a1", 1, outcome="interrupted", interrupt="1"),
        dispatched("a1", seconds=1, **PAUSED),
        ended("a2", 5, trace="t2", cause="resume"),
    ],
    "executed_again_after_retry": [
        requested(),
        ended("a1", 1, outcome="invalid_args", body_ran=False, error=VALIDATION),
        ended("a2", 3, cause="wrapper_retry"),
    ],
    "secret_reached_model": [
        requested(),
        failed(redactions=(Redaction(where="error", rule="url-password"),)),
        dispatched("a1"),
        answered(status="error", content="Try later."),
    ],
    "error_masked": [
        requested(),
        failed(),
        dispatched("a1"),
        answered(status="error", content="Error: TimeoutError('read timed out')"),
    ],
    "not_delivered": [requested(), ended(), dispatched("a1"), answered()],
    "run_crashed": [requested(), ended(), dispatched("a1"), answered(), run_ended("crashed")],
    "step_limit": [requested(), ended(), dispatched("a1"), answered(), run_ended("ok")],
    "still_running_after_run": [requested(), ended("a1", 1, 1), run_ended("ok", 5)],
    "inner_validation_error": [requested(), ended(outcome="invalid_args", body_ran=False, error=VALIDATION)],
    "handler_did_not_match": [requested(), failed(), dispatched("a1", error=TIMEOUT)],
    "output_cut": [requested(finish_reason="tool_calls", output_tokens=10, max_tokens=100)],
    "arguments_repaired": [requested(raw='{"amount":5}'), ended()],
    "double_encoded_arguments": [requested(arguments='{"note": "[really a text]"}'), ended()],
    "id_missing": [requested(), ended()],
    "content_not_captured": [requested(), ended()],
    "clock_skew": [requested(), started(), ended()],
}


@pytest.mark.parametrize("code", RAISES)
def test_a_warning_is_raised_where_it_is_true(code: str) -> None:
    assert code in codes(call_of(*RAISES[code]))


@pytest.mark.parametrize("code", MUST_NOT)
def test_a_warning_is_silent_where_it_is_not(code: str) -> None:
    assert code not in codes(call_of(*MUST_NOT[code]))


def test_every_warning_of_the_closed_list_has_its_rule_and_both_stories() -> None:
    ours = set(WARNINGS) - DECIDED_ELSEWHERE
    assert {code for code, _ in RULES} == ours == set(RAISES) == set(MUST_NOT)


def test_output_tokens_at_the_maximum_are_told_with_both_numbers() -> None:
    call = call_of(requested(finish_reason="tool_calls", output_tokens=64, max_tokens=64))
    assert "64 of 64" in next(w.text for w in call.warnings if w.code == "output_cut")
