"""The first thing a newcomer runs must work, and must show what it promises."""

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from tests.live import wait_until
from toolwatch_server.demo.server import a_server

pytestmark = pytest.mark.slow

ROW = re.compile(r"│\s*(\S+)\s*│\s*(\S+)\s*│\s*(\S+)\s*│\s*(\d+)\s*│")
PRINT_STATEMENT = (
    "print_statement"  # the freed worker may or may not take it up before the failure is noticed
)
TRUTH = Counter(
    {
        ("current_weather", "ok", 1): 4,
        ("current_weather", "malformed", 0): 1,
        ("current_weather", "answered", 0): 1,
        ("forecast", "invalid_args", 0): 1,
        ("forecast", "ok", 1): 1,
        ("weather_api_v2", "unknown_tool", 0): 1,
        ("web_search", "external", 0): 1,
        ("fraud_check", "ok", 3): 1,
        ("charge_card", "ok", 3): 1,
        ("account_balance", "tool_error", 1): 1,
        ("exchange_rate", "ok", 3): 1,
        ("send_receipt", "discarded", 1): 1,
        ("send_receipt", "not_started", 0): 1,
        ("refund", "tool_error", 1): 2,
        ("credit_limit", "tool_error", 1): 1,
        ("loyalty_points", "inject_error", 0): 1,
        ("close_invoice", "invalid_result", 1): 1,
        ("search_documents", "ok", 1): 4,
        ("find_ticket", "ok", 1): 5,
        ("find_ticket", "unanswered", 0): 2,
        ("crawl", "cancelled", 1): 1,
        ("research", "ok", 1): 1,
        ("index_archive", "abandoned", 1): 1,
        ("send_email", "interrupted", 1): 1,
        ("send_email", "ok", 2): 1,
        ("delete_mailbox", "rejected", 0): 1,
        ("unread_count", "ok", 1): 1,
    }
)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with a_server(port=None) as address:
        yield address


@pytest.fixture(scope="module")
def rows(server: str) -> list[tuple[str, str, str, int]]:
    """tool_call_id, tool, outcome, executions: as the demo prints them."""
    return printed_rows(demo("--once", "--server", server))


def demo(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "toolwatch_server", "demo", *arguments],
        capture_output=True,
        text=True,
        timeout=540,
        check=False,
        env={**os.environ, "COLUMNS": "100"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def printed_rows(output: str) -> list[tuple[str, str, str, int]]:
    return [(row[1], row[2], row[3], int(row[4])) for row in ROW.finditer(output)]


def test_the_demo_tells_the_truth_about_each_of_its_calls(rows: list[tuple[str, str, str, int]]) -> None:
    told = Counter(
        (tool, outcome, executions) for _, tool, outcome, executions in rows if tool != PRINT_STATEMENT
    )

    assert told == TRUTH


def test_every_call_of_the_demo_has_an_id_of_its_own(rows: list[tuple[str, str, str, int]]) -> None:
    ids = [row[0] for row in rows]

    assert len(ids) == len(set(ids)) >= 40
    assert all(re.fullmatch(r"(call|srvtoolu)_\w{24}", one) for one in ids)


def test_every_printed_id_is_found_by_the_api(server: str, rows: list[tuple[str, str, str, int]]) -> None:
    with httpx.Client(base_url=server) as http:
        for tool_call_id, tool, outcome, executions in rows:
            (call,) = http.get("/api/v1/calls", params={"tool_call_id": tool_call_id}).json()["calls"]
            assert (call["tool"], call["outcome"], call["executions"]) == (tool, outcome, executions)


@pytest.mark.usefixtures("rows")
def test_the_secret_in_an_exception_of_the_demo_is_stored_nowhere(server: str) -> None:
    with httpx.Client(base_url=server) as http:
        (call,) = http.get("/api/v1/calls", params={"tool": "account_balance"}).json()["calls"]
        whole = http.get(f"/api/v1/calls/{call['key']}").text

    assert "could not connect" in whole
    assert "Tr0ub4dor" not in whole


@pytest.mark.usefixtures("rows")
def test_an_export_of_the_demo_gives_the_same_calls_in_an_empty_server(server: str, tmp_path: Path) -> None:
    file = tmp_path / "demo.otlp.binpb"
    toolwatch("export", "--format", "otlp-proto", "-o", str(file), "--server", server)

    with a_server(port=None) as empty:
        toolwatch("import", str(file), "--server", empty)
        # Whether a dead process is dead shows with time.
        wait_until(lambda: "running" not in {call["outcome"] for call in calls(empty)}, within_s=90)
        assert calls(empty) == calls(server)


def calls(server: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = httpx.get(f"{server}/api/v1/calls", params={"limit": 500}).json()["calls"]
    return found


def toolwatch(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "toolwatch_server", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_demo_with_a_server_of_its_own_ends_well() -> None:
    assert len({outcome for _, _, outcome, _ in printed_rows(demo("--once"))}) >= 12
