"""Whatever the database does, each request is stored or knowingly refused, and its sender hears which."""

import threading
from collections.abc import Sequence

import pytest

from toolwatch_server.domain.facts import Reading
from toolwatch_server.domain.record import Record, Saved
from toolwatch_server.errors import Closing, StorageDown
from toolwatch_server.ingest.writer import Writer

WAIT_S = 10


def records(*numbers: int) -> list[Record]:
    return [Record(received_ns=number, span=None, raw=b"", reading=Reading()) for number in numbers]


class Shelf:
    """A store that remembers its transactions; it refuses what it is told to, and waits while it is held."""

    def __init__(self, *, poison: int | None = None, down: bool = False) -> None:
        self.batches: list[list[int]] = []
        self.poison = poison
        self.down = down
        self.released = threading.Event()
        self.entered = threading.Event()

    def save(self, batch: Sequence[Record]) -> Saved:
        self.entered.set()
        assert self.released.wait(WAIT_S)
        numbers = [record.received_ns for record in batch]
        if self.down:
            raise StorageDown("the database does not answer")
        if self.poison in numbers:
            raise ValueError("cannot be stored")
        self.batches.append(numbers)
        return Saved(stored=len(numbers), duplicates=0, touched=())


def held(shelf: Shelf) -> Writer:
    """A writer that is busy with request 0 until the shelf is released."""
    writer = Writer(shelf.save)
    writer.start()
    writer.submit(records(0))
    assert shelf.entered.wait(WAIT_S)
    return writer


def test_a_promise_is_kept_only_once_the_records_are_stored() -> None:
    shelf = Shelf()
    writer = held(shelf)
    promise = writer.submit(records(1))
    assert not promise.done()

    shelf.released.set()

    promise.result(WAIT_S)
    assert [1] in shelf.batches
    assert writer.close(WAIT_S)


def test_what_arrives_during_a_commit_shares_the_next_one() -> None:
    shelf = Shelf()
    writer = held(shelf)
    promises = [writer.submit(records(number)) for number in (1, 2, 3)]

    shelf.released.set()

    assert sum(promise.result(WAIT_S).stored for promise in promises) == 3
    assert shelf.batches == [[0], [1, 2, 3]]
    assert writer.close(WAIT_S)


def test_a_request_that_cannot_be_stored_takes_no_other_down() -> None:
    shelf = Shelf(poison=2)
    writer = held(shelf)
    promises = [writer.submit(records(number)) for number in (1, 2, 3)]

    shelf.released.set()

    assert [type(promise.exception(WAIT_S)) for promise in promises] == [type(None), ValueError, type(None)]
    assert shelf.batches == [[0], [1], [3]]
    assert writer.close(WAIT_S)


def test_a_database_that_is_down_fails_every_request_and_the_writer_lives_on() -> None:
    shelf = Shelf(down=True)
    writer = held(shelf)
    promises = [writer.submit(records(number)) for number in (1, 2)]
    shelf.released.set()
    assert [type(promise.exception(WAIT_S)) for promise in promises] == [StorageDown, StorageDown]

    shelf.down = False

    assert writer.submit(records(3)).result(WAIT_S).stored == 1
    assert writer.close(WAIT_S)


def test_closing_writes_what_waits_and_takes_nothing_more() -> None:
    shelf = Shelf()
    writer = held(shelf)
    waiting = [writer.submit(records(number)) for number in range(1, 50)]
    closer = threading.Thread(target=writer.close, args=(WAIT_S,))
    closer.start()

    shelf.released.set()
    closer.join(WAIT_S)

    assert all(promise.done() for promise in waiting)
    with pytest.raises(Closing):
        writer.submit(records(99))
