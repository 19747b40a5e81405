"""Which spans still have to be passed on, and where to: a queue that survives restarts.

A row names up to a few hundred spans of one destination; the spans themselves are kept once, where they
always are. What is deleted meanwhile is not passed on. A row that somebody works on is invisible for a while;
if he dies, it shows up again: a span may arrive twice, but none is forgotten.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Engine, bindparam, delete, exists, func, insert, select, tuple_, update

from toolwatch.conventions import RECORD
from toolwatch_server.domain.record import Record
from toolwatch_server.storage.codec import unpack
from toolwatch_server.storage.engine import Database
from toolwatch_server.storage.service_tables import outbox
from toolwatch_server.storage.tables import call_traces, calls, spans
from toolwatch_server.storage.transaction import in_transaction

SPANS_IN_A_ROW: Final = 200
ROWS_AT_ONCE: Final = 200
SPANS_AT_ONCE: Final = 512
LEASE_NS: Final = 60_000_000_000
# A trace that has no failure by then is not passed on to where only failures go.
FAILURE_WITHIN_NS: Final = 600_000_000_000
LOOK_AGAIN_NS: Final = 10_000_000_000
NOT_PASSED_ON: Final = frozenset({"started", "alive"})  # signs of life, of use to nobody else
_ID_BYTES: Final = 24

SpanId = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Route:
    """Which spans go to the destination of that name."""

    name: str
    service: str | None = None
    failures: bool = False


@dataclass(frozen=True, slots=True)
class Batch:
    """raws: OTLP protobuf of what is still there; deleted: how many of the spans are not."""

    rows: tuple[int, ...]
    raws: tuple[bytes, ...]
    deleted: int


@dataclass(frozen=True, slots=True)
class Backlog:
    waiting: int
    oldest_ns: int | None


def post(db: Connection, routes: Sequence[Route], new: Sequence[Record], now_ns: int) -> None:
    """In the transaction that stores the spans: then none is acknowledged and not passed on."""
    rows = [
        {
            "destination": route.name, "due_ns": 0, "created_ns": now_ns, "trace_id": trace_id,
            "spans": len(ids), "body": b"".join(bytes.fromhex(trace + span) for trace, span in ids),
        }
        for route in routes
        for trace_id, ids in _parcels(route, new)
    ]  # fmt: skip
    if rows:
        db.execute(insert(outbox), rows)


def _parcels(route: Route, new: Sequence[Record]) -> Iterator[tuple[str | None, list[SpanId]]]:
    """Where only failures go, a row for each trace: which of them fail is not known yet."""
    by_trace: dict[str | None, list[SpanId]] = {}
    for span in (record.span for record in new if record.span is not None):
        if span.attributes.get(RECORD) in NOT_PASSED_ON:
            continue
        if route.service is None or span.resource.get("service.name") == route.service:
            trace_id = span.trace_id if route.failures else None
            by_trace.setdefault(trace_id, []).append((span.trace_id, span.span_id))
    for trace_id, ids in by_trace.items():
        for start in range(0, len(ids), SPANS_IN_A_ROW):
            yield trace_id, ids[start : start + SPANS_IN_A_ROW]


class Outbox:
    """Every method raises StorageDown when the database does not answer."""

    def __init__(self, database: Database, clock: Callable[[], int]) -> None:
        self._database = database
        self._engine: Engine = database.writer
        self._clock = clock

    def claim(self, name: str) -> Batch | None:
        """The oldest spans that are due; None when nothing is. Nobody else gets them for a while."""
        with self._database.read() as db:
            if not db.execute(_due(name, self._clock()).limit(1)).first():
                return None
        return in_transaction(self._engine, lambda db: _claim(db, name, self._clock()))

    def done(self, batch: Batch) -> None:
        in_transaction(self._engine, lambda db: _forget(db, batch.rows))

    def postpone(self, batch: Batch, until_ns: int) -> None:
        later = update(outbox).where(outbox.c.id.in_(batch.rows)).values(due_ns=until_ns)
        in_transaction(self._engine, lambda db: db.execute(later))

    def expire(self, name: str, before_ns: int) -> int:
        """Give up what has been waiting since before then. Returns how many spans."""
        old = (outbox.c.destination == name, outbox.c.created_ns < before_ns)
        with self._database.read() as db:
            if not db.execute(select(outbox.c.id).where(*old).limit(1)).first():
                return 0
        gone = delete(outbox).where(*old).returning(outbox.c.spans)
        return in_transaction(self._engine, lambda db: sum(int(n) for n in db.execute(gone).scalars()))

    def backlog(self, name: str) -> Backlog:
        figures = select(func.coalesce(func.sum(outbox.c.spans), 0), func.min(outbox.c.created_ns))
        with self._database.read() as db:
            row = db.execute(figures.where(outbox.c.destination == name)).one()
        return Backlog(waiting=int(row[0]), oldest_ns=row[1])


def _due(name: str, now_ns: int) -> Any:
    due = (outbox.c.destination == name, outbox.c.due_ns <= now_ns)
    return select(outbox).where(*due).order_by(outbox.c.due_ns, outbox.c.id)


def _claim(db: Connection, name: str, now_ns: int) -> Batch | None:
    found = db.execute(_due(name, now_ns).limit(ROWS_AT_ONCE).with_for_update(skip_locked=True)).all()
    failed = _failed(db, {row.trace_id for row in found if row.trace_id is not None})
    wanted: list[Any] = []
    for row in found:
        ready = row.trace_id is None or row.trace_id in failed
        if ready and sum(other.spans for other in wanted) + row.spans <= SPANS_AT_ONCE:
            wanted.append(row)
    mine = {row.id for row in wanted}
    quiet = [row for row in found if row.trace_id is not None and row.trace_id not in failed]
    _forget(db, [row.id for row in quiet if row.created_ns < now_ns - FAILURE_WITHIN_NS])
    _set_due(db, [(row.id, now_ns + LOOK_AGAIN_NS) for row in quiet])
    _set_due(db, [(id_, now_ns + LEASE_NS) for id_ in sorted(mine)])
    if not wanted:
        return None
    ids = [span for row in wanted for span in _ids(row.body)]
    raws = _raws(db, ids)
    return Batch(tuple(sorted(mine)), tuple(raws), len(ids) - len(raws))


def _failed(db: Connection, trace_ids: set[str]) -> set[str]:
    failed = exists().where(calls.c.key == call_traces.c.call_key, calls.c.failed.is_(True))
    asked = select(call_traces.c.trace_id).where(call_traces.c.trace_id.in_(trace_ids), failed).distinct()
    return set(db.execute(asked).scalars()) if trace_ids else set()


def _set_due(db: Connection, due: Sequence[tuple[int, int]]) -> None:
    if due:
        statement = update(outbox).where(outbox.c.id == bindparam("row")).values(due_ns=bindparam("until"))
        db.execute(statement, [{"row": id_, "until": until_ns} for id_, until_ns in due])


def _forget(db: Connection, rows: Sequence[int]) -> None:
    db.execute(delete(outbox).where(outbox.c.id.in_(rows)))


def _ids(body: bytes) -> Iterator[SpanId]:
    for at in range(0, len(body), _ID_BYTES):
        yield body[at : at + 16].hex(), body[at + 16 : at + _ID_BYTES].hex()


def _raws(db: Connection, ids: Sequence[SpanId]) -> list[bytes]:
    statement = select(spans.c.raw).where(tuple_(spans.c.trace_id, spans.c.span_id).in_(ids))
    return [unpack(body) for body in db.execute(statement.order_by(spans.c.start_ns)).scalars()]
