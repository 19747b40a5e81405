"""A huge result costs its own tail, and nobody else anything."""

import base64
from typing import Any

import pytest
from langchain_core.tools import tool

from tests.cases.watching import Case, watching
from tests.scenarios.product import Product
from tests.scenarios.programs.kit import HI, ai, call, loop
from tests.scenarios.relay import Relay

MB = 1024 * 1024
IMAGE = base64.b64encode(b"\x89PNG" + b"i" * (2 * MB * 3 // 4)).decode()


@pytest.fixture(scope="module")
def story(product: Product) -> tuple[Case, list[int]]:
    """The case, and the sizes of the requests that carried it."""

    @tool
    def small(n: int) -> str:
        """Small."""
        return "s" * n

    @tool
    def huge(mb: int) -> str:
        """Huge."""
        return "h" * (mb * MB)

    @tool
    def picture() -> list[Any]:
        """Picture."""
        image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{IMAGE}"}}
        return [{"type": "text", "text": "the harbour"}, image]

    turn = ai(
        call("small", {"n": 40}, "call_p17a"),
        call("huge", {"mb": 8}, "call_p17b"),
        call("picture", {}, "call_p17c"),
    )
    with Relay(product.url) as relay:
        with watching(product, "p17", through=relay.url):
            loop([small, huge, picture], turn)[0].invoke(HI)
        sizes = [len(body) for _, _, body in relay.kept]
    return Case(product, "p17"), sizes


def test_all_three_are_stored(story: tuple[Case, list[int]]) -> None:
    told = story[0].calls()
    assert sorted((c["tool_call_id"], c["outcome"]) for c in told) == [
        ("call_p17a", "ok"),
        ("call_p17b", "ok"),
        ("call_p17c", "ok"),
    ]


def test_the_first_size_and_the_cut_are_stated(story: tuple[Case, list[int]]) -> None:
    told = story[0].call("call_p17b")
    assert told["sizes"]["result"] == 8 * MB
    assert told["answer"]["truncated"] is True
    small = story[0].call("call_p17a")["answer"]
    assert (small["content"], small["truncated"], small["bytes"]) == ("s" * 40, False, 40)


def test_an_image_is_a_type_and_a_size_not_a_text(story: tuple[Case, list[int]]) -> None:
    told = story[0].call("call_p17c")
    (part,) = told["answer"]["parts"]
    assert (part["type"], part["mime_type"]) == ("image_url", "image/png")
    assert abs(part["bytes"] - 2 * MB * 3 // 4) < 16
    assert IMAGE[1000:1100] not in story[0].page(told)


@pytest.mark.parametrize("id_", ["call_p17a", "call_p17b", "call_p17c"])
def test_the_page_of_each_stays_below_300_kb(story: tuple[Case, list[int]], id_: str) -> None:
    assert len(story[0].page(story[0].call(id_)).encode()) < 300_000


def test_the_list_stays_below_300_kb(story: tuple[Case, list[int]]) -> None:
    assert len(story[0].product.page("/calls", service="p17").encode()) < 300_000


def test_no_request_comes_near_the_usual_limit_of_4_mb(story: tuple[Case, list[int]]) -> None:
    assert max(story[1]) < 4 * MB
