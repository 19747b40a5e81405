"""Model servers repeat ids: the same id in a later turn or in another thread is another call."""

from typing import Any

import pytest
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from tests.cases.watching import Case, codes, watching
from tests.scenarios.product import Product
from tests.scenarios.programs.kit import HI, ai, call, loop, on_thread


@tool
def find_room(day: str) -> str:
    """Find a room."""
    return {"Mon": "room 4", "Tue": "room 9"}[day]


@tool
def cancel_room(room: int) -> str:
    """Cancel a room."""
    return "cancelled"


@pytest.fixture(scope="module")
def case(product: Product) -> Case:
    monday = ai(call("find_room", {"day": "Mon"}, "call_0"))
    tuesday = ai(call("find_room", {"day": "Tue"}, "call_0"))
    cancel = ai(call("cancel_room", {"room": 4}, "call_0"))
    with watching(product, "p05") as case:
        loop([find_room], monday, tuesday, checkpointer=InMemorySaver())[0].invoke(
            HI, on_thread(None, "p05-a")
        )
        loop([cancel_room], cancel, checkpointer=InMemorySaver())[0].invoke(HI, on_thread(None, "p05-b"))
    return case


def test_searching_the_id_lists_three_calls_newest_first(case: Case) -> None:
    listed = case.product.get("/api/v1/calls", tool_call_id="call_0", service="p05")["calls"]
    assert [c["tool"] for c in listed] == ["cancel_room", "find_room", "find_room"]
    assert [c["thread_id"] for c in listed] == ["p05-b", "p05-a", "p05-a"]
    assert len({c["message_id"] for c in listed}) == 3
    assert [c["started_at"] for c in listed] == sorted((c["started_at"] for c in listed), reverse=True)


def test_the_search_page_lists_all_of_them(case: Case) -> None:
    page = case.product.page("/find", q="call_0")
    assert all(f"/calls/{c['key']}" in page for c in case.calls())


def test_no_call_shows_the_arguments_or_the_result_of_another(case: Case) -> None:
    monday, tuesday, cancel = case.calls()
    assert [c["arguments"]["value"] for c in (monday, tuesday, cancel)] == [
        {"day": "Mon"},
        {"day": "Tue"},
        {"room": 4},
    ]
    assert [c["answer"]["content"] for c in (monday, tuesday, cancel)] == ["room 4", "room 9", "cancelled"]
    assert [c["executions"] for c in (monday, tuesday, cancel)] == [1, 1, 1]


def test_the_export_keeps_the_id_as_the_model_gave_it(case: Case) -> None:
    spans = [span for call in (case.calls()[0], case.calls()[2]) for span in case.spans(call)]
    assert [span["attributes"]["gen_ai.tool.call.id"] for span in spans] == ["call_0"] * 3


def test_a_note_says_that_the_id_was_used_before(case: Case) -> None:
    told: list[Any] = case.calls()
    assert all("id_reused" in codes(call) for call in told)
