"""The Go programs of eino/internal/scenarios: what is true of their calls, and what a server says of them."""

import json
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

MODULE = Path(__file__).parents[2] / "eino"
RAN = frozenset({"invalid_args"})  # outcomes of attempts in which no body ran

Calls = list[dict[str, Any]]


def build(folder: Path) -> Path:
    """The program that runs the scenarios."""
    go, binary = shutil.which("go"), folder / "play"
    assert go is not None, "these tests need Go on the PATH"
    subprocess.run([go, "build", "-o", binary, "./internal/scenarios/play"], cwd=MODULE, check=True)
    return binary


def play(address: str, binary: Path) -> list[dict[str, Any]]:
    """Runs every scenario against the server and returns the truth, one object for each."""
    done = subprocess.run(
        [binary], env={"OTEL_EXPORTER_OTLP_ENDPOINT": address}, capture_output=True, check=True, timeout=120
    )
    stories: list[dict[str, Any]] = json.loads(done.stdout)
    return stories


def kill_when(address: str, binary: Path, is_time: Callable[[], None]) -> None:
    """Runs a tool that never ends, and kills its process when is_time returns."""
    with subprocess.Popen(
        [binary, "hang"], env={"OTEL_EXPORTER_OTLP_ENDPOINT": address}, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "running\n"
        is_time()
        process.kill()


def told(calls: Calls, look_up: Callable[[str], dict[str, Any]]) -> Calls:
    """The server's calls of one thread in the words of the scenarios, in the order of asking."""
    tools = {call["key"]: call["tool"] for call in calls}
    whole = [look_up(call["key"]) for call in calls]
    whole.sort(key=lambda c: (moment(c), c["position"] or 0))
    return [_told(call, tools) for call in whole]


def moment(call: dict[str, Any]) -> str:
    return str(call["requested_at"] or call["dispatched_at"] or call["started_at"] or "")


def _told(call: dict[str, Any], tools: dict[str, str]) -> dict[str, Any]:
    answer = call["answer"]
    return {
        "tool": call["tool"],
        "id": call["tool_call_id"] or "",
        "outcome": call["outcome"],
        "attempts": [f"{a['cause']} {a['outcome']}" for a in call["attempts"]],
        "executions": call["executions"],
        "answer": answer["content"] or "",
        "inside": tools.get(call["parent_key"] or "", ""),
        "parts": "".join(f"{part['type']} {part['mime_type']} {part['bytes']};" for part in answer["parts"]),
        "failed": call["error"] is not None,
    }


def true(calls: Calls) -> Calls:
    """The truth in the same words; an attempt of which nobody saw the end counts as one that ended well."""
    return [
        {
            "tool": call["tool"],
            "id": call["id"],
            "outcome": call["outcome"],
            "attempts": [_attempt(said) for said in call["attempts"] or ()],
            "executions": sum(not said.endswith(tuple(RAN)) for said in call["attempts"] or ()),
            "answer": call["answer"],
            "inside": call["inside"],
            "parts": call["parts"],
            "failed": bool(call["error"]),
        }
        for call in calls
    ]


def _attempt(said: str) -> str:
    cause, _, outcome = said.removesuffix(" late").partition(" ")
    return f"{cause} {outcome or 'ok'}"


def by_thread(calls: Calls) -> dict[str, Calls]:
    found: dict[str, Calls] = defaultdict(list)
    for call in calls:
        found[call["thread_id"] or ""].append(call)
    return found
