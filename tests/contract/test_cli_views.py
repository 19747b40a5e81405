"""find, tail and errors: for eyes in a terminal, for programs in a pipe."""

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from tests.live import Live, live
from tests.otlp import a_tool_span, ids, request
from toolwatch_server.cli import app
from toolwatch_server.cli.looks import call_line, call_view


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with live(tmp_path_factory.mktemp("views")) as running:
        bad = {
            "error.type": "shop.Declined",
            "gen_ai.tool.call.arguments": '{"note": "[bold]no markup[/bold]"}',
        }
        running.send(request(a_tool_span("pay", "call_pay", **ids(1), failed="card\ndeclined 17", more=bad)))
        running.send(request(a_tool_span("add", "call_add", **ids(2), more={"gen_ai.tool.call.result": "5"})))
        yield running


def printed(server: Live, *arguments: str) -> str:
    done = CliRunner().invoke(app, [*arguments, "--server", server.address])
    assert done.exit_code == 0, done.output
    return done.stdout


def seen(renderable: Any, width: int, *, colour: bool = True) -> str:
    console = Console(
        file=io.StringIO(), force_terminal=colour, width=width, color_system="truecolor" if colour else None
    )
    console.print(renderable)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_errors_are_groups_for_programs(server: Live) -> None:
    (group,) = json.loads(printed(server, "errors", "--json"))

    assert (group["error_type"], group["count"], group["tools"]) == ("shop.Declined", 1, ["pay"])
    assert group == server.http.get("/api/v1/errors").json()["errors"][0]


def test_errors_in_a_pipe_are_columns_without_colour(server: Live) -> None:
    text = printed(server, "errors")

    assert "\x1b" not in text
    assert text.split("\t")[:2] == ["1", "shop.Declined"]


@pytest.mark.parametrize("width", [20, 40, 200])
def test_a_call_fits_into_a_terminal_of_any_width(server: Live, width: int) -> None:
    (call,) = server.calls(tool="pay")

    for view in (call_view(call), call_line(call)):
        lines = seen(view, width, colour=False).splitlines()
        assert max(map(len, lines)) <= width


def test_nothing_from_a_payload_is_taken_for_markup(server: Live) -> None:
    (call,) = server.calls(tool="pay")

    assert "[bold]no markup[/bold]" in seen(call_view(call), 200)


def test_an_outcome_is_told_by_more_than_its_colour(server: Live) -> None:
    told = {call["tool"]: seen(call_line(call), 200, colour=False) for call in server.calls()}

    assert "✗ tool_error" in told["pay"]
    assert "✓ ok" in told["add"]


def test_tail_follows_calls_and_ends_with_an_interrupt(server: Live) -> None:
    command = [sys.executable, "-m", "toolwatch_server", "tail", "--json", "--server", server.address]
    with subprocess.Popen(
        [*command, "--tool", "late"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ},
    ) as process:
        assert process.stdout is not None
        for number in (3, 4):
            server.send(request(a_tool_span("late", f"call_{number}", **ids(number))))
            assert json.loads(process.stdout.readline())["tool_call_id"] == f"call_{number}"
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
