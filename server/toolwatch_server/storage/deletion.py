"""Forget traces: what was received, what was computed from it, and the words in the search index."""

from collections.abc import Sequence

from sqlalchemy import Connection, Table, delete, select

from toolwatch_server.storage import cross
from toolwatch_server.storage.assembly import chunks, reassemble
from toolwatch_server.storage.dialect import forget_deleted, locked, unindex
from toolwatch_server.storage.service_tables import pins, stripped, untallied
from toolwatch_server.storage.tables import (
    call_problems,
    call_redactions,
    call_traces,
    calls,
    clues,
    facts,
    link_names,
    logs,
    orphans,
    runs,
    spans,
)
from toolwatch_server.storage.text import indexable


def delete_trace(db: Connection, trace_id: str, *, now_ns: int) -> int:
    """Returns how many records were deleted."""
    deleted = delete_traces(db, [indexable(trace_id)], now_ns)
    if deleted:
        forget_deleted(db)
    return deleted


def delete_traces(db: Connection, trace_ids: Sequence[str], now_ns: int) -> int:
    """Returns how many records were deleted."""
    of_them = call_traces.c.trace_id.in_(trace_ids)
    keys = sorted(db.execute(select(call_traces.c.call_key).where(of_them).distinct()).scalars())
    for some in chunks(keys):
        db.execute(delete(facts).where(facts.c.call_key.in_(some), facts.c.trace_id.in_(trace_ids)))
    db.execute(delete(call_traces).where(of_them))
    deleted = sum(_delete_from(db, table, trace_ids) for table in (spans, logs))
    for table in (orphans, runs, clues, link_names, pins, stripped):
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
