"""What a sender of OTLP may rely on."""

import gzip
import http.client
import socket
import time
import zlib
from collections.abc import Iterator
from typing import Any

import pytest
from google.rpc.status_pb2 import Status

from tests.live import Live, live
from tests.otlp import JSON, PROTOBUF, a_span, a_tool_span, as_json, ids, partial, request

BODY_LIMIT = 200_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with live(tmp_path_factory.mktemp("otlp"), max_body_bytes=BODY_LIMIT, max_value_bytes=10_000) as running:
        yield running


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
