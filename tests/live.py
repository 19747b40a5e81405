"""The whole server on a real port, in this process or in one of its own."""

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import uvicorn
from fastapi import FastAPI

from toolwatch_server.app import create_app
from toolwatch_server.settings import load


class Live:
    """A running server: its port, an HTTP client for it, and the application itself."""

    def __init__(self, port: int, app: FastAPI, http: httpx2.Client) -> None:
        self.port = port
        self.address = f"http://127.0.0.1:{port}"
        self.app = app
        self.http = http

    def send(
        self, body: bytes, media: str = "application/x-protobuf", path: str = "/v1/traces", **headers: str
    ) -> httpx2.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.http.post(path, content=body, headers={"content-type": media, **named})

    def calls(self, **filters: Any) -> list[Any]:
        answer = self.http.get("/api/v1/calls", params=filters)
        assert answer.status_code == 200, answer.text
        found: list[Any] = answer.json()["calls"]
        return found

    def status(self) -> Any:
        return self.http.get("/api/v1/status").json()


@contextmanager
def live(folder: Path, **settings: Any) -> Iterator[Live]:
    """A server on an SQLite file in the folder, unless the settings name another database."""
    given = {"database_url": f"sqlite:///{folder / 'live.db'}", "grpc_port": 0, **settings}
    app = create_app(load({}, **given))
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", ws="none"))
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        with httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as http:
            yield Live(port, app, http)
    finally:
        server.should_exit = True
        thread.join(20)
        listener.close()


@contextmanager
def started(
    database_url: str, *arguments: str, **environment: str
) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """A server in a process of its own, and its address, which it prints when it listens."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("TOOLWATCH_")}
    command = [
        sys.executable,
        "-m",
        "toolwatch_server",
        "serve",
        "--port",
        "0",
        "--grpc-port",
        "0",
        "--database-url",
        database_url,
    ]
    with subprocess.Popen(
        [*command, *arguments], stdout=subprocess.PIPE, text=True, env=inherited | environment
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert "http://" in first, first
        address = first[first.index("http://") :].strip()
        try:
            yield process, address
        finally:
            process.terminate()


def wait_until(true: Callable[[], bool], within_s: float = 20) -> None:
    """Fails when it does not become true."""
    deadline = time.monotonic() + within_s
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def free_port() -> int:
    """For what cannot take a free port by itself."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port
