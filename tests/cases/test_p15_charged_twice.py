"""A retried side effect is counted, attempt by attempt and over equal calls."""

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import ToolRetryMiddleware
from langchain_core.tools import tool

from tests.cases.watching import Case, attempts, codes, watching
from tests.scenarios.product import Product
from tests.scenarios.programs.kit import HI as START
from tests.scenarios.programs.kit import Graph, Runs, ScriptedModel, ai, call, on_thread

ARGS = {"order": "A-88", "cents": 1250}


def _run(product: Product, service: str, ledger: Runs, good_at: int, *ids: str) -> Case:
    @tool
    def charge_card(order: str, cents: int) -> str:
        """Charge."""
        if ledger("charge_card") == good_at:
            return "charged"
        raise TimeoutError("read timed out")

    model = ScriptedModel(script=[ai(call("charge_card", ARGS, id_)) for id_ in ids])
    again = ToolRetryMiddleware(max_retries=2, initial_delay=0.01, jitter=False)
    with watching(product, service) as case:
        graph: Graph = create_agent(model, [charge_card], middleware=[again])
        graph.invoke(START, on_thread(None, service))
    return case


@pytest.fixture(scope="module")
def case(product: Product) -> Case:
    ledger = Runs()
    case = _run(product, "p15", ledger, 99, "call_p15", "call_p15b")
    assert len(ledger.items) == 6
    return case


@pytest.mark.parametrize("id_", ["call_p15", "call_p15b"])
def test_three_attempts_stand_under_each_id(case: Case, id_: str) -> None:
    told: list[Any] = case.call(id_)["attempts"]
    assert [a["number"] for a in told] == [1, 2, 3]
    assert all(a["started_at"] and a["ended_at"] for a in told)
    assert [a["error"]["message"] for a in told] == ["read timed out"] * 3


def test_equal_calls_are_added_up_to_six_executions(case: Case) -> None:
    told = case.calls()
    assert sum(c["executions"] for c in told) == 6
    (warning,) = [w for w in told[-1]["warnings"] if w["code"] == "executed_again_after_retry"]
    assert "3" in warning["text"]
    assert "6" in case.product.page("/threads/p15")


def test_it_failed_after_its_retries(case: Case) -> None:
    assert {(c["outcome"], c["handled_by"]) for c in case.calls()} == {("tool_error", "wrapper")}


def test_calls_with_more_than_one_attempt_can_be_filtered(case: Case) -> None:
    assert len(case.calls(min_attempts=2)) == 2
    assert case.calls(min_attempts=4) == []


def test_success_in_the_second_attempt_keeps_the_first_error_visible(product: Product) -> None:
    case = _run(product, "p15-second", Runs(), 2, "call_p15s")
    told = case.call("call_p15s")
    assert told["outcome"] == "ok"
    assert attempts(told) == [("first", "tool_error"), ("wrapper_retry", "ok")]
    assert told["attempts"][0]["error"]["message"] == "read timed out"
    assert "read timed out" in case.page(told)
    assert "executed_again_after_retry" in codes(told)
