"""Real Eino agents, the Go module, the real server: the API's calls are what happened."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.eino import truth
from tests.live import Live, live


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with live(tmp_path_factory.mktemp("eino")) as running:
        yield running


@pytest.fixture(scope="module")
def stories(server: Live, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    return truth.play(server.address, tmp_path_factory.mktemp("play") / "play")


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
