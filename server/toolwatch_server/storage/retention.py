"""Keep what the rules say, and delete the rest a little at a time: the writer waits meanwhile."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice
from math import ceil
from typing import Any, Final

from sqlalchemy import Connection, Engine, delete, func, select

from toolwatch_server.domain.keeping import Pruned, Rules, Weight
from toolwatch_server.storage.assembly import chunks
from toolwatch_server.storage.bodies import Shrink, strip
from toolwatch_server.storage.deletion import delete_traces
from toolwatch_server.storage.dialect import insert_new
from toolwatch_server.storage.due import aged, excess, with_old_bodies
from toolwatch_server.storage.engine import Database
from toolwatch_server.storage.service_tables import pins
from toolwatch_server.storage.space import give_back, tidy, used_bytes
from toolwatch_server.storage.tables import call_traces, calls, instances, logs, spans
from toolwatch_server.storage.text import indexable
from toolwatch_server.storage.transaction import in_transaction

AT_ONCE: Final = 100  # traces
_ROOM: Final = 0.95  # of the allowed size, so that not every run has something to do

Pick = Callable[[Connection], Iterable[str]]


class Retention:
    """Every method raises StorageDown when the database does not answer."""

    def __init__(self, database: Database, rules: Rules, clock: Callable[[], int], shrink: Shrink) -> None:
        self._database = database
        self._engine: Engine = database.writer
        self.rules = rules
        self._clock = clock
        self._shrink = shrink

    def prune(self) -> Pruned:
        """Delete what the rules do not keep."""
        now_ns = self._clock()
        traces = self._delete(lambda db: aged(db, self.rules, now_ns))
        in_transaction(self._engine, lambda db: _forget_strays(db, self.rules, now_ns))
        traces += self._delete_excess(self._too_many(by_size=False))
        heavy = self._delete_excess(self._too_many(by_size=True))
        bodies = self._strip(now_ns)
        if heavy:
            self.give_back()  # else the next look at the size would not see what went
        elif traces or bodies:
            tidy(self._engine)
        return Pruned(traces=traces + heavy, bodies=bodies)

    def give_back(self) -> None:
        """Give free space to the operating system. PostgreSQL locks each table while it writes it anew."""
        give_back(self._engine)

    def weigh(self) -> tuple[Weight, Weight]:
        """What prune would delete: traces, and traces that would lose their texts. Changes nothing."""
        now_ns = self._clock()
        with self._database.read() as db:
            going = dict.fromkeys(aged(db, self.rules, now_ns))
            too_many = max(_over_count(db, self.rules), _over_size(db, self.rules))
            left = too_many - _weight(db, list(going)).calls if going else too_many
            going |= {id_: None for id_, _ in excess(db, self.rules, left) if id_ not in going}
            bodies = [id_ for id_ in with_old_bodies(db, self.rules, now_ns) if id_ not in going]
            return _weight(db, list(going)), _weight(db, bodies)

    def pin(self, trace_id: str) -> bool:
        """Keep the trace, whatever the rules say. False when there is no such trace."""
        return in_transaction(self._engine, lambda db: _pin(db, indexable(trace_id)))

    def unpin(self, trace_id: str) -> bool:
        """False when it was not pinned."""
        gone = delete(pins).where(pins.c.trace_id == indexable(trace_id))
        return in_transaction(self._engine, lambda db: db.execute(gone).rowcount > 0)

    def _delete(self, pick: Pick) -> int:
        deleted = 0
        while some := in_transaction(self._engine, lambda db: self._bite(db, pick)):
            deleted += some
        return deleted

    def _bite(self, db: Connection, pick: Pick) -> int:
        ids = list(islice(pick(db), AT_ONCE))
        if ids:
            delete_traces(db, ids, self._clock())
        return len(ids)

    def _delete_excess(self, too_many: int) -> int:
        deleted = 0
        while too_many > 0:
            ids, calls_gone = in_transaction(self._engine, partial(self._bite_of, too_many))
            if not ids:
                break
            deleted, too_many = deleted + ids, too_many - calls_gone
        return deleted

    def _bite_of(self, too_many: int, db: Connection) -> tuple[int, int]:
        some = list(islice(excess(db, self.rules, too_many), AT_ONCE))
        if some:
            delete_traces(db, [id_ for id_, _ in some], self._clock())
        return len(some), sum(number for _, number in some)

    def _too_many(self, *, by_size: bool) -> int:
        with self._database.read() as db:
            return _over_size(db, self.rules) if by_size else _over_count(db, self.rules)

    def _strip(self, now_ns: int) -> int:
        stripped = 0

        def bite(db: Connection) -> int:
            ids = list(islice(with_old_bodies(db, self.rules, now_ns), AT_ONCE))
            if ids:
                strip(db, ids, self._shrink)
            return len(ids)

        while some := in_transaction(self._engine, bite):
            stripped += some
        return stripped


def _over_count(db: Connection, rules: Rules) -> int:
    return 0 if rules.calls is None else max(0, _calls(db) - rules.calls)


def _over_size(db: Connection, rules: Rules) -> int:
    """About how many calls have to go; what that gave is measured the next time."""
    if rules.size_bytes is None:
        return 0
    used = used_bytes(db)
    return 0 if used <= rules.size_bytes else max(1, ceil(_calls(db) * (1 - _ROOM * rules.size_bytes / used)))


def _calls(db: Connection) -> int:
    return int(db.execute(select(func.count()).select_from(calls)).scalar_one())


def _forget_strays(db: Connection, rules: Rules, now_ns: int) -> None:
    """Log records of no trace, and processes that are long gone."""
    if rules.days is not None:
        before_ns, _ = rules.cutoffs_ns(rules.days, now_ns)
        db.execute(delete(logs).where(logs.c.received_ns < before_ns, logs.c.trace_id.is_(None)))
        db.execute(delete(instances).where(instances.c.last_seen_ns < before_ns))


def _pin(db: Connection, trace_id: str) -> bool:
    known = select(spans.c.trace_id).where(spans.c.trace_id == trace_id).limit(1)
    if db.execute(known).first() is None:
        return False
    insert_new(db, pins, [{"trace_id": trace_id}], pins.c.trace_id)
    return True


def _weight(db: Connection, trace_ids: Sequence[str]) -> Weight:
    """A call goes when every trace that speaks of it does."""
    spoken: Counter[str] = Counter()
    in_all: dict[str, int] = {}
    number = size = 0
    for some in chunks(trace_ids):
        spoken.update(_speakers(db, call_traces.c.trace_id.in_(some)))
        figures = select(func.count(), func.coalesce(func.sum(func.length(spans.c.raw)), 0))
        row = db.execute(figures.where(spans.c.trace_id.in_(some))).one()
        number, size = number + int(row[0]), size + int(row[1])
    for keys in chunks(sorted(spoken)):
        in_all |= _speakers(db, call_traces.c.call_key.in_(keys))
    gone = sum(spoken[key] == total for key, total in in_all.items())
    return Weight(traces=len(trace_ids), calls=gone, spans=number, span_bytes=size)


def _speakers(db: Connection, wanted: Any) -> dict[str, int]:
    count = func.count(call_traces.c.trace_id.distinct())
    return dict(
        tuple(row)
        for row in db.execute(
            select(call_traces.c.call_key, count).where(wanted).group_by(call_traces.c.call_key)
        )
    )
