"""What is kept and what goes, and that what goes is gone. On SQLite and on PostgreSQL."""

import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans
from sqlalchemy import func, select

from tests import builders as b
from tests import otlp
from tests.conftest import NOON_NS, Clock
from tests.live import live
from toolwatch_server.domain.filters import CallFilter
from toolwatch_server.domain.keeping import Pruned, Rules
from toolwatch_server.ingest.otlp.bare import bare_span
from toolwatch_server.storage import tables
from toolwatch_server.storage.engine import Database, open_database
from toolwatch_server.storage.queries.list_calls import list_calls
from toolwatch_server.storage.queries.load_calls import load_calls
from toolwatch_server.storage.queries.status import status
from toolwatch_server.storage.retention import Retention
from toolwatch_server.storage.store import Store

DAY_S = 86_400
Keep = Callable[..., Retention]


@pytest.fixture
def keep(database: Database, clock: Clock) -> Keep:
    return lambda **rules: Retention(database, Rules(**rules), clock, lambda raw: raw[:10])


def a_day(store: Store, clock: Clock, *numbers: int, make: Any = b.a_call) -> None:
    """One trace with one call for each number, and then a day passes."""
    for number in numbers:
        records = make(f"k{number}", trace_id=f"{number:032x}", tool_call_id=f"id{number}", at_ns=clock())
        store.save([b.replace_received(record, clock()) for record in records])
    clock.advance(DAY_S)


def left(database: Database) -> list[str]:
    with database.read() as db:
        return sorted(row.key for row in list_calls(db, CallFilter()).rows)


def test_without_a_rule_everything_stays(store: Store, database: Database, clock: Clock, keep: Keep) -> None:
    a_day(store, clock, 1, 2)

    assert keep().prune() == Pruned()
    assert left(database) == ["k1", "k2"]


def test_old_traces_go_and_newer_ones_stay(
    store: Store, database: Database, clock: Clock, keep: Keep
) -> None:
    a_day(store, clock, *range(250))
    a_day(store, clock, 900)
    heard_again = b.about("k0", b.answered(b.an_origin(trace_id=f"{0:032x}")), received_ns=clock())
    store.save([heard_again])

    assert keep(days=1.5).prune() == Pruned(traces=249)
    assert left(database) == ["k0", "k900"]
    assert keep(days=1.5).prune() == Pruned()


def test_failures_and_pinned_traces_are_kept_longer(
    store: Store, database: Database, clock: Clock, keep: Keep
) -> None:
    a_day(store, clock, 1, 2)
    a_day(store, clock, 3, make=b.a_failure)
    assert keep().pin(f"{2:032x}")
    clock.advance(10 * DAY_S)

    keep(days=1, failures_days=30).prune()
    assert left(database) == ["k2", "k3"]

    clock.advance(30 * DAY_S)
    keep(days=1, failures_days=30).prune()
    assert left(database) == ["k2"]

    assert keep().unpin(f"{2:032x}")
    keep(days=1).prune()
    assert left(database) == []


def test_only_traces_that_are_there_can_be_pinned(store: Store, keep: Keep) -> None:
    assert not keep().pin("f" * 32)
    assert not keep().unpin("f" * 32)


def test_of_too_many_calls_the_oldest_go(store: Store, database: Database, clock: Clock, keep: Keep) -> None:
    a_day(store, clock, 1, make=b.a_failure)
    a_day(store, clock, 2, 3)
    a_day(store, clock, 4)

    keep(calls=3).prune()
    assert left(database) == ["k2", "k3", "k4"]
    keep(calls=1).prune()
    assert left(database) == ["k4"]


def test_of_too_many_calls_failures_go_last_when_they_are_to_be_kept_longer(
    store: Store, database: Database, clock: Clock, keep: Keep
) -> None:
    a_day(store, clock, 1, make=b.a_failure)
    a_day(store, clock, 2, 3)

    keep(calls=1, failures_days=30).prune()
    assert left(database) == ["k1"]


def test_texts_go_earlier_than_calls(store: Store, database: Database, clock: Clock, keep: Keep) -> None:
    a_day(store, clock, 1, make=lambda key, **said: b.a_call(key, content="Zanzibar", **said))
    a_day(store, clock, 2, make=b.a_failure)
    a_day(store, clock, 3)

    assert keep(bodies_days=1.5).prune() == Pruned(bodies=2)
    assert keep(bodies_days=1.5).prune() == Pruned()

    with database.read() as db:
        assert list_calls(db, CallFilter(q="Zanzibar")).rows == ()
        first, second, third = load_calls(db, ["k1", "k2", "k3"])
        rows = {row.key: row for row in list_calls(db, CallFilter()).rows}
        raws = [len(raw) for raw in db.execute(select(tables.spans.c.raw)).scalars()]
    assert (first.outcome, first.executions, first.arguments.raw) == ("ok", 1, None)
    assert (first.answer.content, rows["k1"].answer_preview, rows["k1"].arguments_preview) == (
        None,
        None,
        None,
    )
    assert (second.outcome, second.error and second.error.type) == ("tool_error", "TimeoutError")
    assert third.answer.content == "sunny"
    assert sorted(set(raws))[0] == 10
    assert rows["k1"].duration_ms == 100


def test_a_late_record_does_not_undo_what_is_known_of_a_call_without_texts(
    store: Store, database: Database, clock: Clock, keep: Keep
) -> None:
    a_day(store, clock, 1)
    clock.advance(DAY_S)
    keep(bodies_days=1).prune()

    store.save([b.about("k1", b.run_ended(b.an_origin(trace_id=f"{1:032x}")), received_ns=clock())])

    with database.read() as db:
        (row,) = list_calls(db, CallFilter()).rows
    assert (row.outcome, row.executions) == ("ok", 1)


def test_nothing_is_left_of_what_went(store: Store, database: Database, clock: Clock, keep: Keep) -> None:
    a_day(store, clock, 1, 2)
    keep().pin(f"{1:032x}")
    keep(bodies_days=0.5).prune()
    keep().unpin(f"{1:032x}")

    keep(days=0.5).prune()

    with database.read() as db:
        for table in tables.metadata.sorted_tables:
            assert db.execute(select(func.count()).select_from(table)).scalar_one() == 0, table.name


def test_a_dry_run_says_exactly_what_would_go(
    store: Store, database: Database, clock: Clock, keep: Keep
) -> None:
    a_day(store, clock, 1, 2, 3)
    both = [b.about("k9", b.attempted(b.an_origin(trace_id=f"{n:032x}"))) for n in (1, 2)]
    store.save([b.replace_received(record, clock() - DAY_S * 1_000_000_000) for record in both])
    a_day(store, clock, 4, 5)
    retention = keep(days=1.5, bodies_days=0.5)

    traces, bodies = retention.weigh()

    with database.read() as db:
        before = status(db)
    assert (traces.traces, traces.calls, bodies.traces) == (3, 4, 2)
    assert traces.span_bytes > 0
    assert retention.prune() == Pruned(traces=3, bodies=2)
    with database.read() as db:
        after = status(db)
    assert (before.calls - after.calls, before.spans - after.spans) == (traces.calls, traces.spans)


def test_a_dry_run_counts_what_is_too_many(
    store: Store, database: Database, clock: Clock, keep: Keep
) -> None:
    a_day(store, clock, 1, 2, 3)
    retention = keep(calls=1)

    assert retention.weigh()[0].traces == 2
    assert retention.prune().traces == 2


def test_space_is_given_back(store: Store, database: Database, clock: Clock, keep: Keep) -> None:
    text = "lorem ipsum " * 200
    for number in range(200):
        store.save(b.a_call(f"k{number}", trace_id=f"{number:032x}", content=f"{number}{text}"))
    clock.advance(DAY_S)
    before = size(database)

    retention = keep(days=0.5)
    retention.prune()
    retention.give_back()

    assert size(database) < before / 2


def size(database: Database) -> int:
    """Of PostgreSQL only our tables: the empty database is larger than what these tests put into it."""
    with database.read() as db:
        if database.writer.dialect.name == "sqlite":
            return status(db).size_bytes or 0
        names = ("spans", "facts", "calls")
        return sum(db.execute(select(func.pg_total_relation_size(name))).scalar_one() for name in names)


def test_a_file_stays_below_its_limit(migrated_sqlite: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(migrated_sqlite, tmp_path / "calls.db"))
    with closing(open_database(f"sqlite:///{path}")) as database:
        store = Store(database, clock=lambda: NOON_NS)
        for number in range(300):
            store.save(b.a_call(f"k{number}", trace_id=f"{number:032x}", at_ns=NOON_NS + number))
        limit = size(database) * 2 // 3
        retention = Retention(database, Rules(size_bytes=limit), lambda: NOON_NS, bare_span)

        for _ in range(3):
            retention.prune()

        assert path.stat().st_size <= limit
        with database.read() as db:
            assert 100 < status(db).calls < 300


def test_a_span_without_its_texts_is_still_a_span() -> None:
    attributes = {"gen_ai.tool.name": "pay", "gen_ai.tool.call.arguments": '{"to": "Ann"}', "long": "x" * 500}
    raw = otlp.message(otlp.a_span(attributes)).resource_spans[0].SerializeToString()

    (span,) = ResourceSpans.FromString(bare_span(raw)).scope_spans[0].spans

    assert [pair.key for pair in span.attributes] == ["gen_ai.tool.name"]
    assert span.span_id.hex() == otlp.SPAN_ID


def test_retention_runs_by_itself_and_says_so(tmp_path: Path) -> None:
    with live(tmp_path) as server:
        server.send(otlp.request(otlp.a_tool_span(**otlp.ids(1)), otlp.a_tool_span(**otlp.ids(2))))
        assert server.http.put(f"/api/v1/traces/{2:032x}/pin").json()["pinned"] is True
        assert server.http.put(f"/api/v1/traces/{3:032x}/pin").status_code == 404

    with live(tmp_path, keep_days=1e-9) as server:
        while server.status()["retention"]["last_run_at"] is None:
            pass
        said = server.status()["retention"]
        assert (said["traces_deleted"], said["error"]) == (1, None)
        assert len(server.calls()) == 1
        assert server.http.delete(f"/api/v1/traces/{2:032x}/pin").json()["pinned"] is False
        assert server.http.delete(f"/api/v1/traces/{2:032x}/pin").status_code == 404
