"""The model's output limit cut the arguments: the missing field is not the whole story."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import tool

from tests.cases.watching import Case, codes, watching
from tests.scenarios.product import Product
from tests.scenarios.programs.kit import HI, Runs, ai, call, loop

IDS = ["call_p08", "call_p08b", "call_p08c"]


def _cut(id_: str, **message: Any) -> AIMessage:
    return ai(call("save_report", {"title": "Harbour"}, id_), **message)


def _run(product: Product, service: str, *script: AIMessage) -> tuple[Case, Runs]:
    ran = Runs()

    @tool
    def save_report(title: str, body: str) -> str:
        """Save."""
        ran("save_report")
        return "saved"

    with watching(product, service) as case:
        loop([save_report], *script)[0].invoke(HI)
    return case, ran


@pytest.fixture(scope="module")
def story(product: Product) -> tuple[Case, Runs]:
    limit = {"finish_reason": "length"}
    return _run(product, "p08", *[_cut(id_, response_metadata=limit) for id_ in IDS])


@pytest.mark.parametrize("id_", IDS)
def test_the_missing_field_is_named(story: tuple[Case, Runs], id_: str) -> None:
    told = story[0].call(id_)
    assert told["outcome"] == "invalid_args"
    assert [p["field"] for p in told["arguments"]["problems"]] == ["body"]


@pytest.mark.parametrize("id_", IDS)
def test_beside_it_stands_that_the_output_was_cut(story: tuple[Case, Runs], id_: str) -> None:
    told = story[0].call(id_)
    (warning,) = [w for w in told["warnings"] if w["code"] == "output_cut"]
    assert "length" in warning["text"]


def test_the_three_are_grouped_as_a_repeat(story: tuple[Case, Runs]) -> None:
    told = story[0].calls()
    keys = {call["key"] for call in told}
    repeats = [w for call in told for w in call["warnings"] if w["code"] == "repeated_call"]
    assert repeats
    assert all(set(w["keys"]) <= keys for w in repeats)


def test_the_tool_never_ran(story: tuple[Case, Runs]) -> None:
    case, ran = story
    assert ran.items == []
    assert [call["executions"] for call in case.calls()] == [0, 0, 0]


def test_both_numbers_are_shown_when_the_output_fills_its_limit(product: Product) -> None:
    said = {
        "response_metadata": {"finish_reason": "tool_calls"},
        "usage_metadata": {"input_tokens": 100, "output_tokens": 256, "total_tokens": 356},
    }
    ran = Runs()

    @tool
    def save_report(title: str, body: str) -> str:
        """Save."""
        ran("save_report")
        return "saved"

    with watching(product, "p08-limit") as case:
        graph, model = loop([save_report], _cut("call_p08", **said))
        model.max_tokens = 256
        graph.invoke(HI)
    told = case.call("call_p08")
    assert "output_cut" in codes(told)
    assert next(w["text"] for w in told["warnings"] if w["code"] == "output_cut").count("256") == 2
