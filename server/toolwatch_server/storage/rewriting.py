"""Put records in the place of what was stored of them before: everywhere, also in the search index.

Goes through all records in the order of their keys, some in each transaction, and notes how far it came.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import Connection, Row, Table, delete, func, select, tuple_

from toolwatch_server.domain.record import Record
from toolwatch_server.storage.assembly import chunks
from toolwatch_server.storage.codec import Packer, unpack
from toolwatch_server.storage.deletion import settle
from toolwatch_server.storage.dialect import forget_deleted, forget_old_pages, upsert
from toolwatch_server.storage.engine import Database
from toolwatch_server.storage.intake import derived_keys, put_in
from toolwatch_server.storage.linking import relink
from toolwatch_server.storage.tables import logs, progress, spans
from toolwatch_server.storage.text import indexable
from toolwatch_server.storage.transaction import in_transaction

AT_ONCE: Final = 200
WORK: Final = "redact"

# From what is stored and when it was received: as it is and as it has to be, or None.
Redo = Callable[[bytes, int], tuple[Record, Record] | None]


@dataclass(frozen=True, slots=True)
class Step:
    """After so many of all records, so many of which were changed."""

    done: int
    total: int
    changed: int


class Rewriter:
    """rules names the rules: what was begun by others begins anew."""

    def __init__(
        self, database: Database, span: Redo, log: Redo, rules: str, clock: Callable[[], int] = time.time_ns
    ) -> None:
        self._engine = database.writer
        self._sources = ((spans, (spans.c.trace_id, spans.c.span_id), span), (logs, (logs.c.digest,), log))
        self._rules = rules
        self._clock = clock

    def run(self) -> Iterator[Step]:
        """Raises StorageDown. Goes on where it was interrupted."""
        done, changed, total = 0, 0, in_transaction(self._engine, self._total)
        while True:
            seen, rewritten = in_transaction(self._engine, self._some)
            if not seen:
                break
            done, changed = done + seen, changed + rewritten
            yield Step(done, max(total, done), changed)
        in_transaction(self._engine, _finish)
        forget_old_pages(self._engine)
        yield Step(done, done, changed)

    def _total(self, db: Connection) -> int:
        source, after = self._position(db)
        left = [self._after(i, after if i == source else []) for i in range(source, len(self._sources))]
        return sum(
            db.execute(select(func.count()).select_from(rows.subquery())).scalar_one() for rows in left
        )

    def _some(self, db: Connection) -> tuple[int, int]:
        source, after = self._position(db)
        for index in range(source, len(self._sources)):
            rows = db.execute(self._after(index, after if index == source else []).limit(AT_ONCE)).all()
            if rows:
                redo, key = self._sources[index][2], self._sources[index][1]
                pairs = [pair for row in rows if (pair := redo(unpack(row.raw), row.received_ns))]
                _replace(db, self._sources[index][0], pairs, self._clock())
                self._note(db, index, [rows[-1][i] for i in range(len(key))])
                return len(rows), len(pairs)
        return 0, 0

    def _after(self, index: int, after: Sequence[str]) -> Any:
        table, key, _ = self._sources[index]
        found = select(*key, table.c.raw, table.c.received_ns).order_by(*key)
        return found.where(tuple_(*key) > tuple_(*after)) if after else found

    def _position(self, db: Connection) -> tuple[int, list[str]]:
        said: Row[Any] | None = db.execute(select(progress.c.position).where(progress.c.work == WORK)).first()
        position = json.loads(said.position) if said else {}
        same = position.get("rules") == self._rules
        return (position["source"], position["after"]) if same else (0, [])

    def _note(self, db: Connection, source: int, after: list[str]) -> None:
        position = json.dumps({"rules": self._rules, "source": source, "after": after})
        rows = [{"work": WORK, "position": position}]
        upsert(db, progress, rows, position=lambda _, new: new.position)


def _replace(db: Connection, table: Table, pairs: Sequence[tuple[Record, Record]], now_ns: int) -> None:
    old, new = [a for a, _ in pairs], [b for _, b in pairs]
    for record in old:
        if table is logs:
            db.execute(delete(logs).where(logs.c.digest == sha256(record.raw).hexdigest()))
        elif record.span is not None:
            ours = (indexable(record.span.trace_id), indexable(record.span.span_id))
            db.execute(delete(spans).where(tuple_(spans.c.trace_id, spans.c.span_id) == tuple_(*ours)))
    for derived, key, values in derived_keys([*old, *new]):
        for some in chunks(sorted(values)):
            db.execute(delete(derived).where(tuple_(*key).in_(some)))
    put_in(db, new, Packer())
    readings = [record.reading for record in (*old, *new)]
    keys = {indexable(about.call_key) for reading in readings for about in reading.facts}
    traces = {indexable(clue.origin.trace_id) for reading in readings for clue in reading.clues}
    for some in chunks(sorted(keys | relink(db, traces, Packer()))):
        settle(db, some, now_ns)


def _finish(db: Connection) -> None:
    db.execute(delete(progress).where(progress.c.work == WORK))
    forget_deleted(db)
