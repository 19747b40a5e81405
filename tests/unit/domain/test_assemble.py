"""The order in which facts come, and how often, changes nothing."""

import random
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

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
from toolwatch_server.domain.call import Error
from toolwatch_server.domain.facts import Fact

STORY: list[Fact] = [
    requested(),
    started("a1", 1),
    failed("a1", 1),
    dispatched("a1", seconds=1, error=Error(type="TimeoutError"), state="discarded", step_outcome="error"),
    started("a2", 4, cause="node_retry"),
    ended("a2", 4, cause="node_retry", result="paid"),
    dispatched("a2", seconds=4, cause="node_retry"),
    answered(6, content=None, same_as_result=True),
    shown(7),
    run_ended("ok", 8),
]


@given(seed=st.integers(0, 10_000), copies=st.integers(1, 3))
def test_any_order_and_any_repetition_of_the_facts_give_the_same_call(seed: int, copies: int) -> None:
    mixed = STORY * copies
    random.Random(seed).shuffle(mixed)
    assert call_of(*mixed, after=10) == call_of(*STORY, after=10)


def test_a_retry_is_a_numbered_attempt_of_the_same_call() -> None:
    call = call_of(*STORY, after=10)
    assert [(a.number, a.cause, a.outcome) for a in call.attempts] == [
        (1, "first", "tool_error"),
        (2, "node_retry", "ok"),
    ]
    assert (call.outcome, call.executions, call.told, call.answer.content) == ("ok", 2, "paid", "paid")


def test_the_end_of_an_attempt_is_completed_by_what_its_start_said() -> None:
    call = call_of(started(arguments='{"amount": 5}', thread_name="pool-1"), ended(arguments=None))
    assert (call.attempts[0].thread_name, call.arguments.value) == ("pool-1", {"amount": 5})


def test_what_the_tool_received_is_told_only_where_it_differs_from_what_the_model_wrote() -> None:
    same = call_of(requested(), ended(arguments='{"amount":5}'))
    capped = call_of(requested(), ended(arguments='{"amount": 1}'))
    assert (same.arguments.received, capped.arguments.received) == (None, {"amount": 1})


def test_an_empty_id_stays_empty() -> None:
    assert call_of(requested(tool_call_id="")).tool_call_id == ""


def test_an_end_without_a_start_is_a_whole_attempt() -> None:
    call = call_of(ended())
    assert (call.outcome, call.duration_ms, call.requested_ns) == ("ok", 1_000, None)


def test_a_sender_that_reports_no_answers_is_not_accused_of_missing_ones() -> None:
    plain = ended()
    call = call_of(replace(plain, origin=replace(plain.origin, tracked=False)), after=100)
    assert (call.outcome, call.answer.delivered, call.warnings) == ("ok", None, ())


def test_an_answer_that_was_thrown_away_is_no_answer_but_its_loss_is_told() -> None:
    call = call_of(requested(), ended(result="paid"), answered(delivered=False))
    assert (call.answer.status, call.answer.content, call.answer.delivered) == (None, None, False)
    assert call.result == "paid"
