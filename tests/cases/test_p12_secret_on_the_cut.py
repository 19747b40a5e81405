"""A secret that lies across a cut: redaction comes first, so no piece of it is left."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from langchain_core.tools import tool

from tests.cases.watching import Case, watching
from tests.scenarios.product import Product
from tests.scenarios.programs.kit import HI, ai, call, loop

KEY = "FAKEKEYfakekeyFAKEKEYfakekey0123456789"
LIMITS = [80, 120, 160, 200, 256, 500, 1000, 1024, 2000, 4096, 8192, 32_768, 65_536, 73_728, 1_048_576]
PIECES = {KEY[i : i + 4] for i in range(len(KEY) - 3) if not KEY[i].isdigit()}  # times have digits


def _results() -> Iterator[tuple[str, str]]:
    """Ids and results: the secret begins this far from the limit, once behind a character of four bytes."""
    for limit in LIMITS:
        for shift in (-30, -12, -1, 0, 1):
            yield f"call_{limit}_{shift}", "x" * (limit + shift) + f" api_key={KEY}" + "y" * 50
        yield f"call_{limit}_wide", "x" * (limit - 2) + "\U0001f642" + f" api_key={KEY}" + "y" * 50


RESULTS = dict(_results())


@pytest.fixture(scope="module")
def case(product: Product) -> Case:
    @tool
    def read_file(name: str) -> str:
        """Read."""
        return RESULTS[name]

    with watching(product, "p12") as case:
        for some in pairwise([*range(0, len(RESULTS), 10), len(RESULTS)]):
            ids = list(RESULTS)[slice(*some)]
            loop([read_file], ai(*[call("read_file", {"name": id_}, id_) for id_ in ids]))[0].invoke(HI)
    return case


@pytest.fixture(scope="module")
def told(case: Case) -> dict[str, Any]:
    return {c["tool_call_id"]: c for c in case.calls()}


def _pieces(text: str) -> list[str]:
    return [piece for piece in PIECES if piece in text]


@pytest.mark.parametrize("id_", RESULTS)
def test_no_piece_of_the_key_is_in_what_is_told_of_the_call(
    case: Case, told: dict[str, Any], id_: str
) -> None:
    call_ = told[id_]
    assert call_["outcome"] == "ok"
    shown = [
        str(call_),
        case.page(call_),
        case.product.page(f"/api/v1/calls/{call_['key']}/export", format="json"),
    ]
    assert [_pieces(text) for text in shown] == [[], [], []]
    assert "0123" not in (call_["answer"]["content"] or "")


def test_no_piece_of_the_key_is_in_lists_or_exports(case: Case, told: dict[str, Any]) -> None:
    lists = [
        case.product.page("/calls", service="p12"),
        str(case.product.get("/api/v1/calls", service="p12")),
    ]
    traces = {call_["trace_id"] for call_ in told.values()}
    exports = [case.product.page(f"/api/v1/traces/{t}/export", format="otlp-json") for t in traces]
    assert [piece for text in lists + exports for piece in _pieces(text)] == []


@pytest.mark.parametrize("id_", RESULTS)
def test_what_is_shown_is_valid_text_and_its_first_length_is_stated(told: dict[str, Any], id_: str) -> None:
    call_ = told[id_]
    content = call_["answer"]["content"]
    assert content.encode("utf-8").decode("utf-8") == content
    assert "\ufffd" not in content
    assert call_["sizes"]["result"] == len(RESULTS[id_].encode())
