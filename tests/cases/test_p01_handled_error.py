"""A tool that handles its own error: the run goes on, and the call has failed all the same."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import ToolException, tool

from tests.cases.watching import Case, codes, watching
from tests.scenarios.product import Product
from tests.scenarios.programs.kit import HI, ai, call, loop


@pytest.fixture(scope="module")
def case(product: Product) -> Case:
    @tool
    def fetch_invoice(number: str) -> str:
        """Fetch an invoice."""
        raise ToolException("invoice archive is offline")

    fetch_invoice.handle_tool_error = True
    turn = ai(call("fetch_invoice", {"number": "R-1007"}, "call_p01"))
    with watching(product, "p01") as case:
        graph, _ = loop([fetch_invoice], turn, AIMessage("The archive is offline, please try again later."))
        graph.invoke(HI)
    return case


@pytest.fixture
def told(case: Case) -> Any:
    return case.call("call_p01")


def test_a_handled_error_is_an_error(told: Any) -> None:
    assert (told["outcome"], told["failed"], told["handled_by"]) == ("tool_error", True, "tool")


def test_the_real_text_of_the_error_is_shown(case: Case, told: Any) -> None:
    assert (told["error"]["type"], told["error"]["message"]) == (
        "ToolException",
        "invoice archive is offline",
    )
    assert "invoice archive is offline" in case.page(told)


def test_the_call_is_among_the_failed_and_counted_with_them(case: Case, told: Any) -> None:
    assert [c["key"] for c in case.calls(failed="true")] == [told["key"]]
    assert case.product.get("/api/v1/tools/fetch_invoice")["failed"] == 1


def test_a_run_that_went_on_has_not_crashed(case: Case, told: Any) -> None:
    assert "run_crashed" not in codes(told)
    assert "run_crashed" not in [w["code"] for w in case.trace(told)["warnings"]]


def test_the_exported_span_is_an_error_with_its_type(case: Case, told: Any) -> None:
    (span,) = case.spans(told)
    assert span["status"]["code"] in (2, "STATUS_CODE_ERROR")
    assert span["attributes"]["error.type"] == "ToolException"
