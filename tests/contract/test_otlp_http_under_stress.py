"""What a sender may rely on when the server is full, killed, stopped, or its own line breaks."""

import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx2

from tests.live import Live, live, started, wait_until
from tests.otlp import PROTOBUF, a_span, a_tool_span, ids, request


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


def test_a_request_that_breaks_off_leaves_nothing_behind(tmp_path: Path) -> None:
    with live(tmp_path) as server:
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
