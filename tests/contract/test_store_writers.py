"""Several servers may write to one database at once: nothing is lost, and all see the same calls."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Barrier

import pytest
from sqlalchemy import event

from tests import builders as b
from tests.conftest import NOON_NS, Clock
from toolwatch_server.domain.filters import CallFilter
from toolwatch_server.domain.record import Record
from toolwatch_server.errors import StorageDown
from toolwatch_server.storage.engine import Database, open_database
from toolwatch_server.storage.queries.list_calls import list_calls
from toolwatch_server.storage.queries.load_calls import load_calls
from toolwatch_server.storage.queries.status import status
from toolwatch_server.storage.store import Store

WRITERS = 3


def save_at_once(url: str, shares: Sequence[Sequence[Sequence[Record]]]) -> None:
    """Each share is the batches of one server."""
    together = Barrier(len(shares))

    def serve(batches: Sequence[Sequence[Record]]) -> None:
        with closing(open_database(url)) as database:
            store = Store(database, clock=Clock())
            together.wait()
            for batch in batches:
                store.save(batch)

    with ThreadPoolExecutor(len(shares)) as pool:
        list(pool.map(serve, shares))


def test_what_several_servers_say_about_one_call_becomes_one_call(
    database_url: str, database: Database
) -> None:
    keys = [f"k{n}" for n in range(20)]
    turns, attempts, steps = zip(*(b.a_call(key, tool_call_id=key) for key in keys), strict=True)
    shares = [[turns, steps], [attempts, turns], [steps[::-1], attempts[::-1]]]

    save_at_once(database_url, shares)

    with database.read() as db:
        calls = load_calls(db, keys)
    assert [(c.outcome, c.executions, c.answer.content) for c in calls] == [("ok", 1, "sunny")] * 20
    assert all(c.requested_ns == NOON_NS for c in calls)


def test_a_loop_that_reaches_several_servers_is_seen(database_url: str, database: Database) -> None:
    shares = [
        [b.a_call(f"k{server}-{n}", tool_call_id=f"id{n}") for n in range(10)] for server in range(WRITERS)
    ]

    save_at_once(database_url, shares)

    with database.read() as db:
        assert list_calls(db, CallFilter(warning="repeated_call")).total == 30
        assert list_calls(db, CallFilter(warning="id_reused")).total == 30


def test_losses_reported_to_several_servers_add_up(database_url: str, database: Database) -> None:
    pulses = [[[b.a_pulse(dropped=1)] for _ in range(10)] for _ in range(WRITERS)]

    save_at_once(database_url, pulses)

    with database.read() as db:
        assert status(db).instances[0].dropped == 30


def test_reading_does_not_wait_for_a_writer(store: Store, database: Database) -> None:
    store.save(b.a_call("k1"))

    with database.writer.begin() as writing, database.read() as db:
        writing.exec_driver_sql("DELETE FROM calls")
        assert list_calls(db, CallFilter()).total == 1
        writing.rollback()


def test_a_reader_cannot_write(database: Database) -> None:
    with database.read() as db, pytest.raises(Exception, match=r"readonly|read-only"):
        db.exec_driver_sql("DELETE FROM calls")


def test_a_batch_is_saved_whole_or_not_at_all(store: Store, database: Database) -> None:
    failures: list[str] = []

    def fail(connection: object, cursor: object, statement: str, *_: object) -> None:
        if statement.startswith("UPDATE calls") and not failures:
            failures.append(statement)
            raise OSError("disk full")

    event.listen(database.writer, "before_cursor_execute", fail)
    records = b.a_call("k1")

    with pytest.raises(OSError, match="disk full"):
        store.save(records)

    with database.read() as db:
        assert list_calls(db, CallFilter()).total == 0
    assert store.save(records).stored == 3


def test_a_database_that_went_away_is_reported_as_such_without_a_password() -> None:
    nowhere = open_database("postgresql://ada:s3cret@127.0.0.1:1/calls")
    with closing(nowhere), pytest.raises(StorageDown) as down:
        Store(nowhere).save(b.a_call("k1"))

    assert "s3cret" not in down.value.message
    assert down.value.retry
