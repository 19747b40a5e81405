"""A rule that was added later applies to what is stored already: everywhere, and as if it had always held."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs

from tests.leaks.places import kept
from tests.live import live
from tests.otlp import a_tool_span, ids, message, pairs, value
from toolwatch import conventions as c
from toolwatch.redaction import Redactor
from toolwatch_server.ingest.again import UNCUT, Again
from toolwatch_server.ingest.otlp.scrub import Scrubber
from toolwatch_server.ingest.redact import TextRedactor
from toolwatch_server.storage.engine import Database
from toolwatch_server.storage.rewriting import Rewriter, Step

ORDER = "ORDER-7731-SECRET"
TEXT = f"cannot find {ORDER} anywhere"
RULES = "[patterns]\norder-number = 'ORDER-\\d+-[A-Z]+'\n"
CALLS = 5


def fill(folder: Path, database_url: str) -> list[Any]:
    """Calls of our collector and of another SDK, a log record, an orphan and a run, all with the text."""
    with live(folder, database_url=database_url) as server:
        for number in range(CALLS):
            own = (
                {c.RECORD: "attempt", c.CALL_KEY: f"c{number:024x}", c.REDACTIONS: "[]"} if number % 2 else {}
            )
            more = {"gen_ai.tool.call.result": TEXT, "gen_ai.conversation.id": f"about {ORDER}", **own}
            body = message(
                a_tool_span(f"t{ORDER}", f"call_{number}", more=more, failed=TEXT, **ids(number + 1))
            )
            assert server.send(body.SerializeToString()).status_code == 200
        orphans = f'[{{"id": "call_x", "name": "t", "content": "{TEXT}", "status": "success"}}]'
        run = {
            c.RECORD: "run",
            c.ORPHANS: orphans,
            c.CONVERSATION_ID: f"about {ORDER}",
            "gen_ai.agent.name": ORDER,
        }
        assert (
            server.send(message(a_tool_span("t", None, more=run, **ids(90))).SerializeToString()).status_code
            == 200
        )
        log = LogRecord(body=value(TEXT), attributes=pairs({"note": TEXT}))
        logs = ExportLogsServiceRequest(
            resource_logs=[ResourceLogs(scope_logs=[ScopeLogs(log_records=[log])])]
        )
        assert server.send(logs.SerializeToString(), path="/v1/logs").status_code == 200
        return server.calls()


def redact(folder: Path, database_url: str) -> str:
    file = folder / "rules.toml"
    file.write_text(RULES)
    command = [sys.executable, "-m", "toolwatch_server", "db", "redact", "--database-url", database_url]
    done = subprocess.run(
        command, env={"TOOLWATCH_REDACT_RULES": str(file), "HOME": str(folder), "PATH": "/usr/bin"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def rewriter(database: Database, rules: str = "order") -> Rewriter:
    again = Again(
        Scrubber(TextRedactor(Redactor.build(extra_patterns={"order-number": "ORDER-\\d+-[A-Z]+"})), UNCUT)
    )
    return Rewriter(database, again.span, again.log, rules)


def test_a_secret_of_a_new_kind_is_gone_from_everything_that_was_stored(
    tmp_path: Path, database_url: str
) -> None:
    before = fill(tmp_path, database_url)
    assert ORDER in str(before)

    said = redact(tmp_path, database_url)

    assert "Records in which something was hidden: 7" in said
    assert [place for place, data in kept(database_url) if ORDER.encode() in data] == []
    assert [place for place, data in kept(database_url) if b"7731" in data] == []


def test_the_calls_are_what_they_were_but_for_the_secret(tmp_path: Path, database_url: str) -> None:
    before = {call["tool_call_id"]: call for call in fill(tmp_path, database_url)}
    redact(tmp_path, database_url)

    with live(tmp_path, database_url=database_url) as server:
        after = {call["tool_call_id"]: call for call in server.calls()}
        assert server.calls(q="7731") == []
        assert len(server.calls(redaction="order-number")) == len(after)

    assert after.keys() == before.keys()
    for id_, call in after.items():
        assert call["outcome"] == before[id_]["outcome"]
        was = before[id_]["error"]
        assert call["error"] == (was and {**was, "message": TEXT.replace(ORDER, "[order-number]")})


def test_an_interrupted_run_goes_on_where_it_was(
    tmp_path: Path, database_url: str, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path, database_url)
    monkeypatch.setattr("toolwatch_server.storage.rewriting.AT_ONCE", 2)
    first = next(iter(rewriter(database).run()))

    rest = list(rewriter(database).run())

    assert first == Step(done=2, total=7, changed=2)
    assert (rest[0].total, rest[-1].changed) == (5, 5)


def test_other_rules_begin_anew(
    tmp_path: Path, database_url: str, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path, database_url)
    monkeypatch.setattr("toolwatch_server.storage.rewriting.AT_ONCE", 2)
    next(iter(rewriter(database).run()))

    steps = list(rewriter(database, rules="others").run())

    assert (steps[0].total, steps[-1].changed) == (7, 5)


def test_where_nothing_is_to_be_hidden_nothing_changes(tmp_path: Path, database_url: str) -> None:
    fill(tmp_path, database_url)
    redact(tmp_path, database_url)
    before = {
        place: data for place, data in kept(database_url) if not place.endswith(("-wal", "-shm", ".db"))
    }

    assert "hidden: 0" in redact(tmp_path, database_url)
    assert {place: data for place, data in kept(database_url) if place in before} == before
