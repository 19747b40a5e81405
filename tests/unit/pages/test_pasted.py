"""Ids in whatever people paste."""

import pytest

from toolwatch_server.pages.pasted import CANDIDATES_MAX, candidates


@pytest.mark.parametrize(
    ("text", "id_"),
    [
        ("call_8Kd2", "call_8Kd2"),
        ("  toolu_01A09q90qw90lq917835lq9 \n", "toolu_01A09q90qw90lq917835lq9"),
        ("ERROR tool_call_id=call_8Kd2 failed", "call_8Kd2"),
        ('{"toolCallId": "chatcmpl-tool-9a8b"}', "chatcmpl-tool-9a8b"),
        ("trace_id: 0af7651916cd43dd8448eb211c80319c,", "0af7651916cd43dd8448eb211c80319c"),
        ("thread_id='旅行-1'", "旅行-1"),
        ("tool failed (call_8Kd2), giving up", "call_8Kd2"),
        ("http://host/threads/order-1041", "order-1041"),
        (
            "2026-03-01 04:05 run 7f9c24e8-3b12-4fef-91e0-56a2d5a5b0a1 crashed",
            "7f9c24e8-3b12-4fef-91e0-56a2d5a5b0a1",
        ),
    ],
)
def test_the_id_is_among_what_is_tried(text: str, id_: str) -> None:
    assert id_ in candidates(text)


def test_the_text_itself_is_tried_first() -> None:
    assert candidates("my thread 7")[0] == "my thread 7"


def test_a_long_log_is_not_tried_word_by_word() -> None:
    assert len(candidates(" ".join(f"call_{n}" for n in range(500)))) == CANDIDATES_MAX
