"""The examples run as they stand, and their calls can be found by what they print."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2 as httpx
import pytest

from toolwatch_server.demo.server import a_server, free_port

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with a_server(port=free_port()) as address:
        yield address


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_makes_a_call_that_can_be_found(server: str, example: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(example)],
        env={**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": server},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    call_id = done.stdout.split()[-1]
    (call,) = httpx.get(f"{server}/api/v1/calls", params={"tool_call_id": call_id}).json()["calls"]
    assert call["outcome"] == "ok"
    assert call["answer"]["content"] in ("42", None)
