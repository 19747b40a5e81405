"""A list that the model sent as text stays text, wherever it is shown."""

from typing import Any

import pytest
from langchain_core.tools import tool
from pydantic import BaseModel

from tests.cases.watching import Case, codes, watching
from tests.scenarios.product import Product
from tests.scenarios.programs.kit import HI, ai, call, loop

ARGS = {"tasks": '[{"t":"pack"},{"t":"ship"}]', "note": '["not a list, really a string"]'}


class Task(BaseModel):
    t: str


@pytest.fixture(scope="module")
def case(product: Product) -> Case:
    @tool
    def plan_tasks(tasks: list[Task], note: str) -> str:
        """Plan."""
        return "planned"

    with watching(product, "p09") as case:
        loop([plan_tasks], ai(call("plan_tasks", ARGS, "call_p09")))[0].invoke(HI)
    return case


@pytest.fixture
def told(case: Case) -> Any:
    return case.call("call_p09")


def test_the_field_says_what_was_expected_and_what_came(told: Any) -> None:
    (problem,) = [p for p in told["arguments"]["problems"] if p["field"] == "tasks"]
    assert "list" in problem["expected"]
    assert problem["received"].startswith("str")


def test_both_values_are_kept_as_the_strings_they_are(told: Any) -> None:
    assert told["arguments"]["value"] == ARGS


def test_the_page_says_string_and_offers_the_json_view_apart(case: Case, told: Any) -> None:
    page = case.page(told)
    assert "looks like JSON" in page


def test_a_string_where_a_string_belongs_is_not_blamed(told: Any) -> None:
    assert [p["field"] for p in told["arguments"]["problems"]] == ["tasks"]


def test_the_double_encoding_is_named(told: Any) -> None:
    (warning,) = [w for w in told["warnings"] if w["code"] == "double_encoded_arguments"]
    assert "tasks" in warning["text"]
    assert codes(told).count("double_encoded_arguments") == 1
