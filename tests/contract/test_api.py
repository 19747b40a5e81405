"""What a program that asks the API may rely on."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.live import Live, live
from tests.otlp import a_span, a_tool_span, request
from toolwatch_server.domain.call import OUTCOMES, WARNINGS

WORDS = """
    key tool_call_id tool framework sdk service environment thread_id run_id trace_id span_id message_id
    parent_key position group outcome failed handled_by requested_at started_at ended_at answered_at
    duration_ms executions attempts arguments error answer redactions warnings sizes
"""
KEYS = set(WORDS.split())
NOON = 1_767_268_800_000_000_000  # 2026-01-01T12:00:00Z
TRACE = f"{1:032x}"
THREAD = "thread/with slash"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with live(tmp_path_factory.mktemp("api")) as running:
        chat = a_span(
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.conversation.id": THREAD,
                "gen_ai.output.messages": json.dumps(
                    [{"role": "assistant", "parts": [asked("call_pay", "pay")]}]
                ),
            },
            trace_id=TRACE,
            span_id=f"{1:016x}",
            start_ns=NOON,
        )
        pay = a_tool_span(
            "pay",
            "call_pay",
            trace_id=TRACE,
            span_id=f"{2:016x}",
            start_ns=NOON + 10_000_000,
            end_ns=NOON + 35_500_000,
            failed="card declined",
            more={"error.type": "shop.CardDeclined", "gen_ai.tool.call.arguments": '{"order": "A-17"}'},
        )
        running.send(request(chat, pay, service="shop", resource={"deployment.environment.name": "prod"}))
        for number in range(3):
            span = a_tool_span(
                "get_weather",
                f"call_w{number}",
                trace_id=f"{10 + number:032x}",
                span_id=f"{10 + number:016x}",
                start_ns=NOON + (number + 1) * 3_600 * 10**9,
                more={"gen_ai.tool.call.result": f"sunny {number}"},
            )
            running.send(request(span, service="weather"))
        yield running


def asked(tool_call_id: str, tool: str) -> dict[str, Any]:
    return {"type": "tool_call", "id": tool_call_id, "name": tool, "arguments": {"order": "A-17"}}


def refusal(server: Live, path: str, **query: Any) -> Any:
    answer = server.http.get(path, params=query)
    assert answer.status_code == 422, answer.text
    return answer.json()["error"]


def test_every_key_of_a_call_is_always_there(server: Live) -> None:
    calls = server.calls()

    assert len(calls) == 4
    assert [KEYS - call.keys() for call in calls] == [set()] * 4


def test_moments_are_utc_with_microseconds(server: Live) -> None:
    (call,) = server.calls(tool="pay")

    assert call["started_at"] == "2026-01-01T12:00:00.010000Z"
    assert call["ended_at"] == "2026-01-01T12:00:00.035500Z"
    assert call["duration_ms"] == 25.5


def test_a_call_is_told_whole(server: Live) -> None:
    (call,) = server.calls(tool_call_id="call_pay")

    assert (call["outcome"], call["failed"], call["executions"]) == ("tool_error", True, 1)
    assert call["arguments"]["value"] == {"order": "A-17"}
    assert call["error"] == {"type": "shop.CardDeclined", "message": "card declined", "stack": None}
    assert (call["service"], call["environment"], call["thread_id"]) == ("shop", "prod", THREAD)
    assert call["group"]["size"] == 1
    assert server.http.get(f"/api/v1/calls/{call['key']}").json().items() >= call.items()


def test_lists_are_newest_first(server: Live) -> None:
    assert [call["tool_call_id"] for call in server.calls()] == ["call_w2", "call_w1", "call_w0", "call_pay"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"tool_call_id": "call_pay"}, ["call_pay"]),
        ({"tool_call_id": "call_"}, []),
        ({"tool": "pay"}, ["call_pay"]),
        ({"outcome": ["tool_error", "rejected"]}, ["call_pay"]),
        ({"failed": "true"}, ["call_pay"]),
        ({"failed": "false", "limit": "1"}, ["call_w2"]),
        ({"service": "weather", "tool_call_id": "call_w1"}, ["call_w1"]),
        ({"environment": "prod"}, ["call_pay"]),
        ({"thread_id": THREAD}, ["call_pay"]),
        ({"trace_id": TRACE}, ["call_pay"]),
        ({"run_id": "none"}, []),
        ({"error_type": "shop.CardDeclined"}, ["call_pay"]),
        ({"warning": "id_reused"}, []),
        ({"min_attempts": "2"}, []),
        ({"min_duration_ms": "25.5"}, ["call_pay"]),
        ({"since": "2026-01-01T15:00:00Z"}, ["call_w2"]),
        ({"since": "2026-01-01T16:00:00+01:00"}, ["call_w2"]),
        ({"until": "2026-01-01T13:00:00Z"}, ["call_pay"]),
        ({"since": "-1h"}, []),
        ({"q": "declined"}, ["call_pay"]),
        ({"q": "sunny", "until": "2026-01-01T14:00:00Z"}, ["call_w0"]),
        ({"tool": "pay", "failed": "false"}, []),
    ],
    ids=str,
)
def test_filters_narrow_the_list_together(server: Live, query: dict[str, Any], found: list[str]) -> None:
    assert [call["tool_call_id"] for call in server.calls(**query)] == found


def test_a_plus_sign_that_was_not_escaped_is_understood(server: Live) -> None:
    answer = server.http.get("/api/v1/calls?since=2026-01-01T16:00:00+01:00")

    assert [call["tool_call_id"] for call in answer.json()["calls"]] == ["call_w2"]


def test_pages_follow_each_other_without_gap(server: Live) -> None:
    first = server.http.get("/api/v1/calls", params={"limit": 3}).json()
    second = server.http.get("/api/v1/calls", params={"limit": 3, "cursor": first["next_cursor"]}).json()

    assert [len(first["calls"]), len(second["calls"])] == [3, 1]
    assert (first["total"], second["next_cursor"]) == (4, None)


@pytest.mark.parametrize(
    ("name", "given", "allowed"),
    [
        ("outcome", "great", list(OUTCOMES)),
        ("warning", "bad", list(WARNINGS)),
        ("failed", "1", ["true", "false"]),
        ("limit", "0", "a whole number from 1 to 500"),
        ("limit", "501", "a whole number from 1 to 500"),
        ("limit", "1e2", "a whole number from 1 to 500"),
        ("min_attempts", "-1", "a whole number from 0 to 2147483647"),
        ("min_duration_ms", "nan", "a number of milliseconds, 0 or more"),
        ("since", "yesterday", None),
        ("since", "2026-01-01T12:00:00", None),
        ("until", "-1y", None),
        ("until", "-9999999w", None),
        ("tool", "", None),
        ("q", "x" * 2_001, None),
    ],
)
def test_a_wrong_filter_is_named_with_what_is_allowed(
    server: Live, name: str, given: str, allowed: Any
) -> None:
    error = refusal(server, "/api/v1/calls", **{name: given})

    assert error["field"] == name
    assert error["allowed"] == allowed if allowed is not None else error["allowed"]
    assert error["message"].startswith(f"{name} cannot be ")


def test_an_unknown_filter_is_refused_and_the_known_ones_named(server: Live) -> None:
    error = refusal(server, "/api/v1/calls", toolname="pay")

    assert error["field"] == "toolname"
    assert {"tool", "outcome", "cursor"} <= set(error["allowed"])


def test_a_filter_given_twice_is_refused(server: Live) -> None:
    assert refusal(server, "/api/v1/calls", tool=["pay", "get_weather"])["field"] == "tool"


def test_a_cursor_of_ones_own_is_refused(server: Live) -> None:
    assert refusal(server, "/api/v1/calls", cursor="bm9uc2Vuc2U")["field"] == "cursor"


@pytest.mark.parametrize("path", ["calls/x", "traces/x", "threads/x", "tools/x", "calls/x/export", "nothing"])
def test_what_is_not_there_is_404_in_json(server: Live, path: str) -> None:
    answer = server.http.get(f"/api/v1/{path}")

    assert answer.status_code == 404
    assert answer.json()["error"]["message"].startswith(("There is no", "No call"))


def test_a_trace_holds_its_calls_and_spans(server: Live) -> None:
    trace = server.http.get(f"/api/v1/traces/{TRACE}").json()

    assert trace["trace_id"] == TRACE
    assert [call["tool_call_id"] for call in trace["calls"]] == ["call_pay"]
    assert [span["name"] for span in trace["spans"]] == ["work", "execute_tool pay"]
    assert (trace["orphans"], trace["warnings"]) == ([], [])


def test_a_thread_may_have_any_name(server: Live) -> None:
    thread = server.http.get(f"/api/v1/threads/{THREAD}").json()

    assert (thread["thread_id"], [call["tool"] for call in thread["calls"]]) == (THREAD, ["pay"])


def test_tools_are_counted(server: Live) -> None:
    tools = server.http.get("/api/v1/tools").json()["tools"]
    weather = server.http.get("/api/v1/tools/get_weather").json()

    assert [(tool["tool"], tool["calls"], tool["failure_share"]) for tool in tools] == [
        ("pay", 1, 1.0),
        ("get_weather", 3, 0.0),
    ]
    assert (weather["calls"], weather["p50_ms"], weather["outcomes"]) == (3, 1.0, {"ok": 3})


@pytest.mark.parametrize("format", ["otlp-json", "otlp-proto"])
def test_an_exported_trace_can_be_taken_in_elsewhere(
    server: Live, format: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    answer = server.http.get(f"/api/v1/traces/{TRACE}/export", params={"format": format})

    with live(tmp_path_factory.mktemp("elsewhere")) as elsewhere:
        elsewhere.send(answer.content, media=answer.headers["content-type"])
        assert elsewhere.calls() == server.calls(tool="pay")


def test_exported_json_has_hex_ids(server: Live) -> None:
    exported = server.http.get(f"/api/v1/traces/{TRACE}/export", params={"format": "otlp-json"}).json()

    spans = [s for r in exported["resourceSpans"] for scope in r["scopeSpans"] for s in scope["spans"]]
    assert {span["traceId"] for span in spans} == {TRACE}
    assert spans[0]["startTimeUnixNano"] == str(NOON)
    assert spans[0]["kind"] == 1


def test_a_call_is_exported_as_json_or_text(server: Live) -> None:
    (call,) = server.calls(tool="pay")
    path = f"/api/v1/calls/{call['key']}/export"

    text = server.http.get(path, params={"format": "text"}).text

    assert server.http.get(path).json() == call
    assert text.startswith("pay  tool_error\n")
    assert re.search(r"^raised +shop.CardDeclined: card declined$", text, re.MULTILINE)
    assert "ndjson" in refusal(server, path, format="docx")["allowed"]


def test_a_deleted_trace_is_really_gone(server: Live) -> None:
    gone = f"{77:032x}"
    span = a_tool_span(
        "forget", "call_gone", trace_id=gone, more={"gen_ai.tool.call.result": "unforgettable"}
    )
    server.send(request(span))
    assert len(server.calls(q="unforgettable")) == 1

    assert server.http.delete(f"/api/v1/traces/{gone}").status_code == 200

    assert server.calls(tool_call_id="call_gone") == server.calls(q="unforgettable") == []
    assert server.http.get(f"/api/v1/traces/{gone}").status_code == 404
    assert server.http.delete(f"/api/v1/traces/{gone}").status_code == 404


def test_the_status_counts_what_came_in(server: Live) -> None:
    before = server.status()
    span = a_tool_span(
        trace_id=f"{90:032x}", more={"gen_ai.tool.call.arguments": '{"password": "hunter2-Xy9"}'}
    )
    server.send(request(span))
    server.send(request(span))

    after = server.status()
    grown = {name: after[name] - before[name] for name in ("received", "stored", "deduplicated", "redacted")}
    server.http.delete(f"/api/v1/traces/{90:032x}")
    assert grown == {"received": 2, "stored": 1, "deduplicated": 1, "redacted": 2}
    assert after["database"]["kind"] == "sqlite"
