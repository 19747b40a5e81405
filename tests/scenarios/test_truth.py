"""Scenario by scenario: what the API tells is what happened."""

import functools
from copy import deepcopy
from typing import Any

import pytest

from tests.scenarios.compare import differences
from tests.scenarios.product import Product
from tests.scenarios.programs import SCENARIOS
from tests.scenarios.relay import Relay
from tests.scenarios.truth import TRUTH
from tests.scenarios.versions import CHANGES, truth_for


def title(key: str) -> str:
    return f"{key}: {(SCENARIOS[key].__doc__ or '').strip()}"


def seen_by_caller(worked: Any, key: str) -> Any:
    seen = worked["scenarios"][key]
    if "unavailable" in seen:
        pytest.skip(f"these libraries are too old: {seen['unavailable']}")
    return seen


@functools.cache
def calls_of(product: Product, key: str) -> list[Any]:
    return product.calls(service=key)


def test_every_scenario_has_its_truth() -> None:
    assert sorted(TRUTH) == sorted(SCENARIOS)


@pytest.mark.parametrize("key", sorted(TRUTH), ids=title)
def test_a_call_is_told_as_it_happened(key: str, product: Product, watched: tuple[Any, Relay]) -> None:
    seen_by_caller(watched[0], key)
    calls, truth = calls_of(product, key), truth_for(watched[0]["versions"])
    assert not differences(truth[key], calls, product.orphans(calls))


def test_every_difference_of_the_oldest_libraries_has_its_reason() -> None:
    assert all(change["reason"] for change in CHANGES.values())


@pytest.mark.parametrize("key", sorted(TRUTH), ids=title)
def test_executions_are_those_that_the_tools_counted_themselves(
    key: str, product: Product, watched: tuple[Any, Relay]
) -> None:
    ran = seen_by_caller(watched[0], key)["ran"]
    calls = calls_of(product, key)
    for tool in {call["tool"] for call in calls} & {item["tool"] for item in ran}:
        counted = sum(item["tool"] == tool for item in ran)
        assert sum(call["executions"] for call in calls if call["tool"] == tool) == counted


def test_everything_had_left_the_process_when_flush_said_so(watched: tuple[Any, Relay]) -> None:
    assert [key for key, seen in watched[0]["scenarios"].items() if not seen["flushed"]] == []


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("outcome", "ok"), ("handled_by", "tool"), ("attempts", []), ("error_type", None), ("told", "else")],
)
def test_the_comparison_notices_a_wrong_truth(
    name: str, wrong: Any, on_sqlite: Product, watched: Any
) -> None:
    calls = on_sqlite.calls(service="S16b")
    truth = deepcopy(TRUTH["S16b"])
    truth["calls"][0][name] = wrong
    assert differences(truth, calls, on_sqlite.orphans(calls))
