"""Whatever a tool is given or returns becomes bounded plain data, and none of its code runs."""

import json
import threading
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from toolwatch._capture import NODES, TEXT_CHARS, clean, plain, utf8_size
from toolwatch._failures import failure_of, message_of
from toolwatch._results import shown_message, shown_value

ROOM = 2 * TEXT_CHARS

json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | st.binary(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text(st.characters()) | st.integers(), inner) | st.tuples(inner)
    ),
    max_leaves=40,
)


def cut(text: str, chars: int) -> str:
    return clean(text[:chars])


class Hostile:
    """Any look at it goes wrong."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError("do not look")

    def __repr__(self) -> str:
        threading.Event().wait()  # blocks for ever
        return ""

    __str__ = __repr__
    __hash__ = None  # type: ignore[assignment]


class HostileDict(dict[str, object]):
    def items(self) -> Any:
        raise RuntimeError("do not look")

    __iter__ = keys = values = __len__ = items


@given(json_like)
def test_any_value_becomes_json_that_every_database_takes(value: object) -> None:
    text = json.dumps(plain(value, cut), ensure_ascii=False, allow_nan=False)

    assert "\\u0000" not in text
    text.encode()  # no lone surrogate


@given(json_like, st.integers(1, 5_000))
def test_the_size_is_bounded_whatever_comes(value: object, times: int) -> None:
    assert len(json.dumps(plain([value, "x" * times] * times, cut), ensure_ascii=False)) < 3 * ROOM


def test_a_text_of_a_hundred_megabytes_is_cut_and_its_size_is_told() -> None:
    found = plain("x" * 100_000_000, cut)

    assert isinstance(found, str)
    assert len(found) < ROOM
    assert found.endswith("…[100000000 characters]")


def test_an_object_is_named_and_none_of_its_code_runs() -> None:
    found = plain({"a": Hostile(), "b": HostileDict(x=1)}, cut)

    assert found == {"a": f"<{__name__}.Hostile>", "b": {"x": 1}}


def test_structures_without_an_end_have_one() -> None:
    ring: list[Any] = []
    ring.append(ring)
    wide = list(range(10 * NODES))

    assert json.dumps(plain(ring, cut)).count("[") < 40
    assert len(json.dumps(plain(wide, cut))) < ROOM


def test_real_characters_stay_and_impossible_ones_are_replaced() -> None:
    assert clean("見積もり 🙂\x00\ud83d") == "見積もり 🙂\ufffd\ufffd"


@given(st.text(st.characters(codec="utf-8")))
def test_the_size_is_that_of_utf_8(text: str) -> None:
    assert utf8_size(text) == len(text.encode())


class Message:
    status = "success"

    def __init__(self, content: object) -> None:
        self.content = content


def test_an_image_is_told_by_type_and_size_and_its_bytes_are_not_kept() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "AAAA" * 500_000}}

    shown = shown_message(Message([{"type": "text", "text": "here"}, picture]), cut)

    assert shown.parts == ({"type": "image_url", "mime_type": "image/png", "bytes": 1_500_000},)
    assert shown.text is not None
    assert "AAAA" not in shown.text
    assert shown.bytes > 1_500_000


def test_the_original_size_of_a_cut_result_is_kept() -> None:
    shown = shown_value("é" * 5_000_000, cut)

    assert shown.bytes == 10_000_000
    assert shown.truncated


def test_an_exception_that_carries_a_hostile_object_is_told_without_looking_at_it() -> None:
    assert message_of(ValueError("bad", Hostile())) == "bad <Hostile>"


def test_an_exception_whose_text_raises_still_has_a_type() -> None:
    class Silent(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert "Silent" in message_of(Silent())


def test_the_stack_tells_of_the_causes_and_the_notes() -> None:
    try:
        try:
            raise KeyError("id")
        except KeyError as cause:
            raise RuntimeError("no order") from cause
    except RuntimeError as error:
        error.add_note("order A-88")
        found = failure_of(error)

    stack = found.stack()
    assert (found.type, found.message) == ("RuntimeError", "no order")
    assert stack.index("KeyError: 'id'") < stack.index("direct cause") < stack.index("RuntimeError: no order")
    assert "order A-88" in stack
