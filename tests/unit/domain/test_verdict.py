"""The sentence that a tired person reads first."""

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.pages.samples import (
    NO_ARGUMENTS,
    TIMEOUT,
    a_call,
    a_warning,
    an_answer,
    an_attempt,
)
from toolwatch_server.domain.call import OUTCOMES, Call, Error, Problem, Redaction
from toolwatch_server.domain.verdict import verdict

RAN = (an_attempt(),)
FAILED_THRICE = tuple(an_attempt(n, "tool_error") for n in (1, 2, 3))
WRONG = replace(NO_ARGUMENTS, problems=(Problem(field="amount", reason="Field required"),))
UNAVAILABLE = an_answer("Payment service unavailable", "error")

SENTENCES: tuple[tuple[Call, str], ...] = (
    (
        a_call("ok", attempts=RAN, answer=an_answer("paid")),
        "charge_card succeeded; the model was told “paid”; the tool ran once.",
    ),
    (
        a_call("ok", attempts=(an_attempt(1, "tool_error"), an_attempt(2)), answer=an_answer("paid")),
        "charge_card succeeded on attempt 2 after TimeoutError once; the model was told “paid”; "
        "the tool ran twice.",
    ),
    (
        a_call("ok", attempts=(an_attempt(1, discarded=True), an_attempt(2, cause="node_retry"))),
        "charge_card succeeded, but an earlier result was thrown away and it ran again; the tool ran twice.",
    ),
    (
        a_call("ok", attempts=(an_attempt(1, "interrupted"), an_attempt(2, cause="resume"))),
        "charge_card succeeded after a person answered; the tool ran twice.",
    ),
    (
        a_call("tool_error", attempts=FAILED_THRICE, error=TIMEOUT, answer=UNAVAILABLE),
        "charge_card raised TimeoutError on all 3 attempts; the model was told "
        "“Payment service unavailable”; the tool ran 3 times.",
    ),
    (
        a_call("tool_error", attempts=(an_attempt(1, "tool_error"),), error=TIMEOUT, run_outcome="crashed"),
        "charge_card raised TimeoutError; nobody handled it, and the run crashed; the tool ran once.",
    ),
    (
        a_call("tool_error", attempts=RAN, answer=an_answer("no such card", "error")),
        "charge_card answered with an error of its own; the model was told “no such card”; "
        "the tool ran once.",
    ),
    (
        a_call("invalid_args", arguments=WRONG, answer=an_answer("amount: Field required", "error")),
        "The arguments for charge_card failed validation (amount: Field required); the model was told so; "
        "the tool never ran.",
    ),
    (
        a_call("inject_error", error=Error(type="KeyError")),
        "charge_card could not be given its state, store or runtime (KeyError); the tool never ran.",
    ),
    (
        a_call("invalid_result", attempts=RAN, error=Error(type="TypeError")),
        "charge_card finished, but what it returned was refused (TypeError); the tool ran once.",
    ),
    (
        a_call("unknown_tool"),
        "The model asked for charge_card, and there is no such tool; the tool never ran.",
    ),
    (
        a_call(
            "malformed",
            arguments=replace(
                NO_ARGUMENTS, problems=(Problem(field="", reason="not JSON: line 1 column 44"),)
            ),
        ),
        "The arguments the model wrote for charge_card are not JSON (line 1 column 44); the tool never ran.",
    ),
    (a_call("malformed"), "The arguments the model wrote for charge_card are not JSON; the tool never ran."),
    (
        a_call("interrupted", attempts=(an_attempt(1, "interrupted", interrupt='{"question": "Pay 5?"}'),)),
        "charge_card is paused and waits for a person: “Pay 5?”; its code has run once, up to the question.",
    ),
    (
        a_call("cancelled", attempts=(an_attempt(1, "cancelled"),)),
        "charge_card was cancelled while it ran; the model was told nothing; what it had done by then is "
        "done; the tool ran once.",
    ),
    (
        a_call("discarded", attempts=RAN),
        "charge_card finished, but its result was thrown away because a sibling failed; "
        "the model was told nothing; the tool ran once.",
    ),
    (
        a_call("not_started", run_outcome="crashed"),
        "charge_card was due, but a sibling's failure came first; the run crashed before the model was told "
        "anything; the tool never ran.",
    ),
    (a_call("not_started"), "charge_card was due, but a sibling's failure came first; the tool never ran."),
    (
        a_call("answered", answer=an_answer("cached", by="cache")),
        "No run of charge_card was seen: cache answered in its place; the model was told “cached”.",
    ),
    (
        a_call("rejected", answer=an_answer("no", "error", by="approval")),
        "charge_card was refused by approval before it could run; the model was told “no”; "
        "the tool never ran.",
    ),
    (
        a_call("unanswered"),
        "No answer to charge_card ever came back; the tool never ran; "
        "the next request of this conversation may be refused for it.",
    ),
    (
        a_call("running", attempts=(an_attempt(1, "running", lasted_ms=None),)),
        "charge_card is running now; the tool ran once so far.",
    ),
    (
        a_call("abandoned", attempts=(an_attempt(1, "abandoned", lasted_ms=None),)),
        "charge_card started, and then its process was gone; whether it finished is not known; "
        "its side effects may have happened.",
    ),
    (a_call("external"), "charge_card was run by the model's provider, out of sight."),
    (a_call("unknown"), "What became of charge_card is not known: the sender's data do not say."),
)


@pytest.mark.parametrize(("call", "sentence"), SENTENCES, ids=lambda value: getattr(value, "outcome", ""))
def test_the_verdict_says_what_happened(call: Call, sentence: str) -> None:
    assert verdict(call) == sentence


def test_every_outcome_has_its_sentence() -> None:
    assert {call.outcome for call, _ in SENTENCES} == set(OUTCOMES)


@pytest.mark.parametrize(
    ("code", "danger"),
    [
        ("executed_again_after_retry", "its side effects may have happened twice"),
        ("executed_again_after_resume", "its side effects may have happened twice"),
        ("secret_reached_model", "a secret was in what the model was told"),
        ("inner_validation_error", "came from inside the tool"),
        ("output_cut", "the model's output had been cut off"),
        ("arguments_repaired", "arguments that were cut off and then completed"),
        ("still_running_after_run", "still running when its run had ended"),
        ("step_limit", "the run stopped at its step limit"),
    ],
)
def test_what_is_dangerous_about_a_call_is_in_the_sentence(code: str, danger: str) -> None:
    call = a_call("ok", attempts=(an_attempt(), an_attempt(2)), warnings=(a_warning(code),))

    assert danger in verdict(call)


def test_the_kind_of_secret_is_named() -> None:
    call = a_call(
        "ok",
        attempts=RAN,
        warnings=(a_warning("secret_reached_model"),),
        redactions=(
            Redaction(where="answer", rule="api-key"),
            Redaction(where="arguments", rule="dsn-password"),
        ),
    )

    assert "a secret was in what the model was told (api key)" in verdict(call)


def test_an_answer_that_was_thrown_away_was_not_told() -> None:
    call = a_call("ok", attempts=RAN, answer=an_answer("paid", delivered=False))

    assert "its answer never reached the model" in verdict(call)


@pytest.mark.parametrize("text", ["x" * 5_000, "a\nb\t c\n" * 900, "\x00\u202e<script>"])
def test_the_sentence_stays_a_sentence_whatever_the_model_was_told(text: str) -> None:
    sentence = verdict(a_call("tool_error", error=TIMEOUT, answer=an_answer(text, "error")))

    assert len(sentence) < 250
    assert "\n" not in sentence


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_a_call_without_a_name_has_a_verdict_too(outcome: str) -> None:
    said: dict[str, Any] = {"tool": None, "tool_call_id": None}

    assert verdict(a_call(outcome, **said))[0].isupper()
