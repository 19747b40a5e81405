"""Count each call once, under the outcome with which it ended: the counters behind /metrics.

A call is computed again and again while its records come in, and is deleted one day; a counter must do
neither. So calls wait in `untallied` until nothing more is to be expected, and are then added to `tallies`
for good.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Any, Final

from sqlalchemy import Connection, delete, or_, select

from toolwatch_server.domain.tallies import BUCKETS_S
from toolwatch_server.storage.assembly import chunks
from toolwatch_server.storage.dialect import upsert
from toolwatch_server.storage.service_tables import tallies, untallied
from toolwatch_server.storage.tables import calls

AT_ONCE: Final = 2_000
QUIET_NS: Final = 10_000_000_000
TOLD_NS: Final = 2_000_000_000
NOT_ENDED: Final = ("running", "interrupted")
# More tools and services than this share one line, or a loop that makes up names would fill Prometheus.
PAIRS_MAX: Final = 200
NAME_MAX: Final = 100
OTHERS: Final = ("(others)", "(others)")
NO_DURATION: Final = -1

Key = tuple[str, str, str, int]


def tally(db: Connection, now_ns: int) -> int:
    """Count some of the calls that have settled. Returns how many."""
    found = db.execute(_settled(now_ns)).all()
    if rows := _taken(db, found):
        _add(db, rows)
    return len(rows)


def _settled(now_ns: int) -> Any:
    """With an answer of our collector at once; others' calls are put together while their trace comes in."""
    c = calls.c
    answered = c.answered_ns.is_not(None) & c.instance_id.is_not(None)
    told = c.ended_ns.is_not(None) & c.instance_id.is_(None) & (c.assembled_ns < now_ns - TOLD_NS)
    settled = or_(answered, told, c.assembled_ns < now_ns - QUIET_NS)
    columns = (c.tool, c.service, c.outcome, c.duration_ms, c.executions, c.trace_id, c.last_ns)
    return (
        select(untallied.c.call_key, *columns)
        .join(calls, calls.c.key == untallied.c.call_key)
        .where(settled, c.outcome.not_in(NOT_ENDED))
        .limit(AT_ONCE)
    )


def _taken(db: Connection, found: Sequence[Any]) -> list[Any]:
    """Those that no other server took meanwhile."""
    mine: set[str] = set()
    for some in chunks(sorted(row.call_key for row in found)):
        gone = delete(untallied).where(untallied.c.call_key.in_(some)).returning(untallied.c.call_key)
        mine.update(db.execute(gone).scalars())
    return [row for row in found if row.call_key in mine]


def _add(db: Connection, counted: Iterable[Any]) -> None:
    known = {tuple(row) for row in db.execute(select(tallies.c.tool, tallies.c.service).distinct())}
    sums: dict[Key, dict[str, Any]] = {}
    for row in sorted(counted, key=lambda row: row.last_ns):
        pair = _pair(row, known)
        seconds = None if row.duration_ms is None else row.duration_ms / 1000
        bucket = NO_DURATION if seconds is None else bisect_left(BUCKETS_S, seconds)
        found = sums.setdefault((*pair, row.outcome, bucket), {"calls": 0, "executions": 0, "seconds": 0.0})
        found["calls"] += 1
        found["executions"] += row.executions
        found["seconds"] += seconds or 0.0
        found |= {"trace_id": row.trace_id, "example_seconds": seconds, "example_ns": row.last_ns}
    names = ("tool", "service", "outcome", "bucket")
    # In one order, so that two servers never wait for each other.
    rows = [{**dict(zip(names, key, strict=True)), **sums[key]} for key in sorted(sums)]
    upsert(
        db,
        tallies,
        rows,
        calls=lambda old, new: old.calls + new.calls,
        executions=lambda old, new: old.executions + new.executions,
        seconds=lambda old, new: old.seconds + new.seconds,
        trace_id=lambda _, new: new.trace_id,
        example_seconds=lambda _, new: new.example_seconds,
        example_ns=lambda _, new: new.example_ns,
    )


def _pair(row: Any, known: set[tuple[Any, ...]]) -> tuple[str, str]:
    pair = ((row.tool or "")[:NAME_MAX], (row.service or "")[:NAME_MAX])
    if pair not in known and len(known) >= PAIRS_MAX:
        return OTHERS
    known.add(pair)
    return pair
