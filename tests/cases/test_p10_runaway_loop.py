"""The same call over and over until the step limit: one group, and the limit is named."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import tool

from tests.cases.watching import Case, watching
from tests.scenarios.product import Product
from tests.scenarios.programs.kit import HI, ai, call, loop
from tests.scenarios.programs.outcome import outcome

LOOP = [f"call_p10_{n:02}" for n in range(1, 13)]


def _script() -> list[AIMessage]:
    straight, turned = {"q": "harbour opening hours", "limit": 5}, {"limit": 5, "q": "harbour opening hours"}
    turns = [ai(call("search_memory", turned if n % 2 else straight, id_)) for n, id_ in enumerate(LOOP)]
    turns.insert(4, ai(call("open_page", {"url": "https://example.test/a"}, "call_p10_a")))
    turns.insert(9, ai(call("open_page", {"url": "https://example.test/b"}, "call_p10_b")))
    return turns


@pytest.fixture(scope="module")
def case(product: Product) -> Case:
    @tool
    def search_memory(q: str, limit: int) -> list[str]:
        """Search."""
        return []

    @tool
    def open_page(url: str) -> str:
        """Open."""
        return "page"

    with watching(product, "p10") as case:
        graph, _ = loop([search_memory, open_page], *_script())
        seen = outcome(lambda: graph.invoke(HI, {"recursion_limit": 28}))
    assert type(seen.error).__name__ == "GraphRecursionError"
    return case


def test_the_twelve_are_one_group_whatever_the_order_of_their_keys(case: Case) -> None:
    told = {c["tool_call_id"]: c for c in case.calls()}
    assert len(told) == 14
    (repeat,) = [w for w in told[LOOP[-1]]["warnings"] if w["code"] == "repeated_call"]
    assert "12" in repeat["text"]
    assert {told[id_]["key"] for id_ in LOOP[:-1]} <= set(repeat["keys"])


def test_the_other_two_calls_stay_visible_and_unblamed(case: Case) -> None:
    for id_ in ("call_p10_a", "call_p10_b"):
        told = case.call(id_)
        assert told["outcome"] == "ok"
        assert "repeated_call" not in [w["code"] for w in told["warnings"]]


def test_the_run_names_the_step_limit(case: Case) -> None:
    found: list[Any] = case.trace(case.calls()[0])["warnings"]
    assert "step_limit" in [w["code"] for w in found]


def test_each_id_of_the_group_is_found(case: Case) -> None:
    assert [case.call(id_)["tool_call_id"] for id_ in LOOP] == LOOP


def test_the_page_of_the_trace_names_the_group_and_its_count(case: Case) -> None:
    page = case.product.page(f"/traces/{case.calls()[0]['trace_id']}")
    assert "search_memory" in page
    assert "12" in page
