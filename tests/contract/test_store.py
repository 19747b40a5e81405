"""What one may rely on when records are saved. Each test runs on SQLite and on PostgreSQL."""

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from tests import builders as b
from tests.conftest import NOON_NS, Clock, EmptyUrl
from toolwatch_server.domain.call import Call
from toolwatch_server.domain.facts import Reading
from toolwatch_server.domain.filters import CallFilter
from toolwatch_server.domain.record import Record
from toolwatch_server.storage import tables
from toolwatch_server.storage.engine import Database, open_database
from toolwatch_server.storage.queries.export_records import some_spans
from toolwatch_server.storage.queries.find import find
from toolwatch_server.storage.queries.list_calls import list_calls
from toolwatch_server.storage.queries.load_calls import load_calls
from toolwatch_server.storage.queries.show_call import show_call
from toolwatch_server.storage.queries.status import status
from toolwatch_server.storage.store import Store

NUL_AND_HALF_A_PAIR = "a\x00b\ud800c"


def only(database: Database, key: str) -> Call:
    with database.read() as db:
        (call,) = load_calls(db, [key])
    return call


def everything(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    """All that was computed, but for row numbers and for when a call was last looked at."""
    ignored = {"id", "assembled_ns", "last_seen_ns"}
    found = {}
    with database.read() as db:
        for table in (tables.calls, tables.call_problems, tables.call_traces, tables.repeated, tables.reused):
            columns = [column for column in table.c if column.name not in ignored]
            found[table.name] = sorted((tuple(row) for row in db.execute(select(*columns))), key=repr)
        for table in (tables.facts, tables.orphans, tables.runs, tables.instances):
            found[table.name] = sorted((tuple(row) for row in db.execute(select(table))), key=repr)
        found["search"] = [
            (q, sorted(row.key for row in list_calls(db, CallFilter(q=q)).rows))
            for q in ("sunny", "Bern", "timed")
        ]
    return found


def test_a_call_is_there_as_soon_as_it_is_saved(store: Store, database: Database) -> None:
    saved = store.save(b.a_call("k1"))

    assert (saved.stored, saved.duplicates, saved.touched) == (3, 0, ("k1",))
    call = only(database, "k1")
    assert (call.outcome, call.tool, call.tool_call_id, call.executions) == ("ok", "weather", "call_1", 1)
    assert call.answer.content == "sunny"


def test_records_sent_again_change_nothing(store: Store, database: Database) -> None:
    records = [*b.a_call("k1"), b.a_pulse(dropped=3)]
    store.save(records)
    before = everything(database)

    saved = store.save(records)

    assert (saved.stored, saved.duplicates, saved.touched) == (0, 4, ())
    assert everything(database) == before


def test_a_record_that_comes_twice_in_one_batch_counts_once(store: Store, database: Database) -> None:
    pulse = b.a_pulse(dropped=3)

    saved = store.save([pulse, pulse])

    assert (saved.stored, saved.duplicates) == (1, 1)
    with database.read() as db:
        assert status(db).instances[0].dropped == 3


def test_an_empty_batch_is_no_trouble(store: Store) -> None:
    assert store.save([]).stored == 0


def test_the_raw_spans_come_back_byte_for_byte(store: Store, database: Database) -> None:
    records = b.a_call("k1")
    store.save(records)

    with database.read() as db:
        assert sorted(kept.raw for kept in some_spans(db, b.TRACE, after=None, limit=100)) == sorted(
            record.raw for record in records
        )


def test_log_records_are_kept_and_known_again(store: Store, database: Database) -> None:
    origin = b.an_origin()
    log = replace(b.about("k1", b.answered(origin), b.requested(origin)), span=None)

    assert store.save([log]).stored == 1
    assert store.save([log]).duplicates == 1
    assert only(database, "k1").answer.content == "sunny"


def a_story() -> list[Record]:
    """A loop, a failure, a reused id, an orphan, a running call, a resumed one: all that needs others."""
    loop = [
        record for n in range(3) for record in b.a_call(f"loop{n}", at_ns=NOON_NS + n, tool_call_id=f"id{n}")
    ]
    tried_again = [
        *b.a_failure("fail", tool="pay", message="timed out", tool_call_id="pay_1"),
        *b.a_call("again", tool="pay", at_ns=NOON_NS + 5, tool_call_id="pay_2"),
    ]
    reused = b.a_call("other", tool_call_id="id0", arguments='{"city": "Rome"}', thread_id="thread-2")
    resumed = b.about("loop0", b.answered(b.an_origin(trace_id="b" * 32, run_id="run-2")))
    unanswered = b.about("due", b.requested(b.an_origin(), tool="mail", tool_call_id="mail_1"))
    refused = b.a_refusal("refused", tool="mail", tool_call_id="mail_2")
    signs = [b.a_pulse(dropped=2), b.a_pulse(dropped=1, at_ns=NOON_NS + 1), b.an_orphan(), b.a_run()]
    return [*loop, *tried_again, *reused, resumed, unanswered, *refused, *signs, b.a_start("open")]


STORY = a_story()


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), cuts=st.sets(st.integers(1, len(STORY) - 1), max_size=6))
def test_neither_order_nor_batches_nor_repetition_change_what_is_known(
    emptied_url: EmptyUrl, seed: int, cuts: set[int]
) -> None:
    shuffled = random.Random(seed).sample(STORY, len(STORY))
    edges = [0, *sorted(cuts), len(STORY)]
    batches = [shuffled[start:end] for start, end in pairwise(edges)]

    assert outcome_of(emptied_url(), [*batches, shuffled[:5]]) == outcome_of(emptied_url(), [STORY])


def outcome_of(url: str, batches: Sequence[Sequence[Record]]) -> dict[str, list[tuple[Any, ...]]]:
    database = open_database(url)
    try:
        store = Store(database, clock=Clock())
        for batch in batches:
            store.save(batch)
        return everything(database)
    finally:
        database.close()


def test_text_that_no_database_can_hold_is_replaced_visibly(store: Store, database: Database) -> None:
    odd = NUL_AND_HALF_A_PAIR
    origin = b.an_origin(service=odd, thread_id=odd, environment=odd, run_id=odd)
    asked = b.requested(origin, tool=odd, tool_call_id=odd, message_id=odd, arguments=odd, kind="malformed")
    orphan = b.an_orphan(odd, thread_id=odd)
    pulse = b.a_pulse(odd, missing_hooks=(odd,))

    store.save([b.about("k1", asked, b.answered(origin, content=odd)), orphan, pulse])

    with database.read() as db:
        (row,) = find(db, odd)
        assert (row.tool, row.tool_call_id) == ("a␀b�c", "a␀b�c")
        assert show_call(db, "k1") is not None


def test_ids_too_long_for_an_index_are_stored_and_found(store: Store, database: Database) -> None:
    long = "長" * 20_000
    store.save(b.a_call("k1", tool_call_id=long, tool=long, service=long, thread_id=long, run_id=long))

    with database.read() as db:
        assert [row.key for row in find(db, long)] == ["k1"]
        assert len(list_calls(db, CallFilter(thread_id=long, tool=long, run_id=long)).rows) == 1
        assert find(db, long + "!") == ()


def test_numbers_beyond_what_databases_hold_do_no_harm(store: Store, database: Database) -> None:
    origin = b.an_origin()
    asked = b.requested(origin, at_ns=2**64 - 1, position=2**63, group_id="g", group_size=2**63)

    store.save([b.about("k1", asked)])

    with database.read() as db:
        assert list_calls(db, CallFilter()).rows[0].sort_ns == 2**63 - 1


def test_a_large_result_is_kept_whole(store: Store, database: Database) -> None:
    large = "".join(random.Random(1).choices("abcdefghij ", k=2_000_000))
    store.save(b.a_call("k1", content=large))

    assert only(database, "k1").answer.content == large


def test_a_silent_process_leaves_its_calls_abandoned(store: Store, database: Database, clock: Clock) -> None:
    store.save([b.a_start("k1")])
    assert only(database, "k1").outcome == "running"

    assert store.sweep(clock.advance(10)) == ()
    assert store.sweep(clock.advance(10)) == ("k1",)

    assert only(database, "k1").outcome == "abandoned"
    assert store.sweep(clock.advance(10)) == ()
    with database.read() as db:
        assert [row.key for row in list_calls(db, CallFilter(outcomes=("abandoned",), failed=True)).rows] == [
            "k1"
        ]


def test_a_process_that_says_it_lives_keeps_its_calls_running(
    store: Store, database: Database, clock: Clock
) -> None:
    store.save([b.a_start("k1")])
    store.save([b.a_pulse(at_ns=clock.advance(14), calls=("k1",))])

    assert store.sweep(clock.advance(10)) == ()
    assert only(database, "k1").outcome == "running"


def test_a_call_believed_dead_is_running_again_when_its_process_speaks(
    store: Store, database: Database, clock: Clock
) -> None:
    store.save([b.a_start("k1")])
    store.sweep(clock.advance(60))

    saved = store.save([b.a_pulse(at_ns=clock.advance(1), calls=("k1", "never heard of"))])

    assert saved.touched == ("k1",)
    assert only(database, "k1").outcome == "running"


def test_an_end_that_comes_late_is_still_the_end(store: Store, database: Database, clock: Clock) -> None:
    start = b.a_start("k1")
    (said,) = start.reading.facts
    store.save([start])
    store.sweep(clock.advance(60))

    end = b.attempted(b.an_origin(), attempt_span_id=said.fact.origin.span_id)
    store.save([b.about("k1", end), b.about("k1", b.answered(b.an_origin()))])

    assert only(database, "k1").outcome == "ok"


def test_a_sender_that_names_no_process_is_judged_by_its_last_record(
    store: Store, database: Database, clock: Clock
) -> None:
    store.save([b.a_start("k1", instance_id=None, at_ns=NOON_NS - 60 * b.SECOND_NS, received_ns=NOON_NS)])
    assert only(database, "k1").outcome == "running"

    assert store.sweep(clock.advance(20)) == ("k1",)


def test_losses_of_a_process_add_up(store: Store, database: Database) -> None:
    store.save([b.a_pulse(dropped=3, missing_hooks=("ToolNode",))])
    store.save([b.a_pulse(dropped=4, at_ns=NOON_NS + 1)])

    with database.read() as db:
        (instance,) = status(db).instances
    assert (instance.dropped, instance.missing_hooks, instance.last_seen_ns) == (
        7,
        ("ToolNode",),
        NOON_NS + 1,
    )


def test_a_record_that_says_nothing_about_calls_is_kept_for_its_trace(
    store: Store, database: Database
) -> None:
    record = b.a_record(Reading(), b.an_origin())

    saved = store.save([record])

    assert (saved.stored, saved.touched) == (1, ())
    with database.read() as db:
        assert [kept.raw for kept in some_spans(db, b.TRACE, after=None, limit=100)] == [record.raw]


@pytest.mark.slow
def test_a_batch_larger_than_any_statement_is_saved_whole(store: Store, database: Database) -> None:
    records = [
        record for n in range(700) for record in b.a_call(f"k{n}", tool_call_id=f"id{n}", thread_id=f"t{n}")
    ]

    saved = store.save(records)

    assert (saved.stored, len(saved.touched)) == (2_100, 700)
    with database.read() as db:
        assert list_calls(db, CallFilter()).total == 700
