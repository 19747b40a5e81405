"""A process that is killed inside a tool leaves a call behind that began and never ended."""

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import toolwatch
from tests.cases.watching import Case
from tests.scenarios.product import Product, free_port
from tests.scenarios.programs.kit import HI, ai, call, loop
from tests.scenarios.programs.tools import weather
from tests.scenarios.relay import Relay

IDS = [f"call_p14_{n:02}" for n in range(20)]
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def case(product: Product) -> Case:
    command = [sys.executable, "-m", "tests.cases.killed", product.url, *IDS]
    subprocess.run(command, cwd=ROOT, check=True, timeout=300)
    return Case(product, "p14")


def _wait_for(case: Case, outcome: str, within_s: float) -> list[Any]:
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline and len(case.calls(outcome=outcome)) < len(IDS):
        time.sleep(0.5)
    return case.calls(outcome=outcome)


def test_every_start_is_stored_with_its_arguments(case: Case) -> None:
    told = {c["tool_call_id"]: c for c in case.calls()}
    assert sorted(told) == IDS
    assert all(c["arguments"]["value"] == {"src": "a", "dst": "b"} for c in told.values())
    assert all(c["started_at"] and not c["ended_at"] for c in told.values())


def test_such_a_call_is_neither_ok_nor_an_error(case: Case) -> None:
    assert {c["outcome"] for c in case.calls()} <= {"running", "abandoned"}
    assert {c["error"] for c in case.calls()} == {None}


@pytest.mark.slow
def test_in_the_end_they_are_abandoned_with_their_last_sign_of_life(case: Case) -> None:
    told = _wait_for(case, "abandoned", within_s=60)
    assert sorted(c["tool_call_id"] for c in told) == IDS
    assert all(c["attempts"][0]["outcome"] == "abandoned" for c in told)
    assert "abandoned" in case.page(told[0]).lower()


def test_calls_made_while_the_server_was_away_arrive_when_it_is_back(product: Product) -> None:
    port = free_port()
    toolwatch.instrument(endpoint=f"http://127.0.0.1:{port}", service_name="p14-away")
    try:
        for number in range(5):
            turn = ai(call("weather", {"city": "Paris"}, f"call_p14_away_{number}"))
            loop([weather], turn)[0].invoke(HI)
        with Relay(product.url, port):
            assert toolwatch.flush(60.0)
    finally:
        toolwatch.uninstrument()
    told = Case(product, "p14-away").calls()
    assert [c["outcome"] for c in told] == ["ok"] * 5
