"""Figures about many calls, and how many statements each question costs. On SQLite and on PostgreSQL."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import event

from tests import builders as b
from tests.conftest import NOON_NS, Clock
from toolwatch_server.domain.filters import CallFilter
from toolwatch_server.storage.engine import Database, Reader
from toolwatch_server.storage.migrate import check
from toolwatch_server.storage.queries.error_groups import error_groups
from toolwatch_server.storage.queries.find import find
from toolwatch_server.storage.queries.list_calls import list_calls
from toolwatch_server.storage.queries.load_calls import load_calls
from toolwatch_server.storage.queries.overview import overview
from toolwatch_server.storage.queries.show_call import show_call
from toolwatch_server.storage.queries.show_trace import show_thread, show_trace
from toolwatch_server.storage.queries.status import status
from toolwatch_server.storage.queries.tool_health import tool_health
from toolwatch_server.storage.store import Store

MINUTE_NS = 60 * b.SECOND_NS
ALL = CallFilter()


def test_percentiles_are_durations_that_calls_had(store: Store, database: Database) -> None:
    for n in range(1, 101):
        store.save(b.a_call(f"k{n}", tool_call_id=f"id{n}", lasted_ms=n))

    with database.read() as db:
        (health,) = tool_health(db, ALL)
    assert (health.p50_ms, health.p95_ms, health.p99_ms) == (50.0, 95.0, 99.0)


def test_a_tool_is_counted_by_outcome(store: Store, database: Database) -> None:
    store.save(b.a_call("ok1", tool_call_id="1"))
    store.save(b.a_call("ok2", tool_call_id="2", at_ns=NOON_NS + 5))
    store.save(b.a_failure("bad", tool_call_id="3", at_ns=NOON_NS + 1))
    store.save(b.a_refusal("no", tool_call_id="4"))
    store.save([b.a_start("open"), *b.a_call("mail", tool="mail", tool_call_id="5")])

    with database.read() as db:
        weather, mail = tool_health(db, ALL)
        (only_mail,) = tool_health(db, CallFilter(tool="mail"))
    assert (weather.tool, weather.calls, weather.failed, weather.running) == ("weather", 5, 2, 1)
    assert weather.executions == 4
    assert weather.outcomes[0] == ("ok", 2)
    assert weather.last_ns == NOON_NS + 5
    assert weather.problem_fields == (("city", "Field required", 1),)
    assert mail == only_mail
    assert (mail.failed, mail.problem_fields) == (0, ())


def test_calls_of_no_known_tool_are_no_tool(store: Store, database: Database) -> None:
    store.save([b.about("k0", b.answered(b.an_origin()))])

    with database.read() as db:
        assert tool_health(db, ALL) == ()


def test_a_tool_that_never_ended_has_no_percentiles(store: Store, database: Database) -> None:
    store.save([b.a_start("open")])

    with database.read() as db:
        (health,) = tool_health(db, ALL)
    assert (health.p50_ms, health.p95_ms, health.p99_ms) == (None, None, None)


def test_failures_that_differ_in_numbers_and_ids_are_one_group(store: Store, database: Database) -> None:
    messages = [
        "order 17 not found in 'ch_3Nf8sK2' after 0.25 s",
        "order 4711 not found in 'ch_9Zq1aa7' after 12 s",
    ]
    for n, message in enumerate(messages):
        tool = ["refund", "charge"][n]
        store.save(
            b.a_failure(
                f"k{n}", tool=tool, message=message, tool_call_id=f"{n}", error="KeyError", at_ns=NOON_NS + n
            )
        )
    store.save(b.a_failure("k2", message="other", error="KeyError", tool_call_id="2", at_ns=NOON_NS + 9))
    store.save(b.a_call("fine", tool_call_id="3"))

    with database.read() as db:
        other, orders = error_groups(db, ALL)
        assert error_groups(db, CallFilter(tool="charge"))[0].count == 1
        assert len(error_groups(db, ALL, limit=1)) == 1
    assert (other.message, other.count) == ("other", 1)
    assert (orders.error_type, orders.message) == ("KeyError", "order … not found in … after … s")
    assert (orders.count, orders.tools) == (2, ("charge", "refund"))
    assert (orders.first_ns, orders.last_ns, orders.last_key) == (NOON_NS, NOON_NS + 1, "k1")


def test_a_failure_is_new_when_it_was_not_seen_before_the_window(store: Store, database: Database) -> None:
    for n, (at_ns, message) in enumerate(((-9, "known"), (5, "known"), (6, "fresh"))):
        store.save(b.a_failure(f"k{n}", message=message, tool_call_id=f"{n}", at_ns=NOON_NS + at_ns))

    with database.read() as db:
        fresh, known = error_groups(db, CallFilter(since_ns=NOON_NS), bucket_ns=MINUTE_NS)
    assert (fresh.message, fresh.is_new, known.message, known.is_new) == ("fresh", True, "known", False)
    assert (known.count, known.first_ns) == (1, NOON_NS - 9)
    assert known.trend == ((NOON_NS // MINUTE_NS, 1),)


def test_a_tool_has_a_trend(store: Store, database: Database) -> None:
    store.save(b.a_call("k0", tool_call_id="0"))
    store.save(b.a_failure("k1", tool_call_id="1", at_ns=NOON_NS + MINUTE_NS))

    with database.read() as db:
        (health,) = tool_health(db, ALL, bucket_ns=MINUTE_NS)
    noon = NOON_NS // MINUTE_NS
    assert health.trend == ((noon, 1, 0), (noon + 1, 1, 1))


def test_a_failure_without_an_exception_is_grouped_by_its_outcome(
    store: Store, database: Database, clock: Clock
) -> None:
    store.save([b.a_start("k0")])
    store.sweep(clock.advance(60))

    with database.read() as db:
        (group,) = error_groups(db, ALL)
    assert (group.error_type, group.message, group.last_key) == ("abandoned", "", "k0")


def test_the_overview_counts_what_began_in_its_window(store: Store, database: Database) -> None:
    store.save(b.a_call("before", tool_call_id="0", at_ns=NOON_NS - 1))
    store.save(b.a_call("first", tool_call_id="1"))
    store.save(b.a_failure("second", tool_call_id="2", at_ns=NOON_NS + 2 * MINUTE_NS, lasted_ms=900))
    store.save(b.a_call("after", tool_call_id="3", at_ns=NOON_NS + 3 * MINUTE_NS))
    store.save([b.a_start("open", at_ns=NOON_NS - 10 * MINUTE_NS, received_ns=NOON_NS)])
    end_ns = NOON_NS + 3 * MINUTE_NS

    with database.read() as db:
        seen = overview(db, ALL, since_ns=NOON_NS, until_ns=end_ns, bucket_ns=MINUTE_NS)
    assert (seen.calls, seen.failed, seen.executions) == (2, 1, 2)
    assert (seen.p50_ms, seen.p95_ms) == (100.0, 900.0)
    assert dict(seen.outcomes) == {"ok": 1, "tool_error": 1}
    assert [bucket.outcomes for bucket in seen.buckets] == [(("ok", 1),), (), (("tool_error", 1),)]
    assert [tool.calls for tool in seen.tools] == [2]
    assert [group.error_type for group in seen.errors] == ["TimeoutError"]
    assert [row.key for row in seen.running] == ["open"]
    assert seen.waiting == ()


def test_the_overview_counts_warnings(store: Store, database: Database) -> None:
    for n in range(3):
        store.save(b.a_call(f"k{n}", attempt={"content_captured": False}))

    with database.read() as db:
        seen = overview(db, ALL, since_ns=NOON_NS, until_ns=NOON_NS + 1, bucket_ns=MINUTE_NS)
    assert set(seen.warnings) == {("repeated_call", 3), ("id_reused", 3), ("content_not_captured", 3)}


def test_an_empty_database_has_an_overview(database: Database) -> None:
    with database.read() as db:
        seen = overview(db, ALL, since_ns=NOON_NS, until_ns=NOON_NS + 1, bucket_ns=MINUTE_NS)
    assert (seen.calls, seen.failed, seen.executions, seen.p50_ms) == (0, 0, 0, None)


def test_the_status_says_what_is_stored_and_where(store: Store, database: Database) -> None:
    store.save([*b.a_call("k0"), b.a_pulse(missing_hooks=("ToolNode._run_one",))])

    with database.read() as db:
        seen = status(db)
    assert (seen.calls, seen.spans, seen.oldest_ns, seen.newest_ns) == (1, 4, NOON_NS, NOON_NS)
    assert seen.database in seen.location or seen.location.endswith(".db")
    assert seen.schema_revision == check(database)
    assert seen.size_bytes is not None
    assert seen.size_bytes > 8_192
    (instance,) = seen.instances
    assert (instance.instance_id, instance.service) == ("process-1", "shop")
    assert instance.missing_hooks == ("ToolNode._run_one",)


QUESTIONS: dict[str, tuple[int, Callable[[Reader], Any]]] = {
    "list_calls": (2, lambda db: list_calls(db, CallFilter(limit=500))),
    "find": (1, lambda db: find(db, "call_1")),
    "find by another id": (2, lambda db: find(db, "thread-1")),
    "load_calls": (3, lambda db: load_calls(db, [f"k{n}" for n in range(60)])),
    "show_call": (9, lambda db: show_call(db, "k0")),
    "show_trace": (8, lambda db: show_trace(db, b.TRACE, lambda raw: b.a_span(b.an_origin()))),
    "show_thread": (8, lambda db: show_thread(db, "thread-1", lambda raw: b.a_span(b.an_origin()))),
    "tool_health": (3, lambda db: tool_health(db, ALL)),
    "error_groups": (1, lambda db: error_groups(db, ALL)),
    "overview": (9, lambda db: overview(db, ALL, since_ns=0, until_ns=NOON_NS * 2, bucket_ns=NOON_NS)),
    "status": (4, status),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_number_of_statements_does_not_grow_with_the_rows(
    store: Store, database: Database, question: str
) -> None:
    budget, ask = QUESTIONS[question]
    counts = []
    for size in (1, 60):
        for n in range(size):
            store.save(b.a_failure(f"k{n}", at_ns=NOON_NS + n) + b.a_refusal(f"no{n}", at_ns=NOON_NS + n))
        counts.append(statements(database, ask))

    assert max(counts) <= budget


def statements(database: Database, ask: Callable[[Reader], Any]) -> int:
    seen: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        seen.append(statement)

    event.listen(database.readers, "before_cursor_execute", note)
    with database.read() as db:
        ask(db)
    event.remove(database.readers, "before_cursor_execute", note)
    return sum(statement.startswith(("SELECT", "WITH")) for statement in seen)
