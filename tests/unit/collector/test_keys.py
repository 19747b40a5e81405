import re

from hypothesis import given
from hypothesis import strategies as st

from toolwatch._keys import call_key

ids = st.none() | st.text()


def test_the_key_of_a_known_call_never_changes() -> None:
    # printf 'thread-1\x1fai-1\x1f0\x1fcall_1' | sha256sum | cut -c1-24
    assert call_key("thread-1", "ai-1", 0, "call_1") == "c7a9e9db737283c3ca01e41e2"


@given(ids, st.integers(0, 99), ids)
def test_a_key_is_c_and_24_hex_digits_whatever_it_is_made_of(
    message_id: str | None, position: int, tool_call_id: str | None
) -> None:
    assert re.fullmatch("c[0-9a-f]{24}", call_key("scope", message_id, position, tool_call_id))


def test_no_id_and_an_empty_id_are_different_calls() -> None:
    assert call_key("s", "m", 0, None) != call_key("s", "m", 0, "")


def test_the_same_id_in_another_turn_thread_or_place_is_another_call() -> None:
    keys = {
        call_key(*parts)
        for parts in (("s", "m", 0, "i"), ("t", "m", 0, "i"), ("s", "n", 0, "i"), ("s", "m", 1, "i"))
    }

    assert len(keys) == 4
