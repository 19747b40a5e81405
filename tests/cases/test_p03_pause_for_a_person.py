"""A pause for a person is no error, and its resume is the same call."""

import json
import time
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt

from tests.cases.watching import Case, attempts, watching
from tests.scenarios.product import Product
from tests.scenarios.programs.kit import HI, Graph, Runs, ScriptedModel, ai, call, loop, on_thread

ARGS = {"supplier": "Nordlicht GmbH", "amount": 480.5}
QUESTION = "Pay 480.50 to Nordlicht GmbH?"


def _asking(id_: str) -> Graph:
    @tool
    def pay_supplier(supplier: str, amount: float) -> str:
        """Pay."""
        answer = interrupt({"question": QUESTION})
        return "paid" if answer["ok"] else "refused"

    graph, _ = loop([pay_supplier], ai(call("pay_supplier", ARGS, id_)), checkpointer=InMemorySaver())
    return graph


@pytest.fixture(scope="module")
def waiting(product: Product) -> Case:
    with watching(product, "p03-waiting") as case:
        _asking("call_p03w").invoke(HI, on_thread(None, "p03-waiting"))
    return case


@pytest.fixture(scope="module")
def resumed(product: Product) -> Case:
    graph, config = _asking("call_p03"), on_thread(None, "p03-resumed")
    with watching(product, "p03") as case:
        graph.invoke(HI, config)
        time.sleep(1)
        graph.invoke(Command(resume={"ok": True, "token": "sk-FAKEtoken0123456789abcdefFAKE"}), config)
    return case


def test_before_the_resume_the_call_waits_and_says_what_for(waiting: Case) -> None:
    told = waiting.call("call_p03w")
    assert (told["outcome"], told["error"], told["failed"]) == ("interrupted", None, False)
    assert QUESTION in waiting.page(told)


def test_waiting_calls_can_be_filtered(waiting: Case) -> None:
    assert [c["tool_call_id"] for c in waiting.calls(outcome="interrupted")] == ["call_p03w"]


def test_a_pause_does_not_count_as_an_error(waiting: Case) -> None:
    assert waiting.calls(failed="true") == []
    assert waiting.spans(waiting.call("call_p03w"))[0].get("status", {}).get("code", 0) in (
        0,
        "STATUS_CODE_UNSET",
    )


def test_after_the_resume_it_is_ok_with_two_executions(resumed: Case) -> None:
    told = resumed.call("call_p03")
    assert (told["outcome"], told["executions"]) == ("ok", 2)
    assert attempts(told) == [("first", "interrupted"), ("resume", "ok")]


def test_the_wait_is_apart_from_the_time_it_ran(resumed: Case) -> None:
    told = resumed.call("call_p03")
    assert 1000 <= told["waited_ms"] < 5000
    assert told["duration_ms"] < told["waited_ms"]


def test_the_answer_of_the_person_is_shown_redacted(resumed: Case) -> None:
    told = resumed.call("call_p03")
    assert json.loads(told["attempts"][1]["resume"])["ok"] is True
    page = resumed.page(told)
    assert "the person answered" in page
    assert "FAKEtoken" not in page


def test_two_traces_are_one_entry_that_links_both(resumed: Case) -> None:
    told = resumed.call("call_p03")
    traces = {attempt["trace_id"] for attempt in told["attempts"]}
    assert len(traces) == 2
    page = resumed.page(told)
    assert all(f"/traces/{trace}" in page for trace in traces)


def _guarded(ran: Runs) -> tuple[Graph, Any]:
    @tool
    def pay_supplier(supplier: str, amount: float) -> str:
        """Pay."""
        ran("pay_supplier")
        return "paid"

    model = ScriptedModel(script=[ai(call("pay_supplier", ARGS, "call_p03"))])
    ask = HumanInTheLoopMiddleware(interrupt_on={"pay_supplier": True})
    graph: Graph = create_agent(model, [pay_supplier], middleware=[ask], checkpointer=InMemorySaver())
    return graph, on_thread(None)


@pytest.mark.parametrize(("decision", "outcome", "ran"), [("approve", "ok", 1), ("reject", "rejected", 0)])
def test_an_approval_before_the_tool_runs_it_once_or_not_at_all(
    product: Product, decision: str, outcome: str, ran: int
) -> None:
    runs = Runs()
    graph, config = _guarded(runs)
    with watching(product, f"p03-{decision}") as case:
        graph.invoke(HI, config)
        graph.invoke(Command(resume={"decisions": [{"type": decision}]}), config)
    told = case.call("call_p03")
    assert (told["outcome"], told["failed"], told["executions"], len(runs.items)) == (
        outcome,
        False,
        ran,
        ran,
    )


def test_while_an_approval_waits_its_question_is_shown(product: Product) -> None:
    runs = Runs()
    graph, config = _guarded(runs)
    with watching(product, "p03-approval-waiting") as case:
        graph.invoke(HI, config)
    told = case.call("call_p03")
    assert (told["outcome"], told["failed"], told["executions"], told["attempts"]) == (
        "interrupted",
        False,
        0,
        [],
    )
    assert "Tool execution requires approval" in told["verdict"]
    assert "Tool execution requires approval" in case.page(told)


def test_an_approval_tells_how_long_the_person_was_waited_for(product: Product) -> None:
    graph, config = _guarded(Runs())
    with watching(product, "p03-approval-wait") as case:
        graph.invoke(HI, config)
        time.sleep(1)
        graph.invoke(Command(resume={"decisions": [{"type": "approve"}]}), config)
    told = case.call("call_p03")
    assert (told["outcome"], attempts(told), told["node"]) == ("ok", [("first", "ok")], "tools")
    assert 1000 <= told["waited_ms"] < 5000
