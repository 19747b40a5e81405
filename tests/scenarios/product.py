"""The product as a user runs it: `toolwatch serve` in a process of its own."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2


class Product:
    """A running server. `get` answers with JSON, `page` with HTML."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.http = httpx2.Client(base_url=url, timeout=30)

    def get(self, path: str, **query: Any) -> Any:
        answer = self.http.get(path, params=query)
        assert answer.status_code == 200, f"{answer.url}: {answer.status_code} {answer.text[:300]}"
        return answer.json()

    def page(self, path: str, **query: Any) -> str:
        answer = self.http.get(path, params=query, follow_redirects=True)
        assert answer.status_code == 200, f"{answer.url}: {answer.status_code} {answer.text[:300]}"
        return answer.text

    def calls(self, **filters: Any) -> list[Any]:
        """All calls that fit, with everything known about each, oldest first."""
        found: list[Any] = []
        cursor = None
        while True:
            query = filters if cursor is None else {**filters, "cursor": cursor}
            listed = self.get("/api/v1/calls", limit=500, **query)
            found += [self.get(f"/api/v1/calls/{call['key']}") for call in listed["calls"]]
            cursor = listed["next_cursor"]
            if cursor is None:
                return found[::-1]

    def orphans(self, calls: list[Any]) -> list[Any]:
        """Answers that nobody asked for, in the traces of these calls and of their attempts."""
        traces = {call["trace_id"] for call in calls}
        traces |= {attempt["trace_id"] for call in calls for attempt in call["attempts"]}
        return [o for trace in sorted(traces) for o in self.get(f"/api/v1/traces/{trace}")["orphans"]]

    def post(self, path: str, body: bytes, headers: dict[str, str]) -> int:
        return self.http.post(path, content=body, headers=headers).status_code


@contextmanager
def serving(database_url: str, log: Path) -> Iterator[Product]:
    """A server on that database; its log is in the error when it does not come up."""
    port = free_port()
    command = [str(Path(sys.executable).with_name("toolwatch")), "serve", "--port", str(port)]
    environment = {**os.environ, "TOOLWATCH_DATABASE_URL": database_url, "TOOLWATCH_GRPC_PORT": "0"}
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=subprocess.STDOUT)
    product = Product(f"http://127.0.0.1:{port}")
    try:
        _wait_until_ready(product, process, log)
        yield product
    finally:
        product.http.close()
        process.terminate()
        process.wait(timeout=20)


def _wait_until_ready(
    product: Product, process: "subprocess.Popen[bytes]", log: Path, within_s: float = 180
) -> None:
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            if product.http.get("/readyz").status_code == 200:
                return
        except httpx2.TransportError:
            time.sleep(0.05)
    raise AssertionError(f"the server did not come up:\n{log.read_text(errors='replace')[-3000:]}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
