"""Save records, in one transaction for each batch, and keep the calls they speak of up to date."""

import time
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from sqlalchemy import Connection, func, select

from toolwatch_server.domain.assemble import PATIENCE_NS
from toolwatch_server.domain.record import Record, Saved
from toolwatch_server.storage.assembly import chunks, reassemble
from toolwatch_server.storage.codec import Packer
from toolwatch_server.storage.deletion import delete_trace, settle
from toolwatch_server.storage.engine import Database
from toolwatch_server.storage.intake import take_in
from toolwatch_server.storage.linking import relink
from toolwatch_server.storage.outbox import Route, post
from toolwatch_server.storage.tables import calls, instances
from toolwatch_server.storage.tally import tally
from toolwatch_server.storage.text import BIGINT_MAX, indexable, storable_int
from toolwatch_server.storage.transaction import in_transaction

T = TypeVar("T")
_SWEPT_MAX: Final = 5_000  # in one transaction


class Store:
    """Writes, in whole transactions. Every method raises StorageDown when the database does not answer."""

    def __init__(
        self,
        database: Database,
        *,
        clock: Callable[[], int] = time.time_ns,
        routes: Sequence[Route] = (),
    ) -> None:
        """routes: where spans are passed on to."""
        self._engine = database.writer
        self._clock = clock
        self._routes = routes

    def save(self, records: Sequence[Record]) -> Saved:
        """Committed when it returns. What was stored before changes nothing, so a batch may be sent again."""
        return self._transaction(lambda db: _save(db, records, self._clock(), self._routes))

    def sweep(self, now_ns: int) -> tuple[str, ...]:
        """Running calls whose process has been silent too long become abandoned. Returns their keys."""
        return self._transaction(lambda db: _sweep(db, now_ns))

    def tally(self, now_ns: int) -> int:
        """Count the calls that have settled. Returns how many."""
        counted = 0
        while some := self._transaction(lambda db: tally(db, now_ns)):
            counted += some
        return counted

    def delete_trace(self, trace_id: str) -> int:
        """Forget a trace everywhere. Returns how many records were deleted: 0 when there is no such trace."""
        return self._transaction(lambda db: delete_trace(db, trace_id, now_ns=self._clock()))

    def _transaction(self, work: Callable[[Connection], T]) -> T:
        return in_transaction(self._engine, work)


def _save(db: Connection, records: Sequence[Record], now_ns: int, routes: Sequence[Route]) -> Saved:
    new = take_in(db, records, Packer())
    post(db, routes, new, now_ns)
    about = {indexable(about.call_key) for record in new for about in record.reading.facts}
    keys = about | _believed_dead(db, new)
    reassemble(db, keys, now_ns=now_ns)
    starts = _starts(new)
    linked = relink(db, starts, Packer(), starts)
    for some in chunks(sorted(linked)):
        settle(db, some, now_ns)  # linking may leave a call without any fact
    keys |= linked
    return Saved(stored=len(new), duplicates=len(records) - len(new), touched=tuple(sorted(keys)))


def _starts(new: Sequence[Record]) -> dict[str, int]:
    """The traces that may have to be linked anew, and the earliest of what came in of each.

    A span that says nothing itself may be the parent of others.
    """
    starts: dict[str, int] = {}
    for clue in (clue for record in new for clue in record.reading.clues):
        trace_id = indexable(clue.origin.trace_id)
        starts[trace_id] = min(storable_int(clue.start_ns), starts.get(trace_id, BIGINT_MAX))
    for span in (record.span for record in new if record.span is not None):
        starts.setdefault(indexable(span.trace_id), storable_int(span.start_ns))
    return starts


def _believed_dead(db: Connection, new: Sequence[Record]) -> set[str]:
    """Calls that a living process says it is still working on."""
    in_flight = {
        indexable(key) for record in new if record.reading.pulse for key in record.reading.pulse.calls
    }
    found: set[str] = set()
    for some in chunks(sorted(in_flight)):
        abandoned = select(calls.c.key).where(calls.c.key.in_(some), calls.c.outcome == "abandoned")
        found.update(db.execute(abandoned).scalars())
    return found


def _sweep(db: Connection, now_ns: int) -> tuple[str, ...]:
    last_sign = now_ns - PATIENCE_NS
    silent = (
        select(calls.c.key)
        .outerjoin(instances, instances.c.instance_id == calls.c.instance_id)
        .where(
            calls.c.outcome == "running",
            func.coalesce(calls.c.last_seen_ns, 0) < last_sign,
            func.coalesce(instances.c.last_seen_ns, 0) < last_sign,
        )
        .limit(_SWEPT_MAX)
    )
    keys = tuple(sorted(db.execute(silent).scalars()))
    reassemble(db, keys, now_ns=now_ns)
    return keys
