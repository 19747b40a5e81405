"""More than can be taken, and clocks that jump."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from tests import builders as b
from tests.conftest import Clock
from tests.fault.accounting import Books
from tests.live import live, wait_until
from toolwatch_server.domain.filters import CallFilter
from toolwatch_server.storage.engine import Database
from toolwatch_server.storage.queries.list_calls import list_calls
from toolwatch_server.storage.store import Store


def test_a_flood_is_turned_away_before_memory_is_short(tmp_path: Path) -> None:
    books, room = Books(), 100_000
    with live(tmp_path, max_body_bytes=room, queue_bytes=room) as server, ThreadPoolExecutor(16) as senders:
        with closing(sqlite3.connect(tmp_path / "live.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")  # nothing can be written, so everything waits
            sending = [senders.submit(books.send, server.address, 100) for _ in range(16)]
            wait_until(lambda: 429 in books.statuses)
            assert server.app.state.api.queue_bytes() <= room
            other.execute("ROLLBACK")
        assert {sent.result() for sent in sending} == {200, 429}
        assert server.status()["turned_away"] > 0
        assert books.send_until_taken(server.address)
        wait_until(lambda: server.app.state.api.queue_bytes() == 0)
    books.compare(f"sqlite:///{tmp_path / 'live.db'}")


def outcomes(database: Database) -> dict[str, str]:
    with database.read() as db:
        return {row.key: row.outcome for row in list_calls(db, CallFilter()).rows}


def test_a_clock_that_jumps_back_and_forth_loses_nothing(
    store: Store, database: Database, clock: Clock
) -> None:
    store.save(b.a_call("k1"))
    clock.advance(-7 * 86_400)
    store.save([b.replace_received(record, clock()) for record in b.a_call("k2", tool_call_id="id2")])
    clock.advance(30 * 86_400)
    store.save([b.replace_received(record, clock()) for record in b.a_call("k3", tool_call_id="id3")])
    store.sweep(clock())

    assert outcomes(database) == {"k1": "ok", "k2": "ok", "k3": "ok"}


def test_a_call_given_up_because_the_clock_jumped_comes_back(
    store: Store, database: Database, clock: Clock
) -> None:
    store.save([b.a_start("k1", received_ns=clock())])
    clock.advance(86_400)
    store.sweep(clock())
    assert outcomes(database) == {"k1": "abandoned"}

    clock.advance(-86_400)
    store.save([b.a_pulse(at_ns=clock(), calls=("k1",))])
    assert outcomes(database) == {"k1": "running"}
