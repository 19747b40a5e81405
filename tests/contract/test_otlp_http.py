"""What a sender of OTLP may rely on."""

import gzip
import http.client
import json
import math
import signal
import socket
import time
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from tests.live import Live, live, started, wait_until
from tests.otlp import JSON, PROTOBUF, TRACE_ID, a_span, a_tool_span, message, request

BODY_LIMIT = 200_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with live(tmp_path_factory.mktemp("otlp"), max_body_bytes=BODY_LIMIT, max_value_bytes=10_000) as running:
        yield running


def ids(number: int) -> dict[str, Any]:
    """A trace and a span that no other test uses."""
    return {"trace_id": f"{number:032x}", "span_id": f"{number:016x}"}


def as_json(**span: Any) -> bytes:
    fields = {
        "traceId": TRACE_ID,
        "spanId": "00f067aa0ba902b7",
        "name": "execute_tool get_weather",
        "kind": 1,
        "startTimeUnixNano": str(time.time_ns()),
        "endTimeUnixNano": str(time.time_ns() + 1000),
        "attributes": [
            {"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
            {"key": "gen_ai.tool.name", "value": {"stringValue": "get_weather"}},
            {"key": "gen_ai.tool.call.id", "value": {"stringValue": "call_json"}},
        ],
    }
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [fields | span]}]}]}).encode()


def partial(answer: httpx2.Response) -> tuple[int, str]:
    assert answer.status_code == 200
    said = ExportTraceServiceResponse.FromString(answer.content).partial_success
    return said.rejected_spans, said.error_message


def test_what_was_answered_with_200_is_found_at_once(server: Live) -> None:
    answer = server.send(request(a_tool_span(tool_call_id="call_at_once", **ids(1))))

    assert (answer.status_code, answer.content) == (200, b"")
    assert [call["tool"] for call in server.calls(tool_call_id="call_at_once")] == ["get_weather"]


def test_the_answer_has_the_type_of_the_request(server: Live) -> None:
    protobuf, as_text = server.send(request()), server.send(as_json(), media=JSON)

    assert protobuf.headers["content-type"] == PROTOBUF
    assert (as_text.headers["content-type"], as_text.json()) == (JSON, {})


def test_json_is_read_with_hex_ids_and_numbers_of_both_kinds(server: Live) -> None:
    start_ns = time.time_ns()
    body = as_json(
        traceId="ABCDEF0123456789ABCDEF0123456789",
        startTimeUnixNano=start_ns,
        unknownField={"a": [1]},
        parentSpanId=None,
        attributes=[
            {"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
            {"key": "gen_ai.tool.name", "value": {"stringValue": "add"}},
            {"key": "as_text", "value": {"intValue": "9007199254740993"}},
            {"key": "as_number", "value": {"intValue": 2}},
            {
                "key": "nested",
                "value": {"kvlistValue": {"values": [{"key": "n", "value": {"doubleValue": 1.5}}]}},
            },
            {"key": "nothing", "value": {}},
        ],
    )

    assert server.send(body, media="application/json; charset=utf-8").json() == {}

    (span,) = server.http.get("/api/v1/traces/abcdef0123456789abcdef0123456789").json()["spans"]
    read = {name: span["attributes"][name] for name in ("as_text", "as_number", "nested", "nothing")}
    assert read == {"as_text": 9007199254740993, "as_number": 2, "nested": {"n": 1.5}, "nothing": None}


def test_a_request_sent_twice_changes_nothing(server: Live) -> None:
    body = request(a_tool_span(tool_call_id="call_twice", **ids(2)))

    server.send(body)
    once = server.calls(tool_call_id="call_twice")
    server.send(body)

    assert server.calls(tool_call_id="call_twice") == once


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [("gzip", gzip.compress), ("deflate", zlib.compress), ("identity", bytes), ("GZIP", gzip.compress)],
)
def test_compressed_requests_are_read(server: Live, encoding: str, pack: Any) -> None:
    answer = server.send(pack(request(a_tool_span(**ids(3)))), content_encoding=encoding)

    assert answer.status_code == 200


def test_two_gzip_members_are_one_body(server: Live) -> None:
    body = request(a_tool_span(tool_call_id="call_members", **ids(4)))

    server.send(gzip.compress(body[:20]) + gzip.compress(body[20:]), content_encoding="gzip")

    assert len(server.calls(tool_call_id="call_members")) == 1


def test_a_chunked_request_is_read(server: Live) -> None:
    body = request(a_tool_span(tool_call_id="call_chunked", **ids(5)))
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)

    connection.request(
        "POST", "/v1/traces", iter([body[:10], body[10:]]), {"Content-Type": PROTOBUF}, encode_chunked=True
    )
    answer = connection.getresponse()
    answer.read()
    connection.close()

    assert answer.status == 200
    assert len(server.calls(tool_call_id="call_chunked")) == 1


def test_requests_may_follow_each_other_before_the_first_is_answered(server: Live) -> None:
    bodies = [request(a_tool_span(tool_call_id=f"call_line_{n}", **ids(100 + n))) for n in range(3)]
    head = "POST /v1/traces HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n"

    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as line:
        line.sendall(b"".join(head.format(PROTOBUF, len(body)).encode() + body for body in bodies))
        read = b""
        while read.count(b"HTTP/1.1 200 OK") < len(bodies):
            more = line.recv(65536)
            assert more, read
            read += more

    assert [len(server.calls(tool_call_id=f"call_line_{n}")) for n in range(3)] == [1, 1, 1]


def test_langfuse_finds_its_own_address(server: Live) -> None:
    answer = server.send(request(a_tool_span(**ids(6))), path="/api/public/otel/v1/traces")

    assert answer.status_code == 200


def test_metrics_are_taken_and_counted_as_ignored(server: Live) -> None:
    before = server.status()["ignored"]

    answer = server.send(b"\x0a\x00", path="/v1/metrics")

    assert (answer.status_code, answer.content) == (200, b"")
    assert server.status()["ignored"] == before + 1


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"\xff" * 50, {"content-type": PROTOBUF}, 400),
        (request(a_span())[:-7], {"content-type": PROTOBUF}, 400),
        (b"{", {"content-type": JSON}, 400),
        (b"", {"content-type": JSON}, 400),
        (b'{"resourceSpans":' + b"[" * 90_000 + b"]" * 90_000 + b"}", {"content-type": JSON}, 400),
        (request(a_span()), {"content-type": "text/plain"}, 415),
        (request(a_span()), {}, 415),
        (request(a_span()), {"content-type": PROTOBUF, "content-encoding": "br"}, 415),
        (request(a_span()), {"content-type": PROTOBUF, "content-encoding": "gzip"}, 400),
        (gzip.compress(request(a_span()))[:-9], {"content-type": PROTOBUF, "content-encoding": "gzip"}, 400),
        (b"\0" * (BODY_LIMIT + 1), {"content-type": PROTOBUF}, 413),
        (gzip.compress(b"\0" * 50_000_000), {"content-type": PROTOBUF, "content-encoding": "gzip"}, 413),
    ],
    ids=lambda given: str(given)[:30],
)
def test_what_cannot_be_taken_is_refused_once_and_for_all(
    server: Live, body: bytes, headers: dict[str, str], status: int
) -> None:
    answer = server.http.post("/v1/traces", content=body, headers=headers)

    assert answer.status_code == status
    assert "retry-after" not in answer.headers
    if headers.get("content-type") == PROTOBUF:
        assert len(Status.FromString(answer.content).message) > 10
    else:
        assert len(answer.json()["message"]) > 10


def test_a_body_without_an_announced_length_is_cut_off_at_the_limit(server: Live) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    chunks = (b"\0" * 50_000 for _ in range(1000))

    try:
        connection.request("POST", "/v1/traces", chunks, {"Content-Type": PROTOBUF}, encode_chunked=True)
    except (BrokenPipeError, ConnectionResetError):
        pass  # the server answers and hangs up while we still send
    else:
        assert connection.getresponse().status == 413
    connection.close()

    assert server.http.get("/healthz").status_code == 200


def test_another_method_is_refused_and_the_right_one_named(server: Live) -> None:
    answer = server.http.get("/v1/traces")

    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_one_bad_span_is_refused_alone_and_named(server: Live) -> None:
    good = [a_tool_span(tool_call_id=f"call_beside_{n}", **ids(200 + n)) for n in range(2)]
    bad = a_tool_span("search")
    bad.trace_id = b"\1\2"

    refused, why = partial(server.send(request(good[0], bad, good[1])))

    assert refused == 1
    assert why == "span 2 ('execute_tool search'): its trace id has 2 bytes, not 16"
    assert [len(server.calls(tool_call_id=f"call_beside_{n}")) for n in range(2)] == [1, 1]


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


def test_a_full_house_asks_to_come_back(tmp_path: Path) -> None:
    with live(tmp_path, max_body_bytes=2_000, queue_bytes=2_000) as small:
        with half_sent(small, b"\0" * 1_990):
            busy = small.send(request(a_span()))
        assert (busy.status_code, busy.headers["retry-after"]) == (429, "1")
        assert small.send(request(a_span())).status_code == 200
        assert small.status()["turned_away"] == 1


@contextmanager
def half_sent(server: Live, body: bytes) -> Iterator[None]:
    """While this lasts, a request that has not arrived whole holds nearly all the room."""
    head = (
        "POST /v1/traces HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"Content-Type: {PROTOBUF}\r\nContent-Length: 2000\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as line:
        line.sendall(head.encode() + body)
        wait_until(lambda: server.status()["queue_bytes"] == len(body))
        yield
    wait_until(lambda: server.status()["queue_bytes"] == 0)


def test_a_request_that_breaks_off_leaves_nothing_behind(server: Live) -> None:
    with half_sent(server, request(a_tool_span(tool_call_id="call_half", **ids(700)))):
        pass

    assert server.calls(tool_call_id="call_half") == []


def test_what_was_answered_with_200_outlives_a_killed_server(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'killed.db'}"
    with started(url) as (process, address):
        for number in range(20):
            body = request(a_tool_span(tool_call_id=f"call_killed_{number}", **ids(600 + number)))
            answer = httpx2.post(f"{address}/v1/traces", content=body, headers={"content-type": PROTOBUF})
            assert answer.status_code == 200
        process.send_signal(signal.SIGKILL)

    with live(tmp_path, database_url=url) as again:
        found = {call["tool_call_id"] for call in again.calls(limit=100)}
    assert found == {f"call_killed_{number}" for number in range(20)}


def test_what_waits_is_written_before_the_server_stops(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'stopped.db'}"
    with started(url) as (process, address):
        body = request(*(a_tool_span(tool_call_id=f"call_stopped_{n}", **ids(800 + n)) for n in range(300)))
        with ThreadPoolExecutor(1) as sender:
            sending = sender.submit(
                httpx2.post,
                f"{address}/v1/traces",
                content=body,
                headers={"content-type": PROTOBUF},
                timeout=30,
            )
            wait_until(lambda: httpx2.get(f"{address}/api/v1/status").json()["received"] == 300)
            process.terminate()
            assert sending.result().status_code == 200

    with live(tmp_path, database_url=url) as again:
        assert len(again.calls(limit=500)) == 300
