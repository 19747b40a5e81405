"""A run that is given up: its calls are cancelled or undelivered, and none goes on for ever."""

import asyncio
from typing import Any

import pytest
from langchain_core.tools import tool

from tests.cases.watching import Case, codes, watching
from tests.scenarios.product import Product
from tests.scenarios.programs.kit import HI, ai, call, loop
from tests.scenarios.programs.outcome import outcome

LIMIT_S = 1.0  # long enough for both tools to start on a busy machine


def _run(product: Product, service: str, scan: Any) -> Case:
    @tool
    async def quick() -> str:
        """At once."""
        return "quick"

    turn = ai(call("slow_scan", {"s": 30}, "call_p13a"), call("quick", {}, "call_p13b"))

    async def limited() -> Any:
        graph, _ = loop([scan, quick], turn, handle_tool_errors=True)
        return await asyncio.wait_for(graph.ainvoke(HI), LIMIT_S)

    with watching(product, service) as case:
        seen = outcome(limited)
    assert isinstance(seen.error, TimeoutError)
    return case


@pytest.fixture(scope="module")
def case(product: Product) -> Case:
    @tool
    async def slow_scan(s: float) -> str:
        """Slow."""
        await asyncio.sleep(s)
        return "scanned"

    return _run(product, "p13", slow_scan)


def test_the_slow_one_is_cancelled_with_the_time_it_had(case: Case) -> None:
    told = case.call("call_p13a")
    assert (told["outcome"], told["error"]["type"]) == ("cancelled", "CancelledError")
    assert 100 < told["duration_ms"] < 1000 * LIMIT_S + 5000


def test_the_quick_one_finished_and_was_not_delivered(case: Case) -> None:
    told = case.call("call_p13b")
    assert (told["outcome"], told["attempts"][0]["outcome"]) == ("discarded", "ok")
    assert "not_delivered" in codes(told)


def test_nothing_is_left_running_when_the_run_has_ended(case: Case) -> None:
    assert case.calls(outcome="running") == []


def test_the_run_says_that_it_was_cancelled(case: Case) -> None:
    assert "cancelled" in case.product.page(f"/traces/{case.call('call_p13a')['trace_id']}")


def test_a_tool_that_swallows_the_cancellation_is_ok_and_late(product: Product) -> None:
    @tool
    async def slow_scan(s: float) -> str:
        """Slow."""
        try:
            await asyncio.sleep(s)
        except asyncio.CancelledError:
            return "half a scan"
        return "scanned"

    told = _run(product, "p13-swallowed", slow_scan).call("call_p13a")
    assert told["attempts"][0]["outcome"] == "ok"
    assert "not_delivered" in codes(told)
