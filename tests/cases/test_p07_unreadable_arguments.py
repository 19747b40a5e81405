"""Arguments that are not JSON: nothing ran, and nothing is made up."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import tool

from tests.cases.watching import Case, watching
from tests.scenarios.product import Product
from tests.scenarios.programs.kit import HI, broken_call, call, loop

RAW = '{"title": "Q3", "body": "line one" "line two"}'


@tool
def write_page(title: str, body: str) -> str:
    """Write."""
    return "written"


def _turn(*valid: Any) -> AIMessage:
    broken = broken_call("write_page", RAW, "call_p07")
    return AIMessage(content="", tool_calls=list(valid), invalid_tool_calls=[broken])


@pytest.fixture(scope="module")
def case(product: Product) -> Case:
    with watching(product, "p07") as case:
        loop([write_page], _turn())[0].invoke(HI)
    return case


@pytest.fixture
def told(case: Case) -> Any:
    return case.call("call_p07")


def test_the_call_is_there_as_unreadable_and_not_executed(told: Any) -> None:
    assert (told["outcome"], told["failed"]) == ("malformed", True)
    assert (told["executions"], told["attempts"]) == (0, [])


def test_the_text_of_the_model_is_shown_with_the_place_where_it_breaks(case: Case, told: Any) -> None:
    assert told["arguments"]["raw"] == RAW
    (problem,) = told["arguments"]["problems"]
    assert "column 36" in problem["reason"]
    assert "column 36" in case.page(told)


def test_the_run_says_that_it_ended_after_an_unreadable_call(case: Case, told: Any) -> None:
    assert told["run_outcome"] == "ok"
    assert "the run ended" in told["verdict"]
    assert "the run ended" in case.page(told)


def test_no_empty_arguments_are_made_up(told: Any) -> None:
    assert told["arguments"]["value"] is None
    assert told["arguments"]["validated"] is None


def test_a_valid_sibling_runs_and_is_shown_beside_it(product: Product) -> None:
    with watching(product, "p07-sibling") as case:
        good = call("write_page", {"title": "Q3", "body": "b"}, "call_p07s")
        loop([write_page], _turn(good))[0].invoke(HI)
    sibling, broken = case.call("call_p07s"), case.call("call_p07")
    assert (sibling["outcome"], sibling["executions"], broken["outcome"]) == ("ok", 1, "malformed")
    assert sibling["group"] == broken["group"]
    assert sibling["group"]["size"] == 2
    assert f"/calls/{sibling['key']}" in case.page(broken)
