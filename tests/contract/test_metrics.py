"""What Prometheus may rely on. On SQLite and on PostgreSQL."""

import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from tests import builders as b
from tests.conftest import Clock
from tests.live import live, wait_until
from tests.otlp import a_tool_span, ids, request
from toolwatch_server.domain.tallies import Tallies
from toolwatch_server.storage.engine import Database
from toolwatch_server.storage.queries.tallies import tallies
from toolwatch_server.storage.store import Store
from toolwatch_server.storage.tally import PAIRS_MAX, QUIET_NS

OPENMETRICS = "application/openmetrics-text; version=1.0.0"


def counted(database: Database) -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = {}
    for row in read(database).counted:
        found[row.tool, row.outcome] = found.get((row.tool, row.outcome), 0) + row.calls
    return found


def read(database: Database) -> Tallies:
    with database.read() as db:
        return tallies(db)


def test_a_call_is_counted_once_however_often_its_records_come(
    store: Store, database: Database, clock: Clock
) -> None:
    records = b.a_call("k1")
    for _ in range(3):
        store.save(records)
        store.tally(clock())
    store.save(b.a_call("k1", lasted_ms=200))
    store.tally(clock())

    assert counted(database) == {("weather", "ok"): 1}


def test_a_call_is_counted_under_the_outcome_with_which_it_ended(
    store: Store, database: Database, clock: Clock
) -> None:
    *first, answer = b.a_call("k1")
    store.save(first)
    store.tally(clock())
    assert counted(database) == {}

    store.save([answer])
    store.tally(clock())
    assert counted(database) == {("weather", "ok"): 1}


def test_what_is_never_answered_is_counted_after_a_silence(
    store: Store, database: Database, clock: Clock
) -> None:
    store.save(b.a_failure("k1", answer=False))
    store.tally(clock())
    assert counted(database) == {}

    clock.advance(QUIET_NS / 1e9 + 1)
    store.tally(clock())
    assert counted(database) == {("weather", "tool_error"): 1}


def test_counters_do_not_go_down_when_calls_are_deleted(
    store: Store, database: Database, clock: Clock
) -> None:
    store.save(b.a_call("k1"))
    store.tally(clock())
    store.delete_trace(b.TRACE)
    store.tally(clock())

    assert counted(database) == {("weather", "ok"): 1}


def test_running_and_waiting_calls_are_figures_of_now(store: Store, database: Database, clock: Clock) -> None:
    store.save([b.a_start("k1", received_ns=clock())])

    assert (read(database).running, read(database).waiting) == (1, 0)


def test_made_up_names_share_one_line(store: Store, database: Database, clock: Clock) -> None:
    for number in range(PAIRS_MAX + 5):
        store.save(b.a_call(f"k{number}", tool=f"tool_{number}"))
    store.tally(clock())

    found = counted(database)
    assert len({tool for tool, _ in found}) == PAIRS_MAX + 1
    assert found["(others)", "ok"] == 5


def samples(text: str) -> dict[str, list[Any]]:
    parse: Any = text_string_to_metric_families
    found: dict[str, list[Any]] = defaultdict(list)
    for family in parse(text):
        for sample in family.samples:
            found[sample.name].append(sample)
    return found


def test_openmetrics_has_durations_with_the_id_of_a_trace(tmp_path: Path) -> None:
    with live(tmp_path) as server:
        server.send(request(a_tool_span(start_ns=1_000_000_000, end_ns=1_300_000_000, **ids(7))))
        server.send(request(a_tool_span(failed="no", **ids(8))))

        def found() -> dict[str, list[Any]]:
            return samples(server.http.get("/metrics", headers={"accept": OPENMETRICS}).text)

        wait_until(lambda: len(found()["toolwatch_tool_calls_total"]) == 2)
        figures = found()

    calls = {sample.labels["outcome"]: sample for sample in figures["toolwatch_tool_calls_total"]}
    assert calls["ok"].labels == {"tool": "get_weather", "service": "weather", "outcome": "ok"}
    assert calls["ok"].value == calls["tool_error"].value == 1
    buckets = {s.labels["le"]: s for s in figures["toolwatch_tool_call_duration_seconds_bucket"]}
    assert buckets["0.5"].value == 2
    assert buckets["0.5"].exemplar.labels == {"trace_id": f"{7:032x}"}
    assert buckets["0.5"].exemplar.value == pytest.approx(0.3)
    assert figures["toolwatch_database_up"][0].value == 1


def test_the_plain_format_is_served_to_those_who_do_not_ask(tmp_path: Path) -> None:
    with live(tmp_path) as server:
        answer = server.http.get("/metrics")

    assert answer.headers["content-type"].startswith("text/plain; version=")
    assert re.search(r"^toolwatch_database_bytes [1-9]", answer.text, re.MULTILINE)
    assert re.search(r"^toolwatch_queue_requests 0", answer.text, re.MULTILINE)
