"""An uncaught error takes finished siblings with it."""

import asyncio
import threading
import time
from typing import Any

import pytest
from langchain_core.tools import tool

from tests.cases.watching import Case, codes, watching
from tests.scenarios.product import Product
from tests.scenarios.programs.kit import HI, ai, call, loop, on_thread
from tests.scenarios.programs.outcome import outcome

IDS = ["call_p02a", "call_p02b", "call_p02c"]


TOGETHER_S = 30  # the price fails when both siblings have finished, however slow the machine is


def _sync_tools(sent: list[str]) -> list[Any]:
    stocked, noted = threading.Event(), threading.Event()

    @tool
    def lookup_stock(sku: str) -> int:
        """Stock."""
        stocked.set()
        return 12

    @tool
    def lookup_price(sku: str) -> str:
        """Price."""
        assert stocked.wait(TOGETHER_S)
        assert noted.wait(TOGETHER_S)
        time.sleep(0.05)  # their tools are left; now their records are ended too
        raise RuntimeError("price feed closed")

    @tool
    def send_note(to: str, text: str) -> str:
        """Send a note."""
        sent.append(text)
        noted.set()
        return "sent"

    return [lookup_stock, lookup_price, send_note]


def _async_tools(sent: list[str]) -> list[Any]:
    stocked, noted = asyncio.Event(), asyncio.Event()

    @tool
    async def lookup_stock(sku: str) -> int:
        """Stock."""
        stocked.set()
        return 12

    @tool
    async def lookup_price(sku: str) -> str:
        """Price."""
        await asyncio.wait_for(asyncio.gather(stocked.wait(), noted.wait()), TOGETHER_S)
        await asyncio.sleep(0.05)  # their tools are left; now their records are ended too
        raise RuntimeError("price feed closed")

    @tool
    async def send_note(to: str, text: str) -> str:
        """Send a note."""
        sent.append(text)
        noted.set()
        return "sent"

    return [lookup_stock, lookup_price, send_note]


@pytest.fixture(scope="module", params=["sync", "async"])
def case(request: pytest.FixtureRequest, product: Product) -> Case:
    sent: list[str] = []
    tools = _sync_tools(sent) if request.param == "sync" else _async_tools(sent)
    turn = ai(
        call("lookup_stock", {"sku": "KX-4"}, "call_p02a"),
        call("lookup_price", {"sku": "KX-4"}, "call_p02b"),
        call("send_note", {"to": "warehouse", "text": "check KX-4"}, "call_p02c"),
    )
    graph, _ = loop(tools, turn)
    config = on_thread(None, f"p02-{request.param}")
    with watching(product, f"p02-{request.param}") as case:
        seen = outcome(
            lambda: graph.invoke(HI, config) if request.param == "sync" else graph.ainvoke(HI, config)
        )
    assert isinstance(seen.error, RuntimeError)
    assert sent == ["check KX-4"]
    return case


@pytest.mark.parametrize(("id_", "result"), [("call_p02a", "12"), ("call_p02c", "sent")])
def test_a_finished_sibling_has_its_result_and_no_delivered_answer(case: Case, id_: str, result: str) -> None:
    told = case.call(id_)
    assert (told["outcome"], told["attempts"][0]["outcome"]) == ("discarded", "ok")
    assert told["answer"]["delivered"] is not True
    assert "not_delivered" in codes(told)
    assert result in case.page(told)


def test_the_guilty_one_raised_and_nobody_handled_it(case: Case) -> None:
    told = case.call("call_p02b")
    assert (told["outcome"], told["handled_by"]) == ("tool_error", None)
    assert (told["error"]["type"], told["error"]["message"]) == ("RuntimeError", "price feed closed")


def test_all_three_are_without_an_answer_in_the_thread(case: Case) -> None:
    calls = case.product.get(f"/api/v1/threads/{case.service}")["calls"]
    assert sorted(c["tool_call_id"] for c in calls) == IDS
    assert all(c["answer"]["status"] is None or c["answer"]["delivered"] is False for c in calls)


def test_the_run_has_crashed_and_says_because_of_which_call(case: Case) -> None:
    guilty = case.call("call_p02b")
    crashes = [w for w in case.trace(guilty)["warnings"] if w["code"] == "run_crashed"]
    assert [w["keys"] for w in crashes if "This call's error" in w["text"]] == [[guilty["key"]]]


def test_a_side_effect_counts_as_executed_once(case: Case) -> None:
    assert case.call("call_p02c")["executions"] == 1
