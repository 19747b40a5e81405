"""Real Eino agents, the Go module, the real server: the API's calls are what happened."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.eino import truth
from tests.live import Live, live, wait_until


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with live(tmp_path_factory.mktemp("eino")) as running:
        yield running


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return truth.build(tmp_path_factory.mktemp("play"))


@pytest.fixture(scope="module")
def stories(server: Live, program: Path) -> list[dict[str, Any]]:
    return truth.play(server.address, program)


def test_every_call_of_an_eino_agent_is_told_as_it_was(server: Live, stories: list[dict[str, Any]]) -> None:
    wrong = {}
    for story in stories:
        calls = server.calls(thread_id=story["thread"], limit=500)
        said = truth.told(calls, lambda key: server.http.get(f"/api/v1/calls/{key}").json())
        expected = truth.true(story["calls"])
        if said != expected:
            wrong[story["thread"]] = {"true": expected, "told": said}

    assert stories
    assert wrong == {}


def test_a_call_is_known_while_its_tool_runs_and_after_its_process_was_killed(
    server: Live, program: Path
) -> None:
    def known() -> bool:
        return len(server.calls(thread_id="killed")) == 1

    truth.kill_when(server.address, program, lambda: wait_until(known))
    (call,) = server.calls(thread_id="killed")

    assert (call["tool"], call["tool_call_id"], call["executions"]) == ("endless", "c1", 1)
    assert call["outcome"] in {"running", "abandoned"}  # once its process has been silent for long enough
