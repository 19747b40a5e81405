"""Other instrumentations of LangChain in the same process: nobody notices anybody."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.collector.conftest import Receiver

PROGRAM = Path(__file__).parent / "beside_others.py"


def seen_by_agent(url: str, *order: str) -> str:
    done = subprocess.run(
        [sys.executable, PROGRAM, url, *order],
        capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "LANGFUSE_TRACING_ENABLED": "false", "TRACELOOP_TRACE_CONTENT": "true"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def alone() -> str:
    return seen_by_agent("")


@pytest.mark.parametrize("other", ["openinference", "traceloop", "langfuse"])
@pytest.mark.parametrize("ours_is", ["first", "second"])
def test_the_agent_sees_the_same_and_every_call_is_recorded_once(
    receiver: Receiver, alone: str, other: str, ours_is: str
) -> None:
    order = ("toolwatch", other) if ours_is == "first" else (other, "toolwatch")

    assert seen_by_agent(receiver.url, *order) == alone

    ended = [(r["gen_ai.tool.call.id"], r["toolwatch.attempt.outcome"]) for r in receiver.records("attempt")]
    assert sorted(ended) == [
        ("call_Atlantis", "tool_error"),
        ("call_Atlantis", "tool_error"),
        ("call_Bergen", "ok"),
        ("call_Oslo", "ok"),
    ]
