"""One call, and the calls that one wants beside it."""

from typing import Any, Final

from sqlalchemy import Select, select, union_all

from toolwatch_server.domain.call import Call
from toolwatch_server.domain.rows import CallRow, CallView
from toolwatch_server.storage.derived import fingerprint
from toolwatch_server.storage.engine import Reader
from toolwatch_server.storage.queries._calls import assembled
from toolwatch_server.storage.queries._rows import NEWEST_FIRST, rows_of
from toolwatch_server.storage.tables import call_traces, calls
from toolwatch_server.storage.text import indexable

_BESIDE_MAX: Final = 100
# Outcomes that a model can put right by calling again.
REFUSED: Final = frozenset({"invalid_args", "malformed", "rejected"})


def show_call(db: Reader, key: str) -> CallView | None:
    """None when there is no such call. At most ten statements, however many calls stand beside it."""
    call = assembled(db, [indexable(key)]).get(indexable(key))
    if call is None:
        return None
    own = db.execute(select(calls.c.sort_ns, calls.c.group_id).where(calls.c.key == indexable(key))).one()
    corrects, corrected_by = _corrections(db, call, own.sort_ns)
    siblings = rows_of(db, _some(calls.c.group_id == own.group_id, _in_scope(call)), oldest_first=True)
    return CallView(
        call=call,
        siblings=tuple(sorted(siblings, key=lambda row: -1 if row.position is None else row.position)),
        nested=rows_of(db, _some(calls.c.parent_key == indexable(key)), oldest_first=True),
        same_id=rows_of(db, _same_id(call)),
        same_arguments=rows_of(
            db, _some(calls.c.fingerprint == fingerprint(call), calls.c.key != indexable(key))
        ),
        corrected_by=corrected_by,
        corrects=corrects,
    )


def _some(*conditions: Any) -> Select[Any]:
    return select(calls.c.id).where(*conditions).order_by(*NEWEST_FIRST).limit(_BESIDE_MAX)


def _same_id(call: Call) -> Select[Any]:
    wanted = indexable(call.tool_call_id) or None  # an empty id is no id
    return _some(
        calls.c.tool_call_id == wanted, calls.c.tool_call_id.is_not(None), calls.c.key != indexable(call.key)
    )


def _in_scope(call: Call) -> Any:
    """Of the same thread, or where there is none of the same run, or of the same trace."""
    if call.thread_id is not None:
        return calls.c.thread_id == indexable(call.thread_id)
    if call.run_id is not None:
        same = call_traces.c.run_id == indexable(call.run_id)
    else:
        same = call_traces.c.trace_id == indexable(call.trace_id)
    return calls.c.key.in_(select(call_traces.c.call_key).where(same))


def _corrections(db: Reader, call: Call, sort_ns: int) -> tuple[CallRow | None, CallRow | None]:
    """The refused call before it that this one puts right, and the call after it that puts this one right."""
    alike = (_in_scope(call), calls.c.tool == indexable(call.tool))
    before = select(calls.c.id).where(*alike, calls.c.sort_ns < sort_ns).order_by(*NEWEST_FIRST).limit(1)
    after = (
        select(calls.c.id)
        .where(*alike, calls.c.sort_ns > sort_ns)
        .order_by(calls.c.sort_ns, calls.c.key)
        .limit(1)
    )
    both = union_all(select(before.subquery()), select(after.subquery())).subquery()
    found = rows_of(db, select(both.c.id))
    earlier = next((row for row in found if row.sort_ns < sort_ns and row.outcome in REFUSED), None)
    later = next((row for row in found if row.sort_ns > sort_ns), None)
    return earlier, later if call.outcome in REFUSED else None
