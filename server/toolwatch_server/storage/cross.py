"""What only a look at several calls can tell: ids used twice, and the same call made again and again.

Kept as marks on the id or the fingerprint, never on the calls, so that the n-th call of a loop costs as much
as the third. An orphaned answer needs no mark: `orphans` says it (see queries/_where.py).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from sqlalchemy import Connection, delete, exists, select

from toolwatch_server.storage.dialect import insert_new, lock_cross
from toolwatch_server.storage.tables import calls, repeated, reused

ALWAYS_A_LOOP: Final = 3


def mark(db: Connection, keys: Collection[str], left: Collection[str] = ()) -> None:
    """Bring the marks up to date after calls changed. `left`: fingerprints that some call has no longer."""
    lock_cross(db)
    _mark_reused(db, keys)
    _mark_repeated(db, keys, left)


def unmark(
    db: Connection, ids: Iterable[tuple[str | None, str | None]], fingerprints: Collection[str]
) -> None:
    """After calls were deleted: ids are pairs of tool_call_id and service."""
    lock_cross(db)
    for tool_call_id, service in ids:
        same = (calls.c.tool_call_id == tool_call_id, calls.c.service == service)
        if len(db.execute(select(calls.c.id).where(*same).limit(2)).all()) < 2:
            db.execute(
                delete(reused).where(reused.c.tool_call_id == tool_call_id, reused.c.service == service)
            )
    _mark_repeated(db, (), fingerprints)


def _mark_reused(db: Connection, keys: Collection[str]) -> None:
    other = calls.alias()
    again = exists().where(
        other.c.tool_call_id == calls.c.tool_call_id,
        other.c.service == calls.c.service,
        other.c.key != calls.c.key,
    )
    found = (
        select(calls.c.tool_call_id, calls.c.service)
        .where(calls.c.key.in_(keys), calls.c.tool_call_id != "", again)
        .distinct()
        .order_by(calls.c.tool_call_id, calls.c.service)
    )
    insert_new(db, reused, [dict(row._mapping) for row in db.execute(found)], *reused.primary_key)


def _mark_repeated(db: Connection, keys: Collection[str], left: Collection[str]) -> None:
    other = calls.alias()
    third = exists(
        select(other.c.id)
        .where(other.c.fingerprint == calls.c.fingerprint)
        .limit(1)
        .offset(ALWAYS_A_LOOP - 1)
    )
    touched = select(calls.c.fingerprint, third.label("loop")).where(
        calls.c.key.in_(keys), calls.c.fingerprint.is_not(None)
    )
    loops = {row.fingerprint: row.loop for row in db.execute(touched)}
    marked = {fingerprint for fingerprint, loop in loops.items() if loop}
    unsure = ({fingerprint for fingerprint, loop in loops.items() if not loop} | set(left)) - marked
    marked |= {fingerprint for fingerprint, members in _members(db, unsure).items() if is_repeated(members)}
    insert_new(db, repeated, [{"fingerprint": f} for f in sorted(marked)], repeated.c.fingerprint)
    if unmarked := unsure - marked:
        db.execute(delete(repeated).where(repeated.c.fingerprint.in_(unmarked)))


def _members(db: Connection, fingerprints: Collection[str]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = defaultdict(list)
    if fingerprints:
        columns = (calls.c.fingerprint, calls.c.failed, calls.c.executions)
        order = (calls.c.fingerprint, calls.c.sort_ns, calls.c.key)
        for row in db.execute(select(*columns).where(calls.c.fingerprint.in_(fingerprints)).order_by(*order)):
            found[row.fingerprint].append(row)
    return found


def is_repeated(members: Sequence[Any]) -> bool:
    """Three are a loop; two are one when the first ran, failed, and was tried unchanged. Oldest first."""
    return len(members) >= ALWAYS_A_LOOP or any(m.failed and m.executions > 0 for m in members[:-1])
