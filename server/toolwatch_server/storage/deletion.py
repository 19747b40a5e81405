"""Forget traces: what was received, what was computed from it, and the words in the search index."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection, Table, delete, select

from toolwatch_server.storage import cross
from toolwatch_server.storage.assembly import chunks, reassemble
from toolwatch_server.storage.dialect import forget_deleted, locked, unindex
from toolwatch_server.storage.tables import (
    call_problems,
    call_redactions,
    call_traces,
    calls,
    clues,
    facts,
    instances,
    link_names,
    logs,
    orphans,
    runs,
    spans,
    untallied,
)
from toolwatch_server.storage.text import indexable

_TRACES_AT_ONCE: Final = 100  # small bites: the writer waits meanwhile


def delete_trace(db: Connection, trace_id: str, *, now_ns: int) -> int:
    """Returns how many records were deleted."""
    deleted = _delete(db, [indexable(trace_id)], now_ns)
    if deleted:
        forget_deleted(db)
    return deleted


def prune(db: Connection, before_ns: int, *, now_ns: int) -> int:
    """Delete some of the traces whose last record was received before then. Returns how many traces."""
    old = _old_traces(db, spans, before_ns) or _old_traces(db, clues, before_ns)
    if old:
        _delete(db, old, now_ns)
    else:
        db.execute(delete(logs).where(logs.c.received_ns < before_ns))
        db.execute(delete(instances).where(instances.c.last_seen_ns < before_ns))
    return len(old)


def _old_traces(db: Connection, table: Table, before_ns: int) -> Sequence[str]:
    """Of a trace that came as log records only, nothing but clues tells."""
    c = table.c
    later = select(c.trace_id).where(c.received_ns >= before_ns)
    some = select(c.trace_id).where(c.received_ns < before_ns, c.trace_id.not_in(later)).distinct()
    if table is clues:
        some = some.where(c.trace_id.not_in(select(spans.c.trace_id)))
    return db.execute(some.limit(_TRACES_AT_ONCE)).scalars().all()


def _delete(db: Connection, trace_ids: Sequence[str], now_ns: int) -> int:
    of_them = call_traces.c.trace_id.in_(trace_ids)
    keys = sorted(db.execute(select(call_traces.c.call_key).where(of_them).distinct()).scalars())
    for some in chunks(keys):
        db.execute(delete(facts).where(facts.c.call_key.in_(some), facts.c.trace_id.in_(trace_ids)))
    db.execute(delete(call_traces).where(of_them))
    deleted = sum(_delete_from(db, table, trace_ids) for table in (spans, logs))
    for table in (orphans, runs, clues, link_names):
        _delete_from(db, table, trace_ids)
    for some in chunks(keys):
        settle(db, some, now_ns)
    return deleted


def _delete_from(db: Connection, table: Table, trace_ids: Sequence[str]) -> int:
    return db.execute(delete(table).where(table.c.trace_id.in_(trace_ids))).rowcount


def settle(db: Connection, keys: Sequence[str], now_ns: int) -> None:
    """Calls that other traces still speak of are computed anew; of the others nothing is left."""
    kept = set(db.execute(select(facts.c.call_key).where(facts.c.call_key.in_(keys)).distinct()).scalars())
    gone = [key for key in keys if key not in kept]
    rows = db.execute(locked(select(calls).where(calls.c.key.in_(gone)).order_by(calls.c.key))).all()
    unindex(db, [row.id for row in rows])
    db.execute(delete(call_problems).where(call_problems.c.call_key.in_(gone)))
    db.execute(delete(call_redactions).where(call_redactions.c.call_key.in_(gone)))
    db.execute(delete(untallied).where(untallied.c.call_key.in_(gone)))
    db.execute(delete(calls).where(calls.c.key.in_(gone)))
    cross.unmark(
        db,
        {(row.tool_call_id, row.service) for row in rows},
        {row.fingerprint for row in rows if row.fingerprint is not None},
    )
    reassemble(db, kept, now_ns=now_ns)
