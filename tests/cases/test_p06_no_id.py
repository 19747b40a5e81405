"""A model that gives no id: the call is there, and no id is made up."""

from typing import Any

import pytest
from langchain_core.tools import tool

from tests.cases.watching import Case, codes, watching
from tests.scenarios.product import Product
from tests.scenarios.programs.kit import HI, ai, call, loop
from tests.scenarios.programs.outcome import outcome


@tool
def now() -> str:
    """Now."""
    return "12:00"


def _run(product: Product, service: str, *ids: str | None) -> Case:
    with watching(product, service) as case:
        graph, _ = loop([now], ai(*[call("now", {}, id_) for id_ in ids]))
        outcome(lambda: graph.invoke(HI))
    return case


@pytest.fixture(scope="module")
def null(product: Product) -> Case:
    return _run(product, "p06-null", None)


@pytest.fixture(scope="module")
def empty(product: Product) -> Case:
    return _run(product, "p06-empty", "")


@pytest.fixture(scope="module")
def two(product: Product) -> Case:
    return _run(product, "p06-two", "", "")


def test_all_four_calls_are_there_and_ran(null: Case, empty: Case, two: Case) -> None:
    told = null.calls() + empty.calls() + two.calls()
    assert [c["executions"] for c in told] == [1, 1, 1, 1]


def test_null_and_empty_are_told_apart_and_both_noted(null: Case, empty: Case) -> None:
    (no_id,), (empty_id,) = null.calls(), empty.calls()
    assert (no_id["tool_call_id"], empty_id["tool_call_id"]) == (None, "")
    assert "id_missing" in codes(no_id)
    assert "id_missing" in codes(empty_id)


def test_two_calls_without_an_id_in_one_message_are_two(two: Case) -> None:
    first, second = two.calls()
    assert first["key"] != second["key"]
    assert sorted(c["position"] for c in (first, second)) == [0, 1]
    assert first["group"] == second["group"]


def test_no_id_is_made_up_in_the_export(null: Case, empty: Case, two: Case) -> None:
    spans: list[Any] = [span for case in (null, empty, two) for span in case.spans(case.calls()[0])]
    assert len(spans) == 4
    assert not any("gen_ai.tool.call.id" in span["attributes"] for span in spans)


def test_the_failure_of_the_node_is_shown_as_such(null: Case) -> None:
    (told,) = null.calls()
    assert (told["outcome"], told["error"]["type"]) == ("invalid_result", "TypeError")
    assert told["attempts"][0]["outcome"] == "ok"
