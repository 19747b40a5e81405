"""A watched program ends as it would have ended unwatched."""

from typing import Any

import pytest

from tests.scenarios.relay import Relay
from tests.scenarios.test_truth import seen_by_caller, title
from tests.scenarios.truth import TRUTH

RACES = {"S09c"}  # whether call_2 starts is a race; so the events differ from run to run without us, too


@pytest.mark.parametrize("key", sorted(TRUTH), ids=title)
def test_results_and_exceptions_are_those_of_an_unwatched_run(
    key: str, watched: tuple[Any, Relay], unwatched: Any
) -> None:
    seen, alone = seen_by_caller(watched[0], key), seen_by_caller(unwatched, key)
    for what in ("messages", "error", "ran", "seen", "interrupts", "modes"):
        assert seen[what] == alone[what]


@pytest.mark.parametrize("key", sorted(set(TRUTH) - RACES), ids=title)
def test_an_application_s_own_callbacks_fire_as_in_an_unwatched_run(
    key: str, watched: tuple[Any, Relay], unwatched: Any
) -> None:
    seen, alone = seen_by_caller(watched[0], key)["events"], seen_by_caller(unwatched, key)["events"]
    parallel = len(TRUTH[key]["calls"]) > 1  # then the order is the scheduler's
    assert (sorted(seen) == sorted(alone)) if parallel else (seen == alone)
