"""Links to other tracing tools."""

import pytest

from toolwatch_web.outside import around, filled, read

JAEGER = "https://jaeger.example/trace/{trace_id}?uiFind={span_id}"


def test_a_template_becomes_a_link() -> None:
    links = filled(read(f"Jaeger={JAEGER}"), {"trace_id": "ab", "span_id": "cd"})

    assert links == (("Jaeger", "https://jaeger.example/trace/ab?uiFind=cd"),)


def test_a_link_that_lacks_a_value_is_left_out() -> None:
    assert filled(read(f"Jaeger={JAEGER}"), {"trace_id": "ab", "span_id": None}) == ()


@pytest.mark.parametrize("text", ["javascript:alert(1)//", "a/../b?c#d&e", "x@evil.example"])
def test_no_value_can_change_where_a_link_leads(text: str) -> None:
    ((_, address),) = filled(read("T=https://t.example/{thread_id}"), {"thread_id": text})

    assert address.startswith("https://t.example/")
    assert not set(address.removeprefix("https://t.example/")) & set("/?#&@:")


def test_there_may_be_several_and_their_names_may_have_words() -> None:
    assert [name for name, _ in read(f"Jaeger={JAEGER}\nGrafana_Tempo=http://g/{{trace_id}}")] == [
        "Jaeger",
        "Grafana Tempo",
    ]


@pytest.mark.parametrize(
    "text", ["Jaeger=javascript:alert(1)", "https://no-name", "=https://x", "x=https://{trace_id}.evil", "x="]
)
def test_only_web_addresses_with_a_name_are_taken(text: str) -> None:
    with pytest.raises(ValueError, match="has to be name=https"):
        read(text)


def test_an_unknown_place_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"no \{span\}; there are trace_id, span_id"):
        read("x=https://x.example/{span}")


def test_times_reach_a_minute_before_and_after() -> None:
    assert around(120_000_000_000, 180_000_000_000) == {
        "start_ms": "60000", "end_ms": "240000", "start_s": "60", "end_s": "240",
    }  # fmt: skip
    assert around(None, None) == {}
