"""A server for the demo: a real one, in a process of its own, on a database that is gone afterwards."""

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2 as httpx

DEFAULT_PORT = 4318
STARTING_PATIENCE_S = 60.0
NOT_INHERITED = ("TOOLWATCH_", "OTEL_", "LANGCHAIN_", "LANGSMITH_")


class DemoError(Exception):
    """The demo cannot go on; the message says why, to the person who started it."""


@contextlib.contextmanager
def a_server(port: int | None) -> Iterator[str]:
    """The address of a server that runs as long as the context. Raises DemoError when it does not start."""
    port = port or (DEFAULT_PORT if is_free(DEFAULT_PORT) else free_port())
    with tempfile.TemporaryDirectory(prefix="toolwatch-demo-") as folder:
        log = Path(folder) / "server.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "toolwatch_server", "serve", "--port", str(port), "--grpc-port", "0"],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=clean_environment() | {"TOOLWATCH_DATABASE_URL": f"sqlite:///{folder}/demo.db"},
            )
        try:
            address = f"http://127.0.0.1:{port}"
            wait_until_ready(address, process, log)
            yield address
        finally:
            stop(process)


def clean_environment() -> dict[str, str]:
    """A user's own settings and tracing must neither shape the demo nor receive its calls."""
    return {name: value for name, value in os.environ.items() if not name.startswith(NOT_INHERITED)}


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_ready(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + STARTING_PATIENCE_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise DemoError(f"The server did not start:\n{log.read_text(errors='replace').strip()}")
        with contextlib.suppress(httpx.HTTPError):
            if httpx.get(f"{address}/readyz", timeout=2).is_success:
                return
        time.sleep(0.1)
    raise DemoError(
        f"The server was not ready after {STARTING_PATIENCE_S:.0f} s:\n{log.read_text(errors='replace')}"
    )


def stop(process: subprocess.Popen[Any], patience_s: float = 10) -> None:
    process.terminate()
    try:
        process.wait(patience_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
