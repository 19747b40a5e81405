"""What one may rely on when records of other SDKs are saved: on SQLite and on PostgreSQL."""

from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import select

from tests import builders as b
from tests.conftest import NOON_NS, Clock
from toolwatch_server.domain.call import Call
from toolwatch_server.domain.clues import Asked, Clue, Told, ToolRun, Turn
from toolwatch_server.domain.facts import Origin, Reading
from toolwatch_server.domain.keeping import Rules
from toolwatch_server.domain.record import Record
from toolwatch_server.domain.span import Span
from toolwatch_server.storage import linking, tables
from toolwatch_server.storage.engine import Database
from toolwatch_server.storage.queries.load_calls import load_calls
from toolwatch_server.storage.retention import Retention
from toolwatch_server.storage.store import Store

MS = 1_000_000


def record(span_id: str, at_ms: int, *, trace: str = "1", thread: str | None = "th", **said: Any) -> Record:
    """A span of another SDK, and the clue that its dialect reads, if any."""
    trace_id, own = trace * 32, span_id.rjust(16, "0")
    parent = said.pop("parent", "f").rjust(16, "0")
    start_ns = NOON_NS + at_ms * MS
    span = Span(
        trace_id=trace_id, span_id=own, parent_span_id=parent, name="x", kind=1, start_ns=start_ns,
        end_ns=start_ns + MS, status_code=0, status_message="", attributes={},
    )  # fmt: skip
    origin = Origin(trace_id=trace_id, span_id=own, thread_id=thread, service="shop")
    clue = Clue(origin=origin, parent_span_id=parent, start_ns=start_ns, end_ns=start_ns + MS, **said)
    read = Reading(clues=(clue,)) if said else Reading()
    return Record(received_ns=NOON_NS, span=span, raw=f"{trace}{span_id}".encode(), reading=read)


def asks(span_id: str, at_ms: int, *ids: str, **place: Any) -> Record:
    asked = tuple(Asked(tool_call_id=i, tool="pay", arguments=f'{{"for": "{i}"}}') for i in ids)
    return record(span_id, at_ms, turn=Turn(asked=asked), **place)


def ran(span_id: str, at_ms: int, for_id: str, outcome: str = "ok", **place: Any) -> Record:
    said = ToolRun(tool="pay", arguments=f'{{"for": "{for_id}"}}', outcome=outcome, result="paid")
    return record(span_id, at_ms, run=said, **place)


def tells(span_id: str, at_ms: int, recalled: str, **place: Any) -> Record:
    asked = Asked(tool_call_id=recalled, tool="pay", arguments=f'{{"for": "{recalled}"}}')
    answer = Told(tool_call_id=recalled, content="paid")
    return record(span_id, at_ms, turn=Turn(recalled=(asked,), told=(answer,)), **place)


def stored(database: Database) -> list[Call]:
    with database.read() as db:
        keys = db.execute(select(tables.calls.c.key)).scalars().all()
        found = load_calls(db, keys)
    return sorted(found, key=lambda call: (call.started_ns or 0, call.key))


def save_each(store: Store, records: Sequence[Record]) -> None:
    for one in records:
        store.save([one])


def test_a_run_that_came_before_its_request_moves_to_it(store: Store, database: Database) -> None:
    store.save([ran("b", 10, "call_1")])
    (alone,) = stored(database)

    saved = store.save([asks("a", 0, "call_1")])

    (call,) = stored(database)
    assert (alone.tool_call_id, call.tool_call_id, call.linked_by) == (None, "call_1", "name_and_arguments")
    assert alone.key in saved.touched
    assert call.key in saved.touched


def test_a_parent_that_comes_last_and_says_nothing_still_tells_what_lies_inside_what(
    store: Store, database: Database
) -> None:
    outer = ran("b", 10, "call_1")
    inner = record("d", 11, parent="c", run=ToolRun(tool="lookup"))
    save_each(store, [outer, inner])

    store.save([record("c", 11, parent="b")])

    first, second = stored(database)
    assert second.parent_key == first.key


@pytest.mark.parametrize("resumed_first", [False, True])
def test_a_pause_and_its_resumption_in_another_trace_are_one_call(
    store: Store, database: Database, resumed_first: bool
) -> None:
    paused = [asks("a", 0, "call_1"), ran("b", 10, "call_1", outcome="interrupted")]
    resumed = [ran("c", 100, "call_1", trace="2"), tells("d", 200, "call_1", trace="2")]

    save_each(store, [*resumed, *paused] if resumed_first else [*paused, *resumed])

    (call,) = stored(database)
    assert [attempt.outcome for attempt in call.attempts] == ["interrupted", "ok"]
    assert (call.outcome, call.told, len(call.trace_ids)) == ("ok", "paid", 2)


@pytest.mark.parametrize("answer_first", [False, True])
def test_a_program_that_gives_each_request_a_trace_of_its_own_has_one_call_of_each(
    store: Store, database: Database, answer_first: bool
) -> None:
    records = [
        asks("a", 0, "call_1", thread=None),
        tells("b", 100, "call_1", trace="2", thread=None),
    ]

    save_each(store, records[::-1] if answer_first else records)

    (call,) = stored(database)
    assert (call.tool_call_id, call.told, call.requested_ns) == ("call_1", "paid", NOON_NS + MS)


@pytest.mark.parametrize("ours_first", [False, True])
def test_a_call_that_our_collector_and_another_sdk_report_is_shown_once(
    store: Store, database: Database, ours_first: bool
) -> None:
    ours = b.a_call("k1")  # tool weather, id call_1, in a trace of a's
    theirs = record("b", 10, trace="a", run=ToolRun(tool="weather", tool_call_id="call_1", result="sunny"))

    save_each(store, [*ours, theirs] if ours_first else [theirs, *ours])

    assert [call.key for call in stored(database)] == ["k1"]


def test_the_same_id_in_another_conversation_is_another_call(store: Store, database: Database) -> None:
    store.save([asks("a", 0, "call_1"), ran("b", 10, "call_1", outcome="interrupted")])
    store.save([ran("c", 100, "call_1", trace="2", thread="other")])

    assert len(stored(database)) == 2


def test_a_deleted_trace_leaves_nothing_of_itself(store: Store, database: Database) -> None:
    store.save([asks("a", 0, "call_1"), ran("b", 10, "call_1")])

    store.delete_trace("1" * 32)

    with database.read() as db:
        for table in (tables.calls, tables.facts, tables.clues, tables.link_names, tables.call_traces):
            assert db.execute(select(table)).all() == []


def test_old_clues_are_pruned_even_of_traces_that_came_as_log_records(
    store: Store, database: Database, clock: Clock
) -> None:
    log = record("a", 0, turn=Turn(asked=(Asked(tool_call_id="call_1", tool="pay"),)))
    store.save([Record(received_ns=NOON_NS, span=None, raw=b"log", reading=log.reading)])
    assert len(stored(database)) == 1

    clock.advance(2)
    Retention(database, Rules(days=1 / 86_400), clock, lambda raw: raw).prune()

    assert stored(database) == []


def test_of_a_trace_too_large_to_link_as_a_whole_every_call_is_there(
    store: Store, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linking, "LINKED_MAX", 7)
    names = [f"call_{number}" for number in range(20)]
    records = [
        part
        for place, name in enumerate(names)
        for part in (asks(f"a{place:02}", place * 10, name), ran(f"b{place:02}", place * 10 + 5, name))
    ]

    save_each(store, records)

    found = stored(database)
    assert sorted(call.tool_call_id or "" for call in found) == sorted(names)
    assert {len(call.attempts) for call in found} == {1}
