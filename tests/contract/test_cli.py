"""What the command line promises: messages, exit codes, and that its commands fit together."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.live import Live, live, started
from tests.otlp import a_tool_span, request

KEY = "the-key-of-the-tests"


class Done:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


def toolwatch(*arguments: str | Path, **environment: str) -> Done:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("TOOLWATCH_")}
    done = subprocess.run(
        [sys.executable, "-m", "toolwatch_server", *map(str, arguments)],
        capture_output=True,
        timeout=60,
        env=inherited | {"COLUMNS": "200"} | environment,
        check=False,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with live(tmp_path_factory.mktemp("cli"), api_key=KEY) as running:
        running.http.headers["x-api-key"] = KEY
        for number, tool in enumerate(("get_weather", "pay")):
            failed = "declined" if tool == "pay" else None
            span = a_tool_span(
                tool,
                f"call_{tool}",
                trace_id=f"{number + 1:032x}",
                span_id=f"{number + 1:016x}",
                failed=failed,
            )
            running.send(request(span))
        yield running


def ask(server: Live, *arguments: str | Path) -> Done:
    return toolwatch(*arguments, "--server", server.address, TOOLWATCH_API_KEY=f"{KEY},another-key")


def test_the_version_is_that_of_the_distribution() -> None:
    done = toolwatch("--version")

    assert (done.code, done.out) == (0, "toolwatch 0.1.0\n")


@pytest.mark.parametrize(
    "command", ["serve", "demo", "find", "tail", "errors", "export", "import", "doctor", "db"]
)
def test_every_command_explains_itself(command: str) -> None:
    done = toolwatch(command, "--help")

    assert done.code == 0
    assert "Example" in done.out or command == "db"


def test_without_the_server_extra_the_one_command_that_installs_it_is_told() -> None:
    blocked = "import sys; sys.modules['typer'] = None; from toolwatch._cli import main; main()"

    done = subprocess.run([sys.executable, "-c", blocked], capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert "pip install 'toolwatch[server]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_call_is_found_by_its_id(server: Live) -> None:
    done = ask(server, "find", "call_pay")

    assert done.code == 0
    assert done.out.startswith("pay  tool_error\n")


def test_a_found_call_can_be_had_as_json(server: Live) -> None:
    done = ask(server, "find", "call_pay", "--json")

    assert [call["tool"] for call in json.loads(done.out)] == ["pay"]


def test_an_unknown_id_says_so_and_exits_with_1(server: Live) -> None:
    done = ask(server, "find", "call_nobody")

    assert (done.code, done.out) == (1, "")
    assert "No call has the id 'call_nobody'" in done.err


def test_no_server_says_so_and_how_to_start_one() -> None:
    done = toolwatch("find", "call_pay", "--server", "http://127.0.0.1:9")

    assert done.code == 1
    assert "No server answers at http://127.0.0.1:9. Start one with 'toolwatch serve'" in done.err
    assert "Traceback" not in done.err


def test_a_missing_key_is_named(server: Live) -> None:
    done = toolwatch("find", "call_pay", "--server", server.address)

    assert done.code == 1
    assert "401" in done.err
    assert "API key" in done.err


def test_export_takes_the_filters_of_the_api(server: Live) -> None:
    done = ask(server, "export", "--failed", "--since", "-1h")

    assert [call["tool"] for call in json.loads(done.out)["calls"]] == ["pay"]


def test_a_wrong_filter_names_what_is_allowed(server: Live) -> None:
    done = ask(server, "export", "--outcome", "great")

    assert done.code == 1
    assert "outcome cannot be 'great'. Allowed: ok, tool_error," in done.err


@pytest.mark.parametrize(("format", "name"), [("otlp-json", "all.otlp.json"), ("otlp-proto", "all.binpb")])
def test_what_was_exported_can_be_imported_elsewhere(
    server: Live, tmp_path: Path, format: str, name: str
) -> None:
    assert ask(server, "export", "--format", format, "-o", tmp_path / name).code == 0

    with live(tmp_path) as elsewhere:
        done = toolwatch("import", tmp_path / name, "--server", elsewhere.address)
        assert done.code == 0, done.err
        assert {call["tool"] for call in elsewhere.calls()} == {"pay", "get_weather"}


def test_a_file_that_is_no_otlp_is_refused_by_name(server: Live, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_bytes(b"\xff\xff\xff")

    done = ask(server, "import", tmp_path / "notes.txt")

    assert done.code == 1
    assert "notes.txt" in done.err
    assert "not an OTLP or Jaeger file" in done.err


def test_the_doctor_finds_a_healthy_server_well_and_leaves_nothing(server: Live) -> None:
    done = ask(server, "doctor")

    assert done.code == 0, done.err
    assert done.out.endswith("All is well.\n")
    assert server.calls(service="toolwatch-doctor") == []


def test_the_doctor_says_which_step_failed() -> None:
    done = toolwatch("doctor", "--server", "http://127.0.0.1:9")

    assert done.code == 1
    assert "✗ a server answers" in done.out


def test_a_taken_port_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = toolwatch("serve", "--port", str(port))

    assert done.code == 3
    assert f"S012  Cannot listen on 127.0.0.1 port {port}" in done.err


def test_a_taken_grpc_port_is_told_and_how_to_do_without(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        url = f"sqlite:///{tmp_path / 'calls.db'}"
        done = toolwatch("serve", "--port", "0", "--grpc-port", str(port), "--database-url", url)

    assert done.code == 3
    assert f"S012  Cannot listen on 127.0.0.1 port {port}" in done.err
    assert "--grpc-port 0" in done.err


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"TOOLWATCH_HOST": "0.0.0.0"}, "S010"),
        ({"TOOLWATCH_PORT": "many"}, "S003  TOOLWATCH_PORT"),
        ({"TOOLWATCH_GRPC_PORT": "many"}, "S013  TOOLWATCH_GRPC_PORT"),
        ({"TOOLWATCH_DATABASE_URL": "mysql://root:hunter2@db/x"}, "S001  TOOLWATCH_DATABASE_URL"),
        ({"TOOLWATCH_API_KEY_FILE": "/nowhere/key"}, "S011  TOOLWATCH_API_KEY_FILE"),
        ({"TOOLWATCH_DATABASE_URL": "postgresql://u:hunter2@127.0.0.1:9/x"}, "cannot use the database"),
    ],
    ids=str,
)
def test_what_stops_the_start_is_one_sentence_without_secrets(environment: dict[str, str], said: str) -> None:
    done = toolwatch("serve", **{"TOOLWATCH_PORT": "0", "TOOLWATCH_GRPC_PORT": "0", **environment})

    assert done.code == 3
    assert said in done.err
    assert "hunter2" not in done.err + done.out
    assert "Traceback" not in done.err


def test_the_server_says_where_it_is_and_where_calls_are_kept(tmp_path: Path) -> None:
    with started(f"sqlite:///{tmp_path / 'said.db'}") as (process, address):
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(3)]
        process.send_signal(signal.SIGINT)
        process.wait(20)

    assert address in lines[0]
    assert str(tmp_path / "said.db") in lines[1]
    assert "open to this machine" in lines[2]


def test_old_traces_are_pruned_and_a_dry_run_prunes_nothing(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'live.db'}"
    with live(tmp_path) as running:
        running.send(request(a_tool_span()))

    def run(*arguments: str) -> Any:
        done = toolwatch("db", *arguments, "--database-url", url)
        assert done.code == 0, done.err
        return done.out.strip()

    assert run("prune", "--older-than", "1", "--dry-run").startswith("Traces that would be deleted: 0,")
    would = run("prune", "--older-than", "0", "--dry-run")
    assert would.startswith("Traces that would be deleted: 1, with 1 calls and 1 spans")
    assert "1 calls, 1 spans" in run("check")
    assert run("prune", "--older-than", "0").endswith("deleted: 1")
    assert "0 calls, 0 spans" in run("check")


def test_check_sends_to_upgrade_and_upgrade_makes_it_well(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'new.db'}"

    before = toolwatch("db", "check", "--database-url", url)
    assert (before.code, "toolwatch db upgrade" in before.err) == (3, True)

    assert toolwatch("db", "upgrade", "--database-url", url).code == 0
    assert toolwatch("db", "check", "--database-url", url).code == 0
