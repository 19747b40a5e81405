"""What strange spans cost: at most themselves."""

import math
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.live import Live, live
from tests.otlp import JSON, a_tool_span, as_json, ids, message, partial, request


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with live(tmp_path_factory.mktemp("odd"), max_value_bytes=10_000) as running:
        yield running


@pytest.mark.parametrize(
    ("field", "given", "why"),
    [
        ("span_id", b"", "its span id has 0 bytes, not 8"),
        ("trace_id", b"\0" * 16, "its trace id is all zeros"),
        ("parent_span_id", b"\1", "its parent span id has 1 bytes, not 8"),
        ("end_time_unix_nano", 2**64 - 1, "its end time 18446744073709551615 is after the year 2262"),
    ],
)
def test_a_span_that_cannot_be_kept_says_why(server: Live, field: str, given: Any, why: str) -> None:
    span = a_tool_span(**ids(7))
    setattr(span, field, given)

    assert partial(server.send(request(span))) == (1, f"span 1 ('execute_tool get_weather'): {why}")


def test_text_that_is_not_utf8_costs_only_its_own_bytes(server: Live) -> None:
    body = request(a_tool_span(tool_call_id="call_latin", more={"note": "caf€€€"}, **ids(8)))

    answer = server.send(body.replace("€€€".encode(), b"\xe9\xff\xfe" * 3))

    assert partial(answer) == (0, "")
    (span,) = server.http.get(f"/api/v1/traces/{8:032x}").json()["spans"]
    assert span["attributes"]["note"].startswith("caf\ufffd")


def test_half_a_character_in_json_costs_only_itself(server: Live) -> None:
    body = as_json(**{"traceId": f"{9:032x}", "name": "HALF"}).replace(b"HALF", b"a\\ud83db")

    assert server.send(body, media=JSON).json() == {}

    (span,) = server.http.get(f"/api/v1/traces/{9:032x}").json()["spans"]
    assert (span["name"][0], span["name"][-1]) == ("a", "b")


@pytest.mark.parametrize(
    "span",
    [
        a_tool_span(more={"n": math.nan, "i": math.inf}, **ids(300)),
        a_tool_span(more={"nul": "a\0b", "list": ["\0"]}, **ids(301)),
        a_tool_span(start_ns=2_000_000_000_000_000_000, end_ns=1, **ids(302)),
        a_tool_span(start_ns=0, end_ns=0, **ids(303)),
        a_tool_span(start_ns=time.time_ns() + 10 * 365 * 86_400 * 10**9, **ids(304)),
        a_tool_span(parent=f"{305:016x}", **ids(305)),
        a_tool_span(more={f"k{n}": "v" for n in range(5_000)}, **ids(306)),
        a_tool_span(tool_call_id="", **ids(307)),
    ],
    ids=[
        "not a number",
        "NUL",
        "backwards",
        "no time",
        "future",
        "its own parent",
        "many attributes",
        "empty id",
    ],
)
def test_strange_spans_are_kept_and_can_be_looked_at(server: Live, span: Any) -> None:
    assert partial(server.send(request(span))) == (0, "")

    trace = server.http.get(f"/api/v1/traces/{span.trace_id.hex()}")
    assert trace.status_code == 200
    assert len(trace.json()["calls"]) == 1


def test_a_parent_cycle_does_not_hang_anything(server: Live) -> None:
    one = a_tool_span(trace_id=f"{400:032x}", span_id=f"{401:016x}", parent=f"{402:016x}")
    other = a_tool_span(trace_id=f"{400:032x}", span_id=f"{402:016x}", parent=f"{401:016x}")

    assert partial(server.send(request(one, other))) == (0, "")
    assert len(server.http.get(f"/api/v1/traces/{400:032x}").json()["spans"]) == 2


def test_a_text_that_is_too_long_is_cut_and_said_to_be_cut(server: Live) -> None:
    span = a_tool_span(
        tool_call_id="call_long", more={"gen_ai.tool.call.result": "word " * 20_000}, **ids(500)
    )

    refused, why = partial(server.send(request(span)))

    assert (refused, why) == (0, "1 texts were too long and were cut")
    (call,) = server.calls(tool_call_id="call_long")
    assert call["result"].endswith("… [cut: 100000 bytes in all]")


def test_unknown_fields_come_out_again_as_they_came_in(server: Live) -> None:
    body = message(a_tool_span(**ids(501)))
    span = body.resource_spans[0].scope_spans[0].spans[0]
    span.MergeFromString(b"\xa2\x06\x03new")  # field 100, as a later version of OTLP might have it

    server.send(body.SerializeToString())

    exported = server.http.get(f"/api/v1/traces/{501:032x}/export", params={"format": "otlp-proto"}).content
    assert b"\xa2\x06\x03new" in exported
