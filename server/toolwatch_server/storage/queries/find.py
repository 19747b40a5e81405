"""From an id that someone pasted to the calls it belongs to."""

from typing import Final

from sqlalchemy import select, union

from toolwatch_server.domain.rows import CallRow
from toolwatch_server.storage.engine import Reader
from toolwatch_server.storage.queries._rows import rows_of
from toolwatch_server.storage.tables import call_traces, calls, facts, spans
from toolwatch_server.storage.text import indexable

_FOUND_MAX: Final = 200


def find(db: Reader, text: str) -> tuple[CallRow, ...]:
    """Calls with exactly this tool_call_id, newest first, at most 200.

    When there are none, those of this key, message, thread, trace, run or span. One or two statements.
    """
    wanted = indexable(text.strip())
    if not wanted:
        return ()
    exact = (
        select(calls.c.id)
        .where(calls.c.tool_call_id == wanted)
        .order_by(calls.c.sort_ns.desc())
        .limit(_FOUND_MAX)
    )
    return rows_of(db, exact) or _by_any_other_id(db, wanted)


def _by_any_other_id(db: Reader, wanted: str) -> tuple[CallRow, ...]:
    of_span = (
        select(facts.c.call_key)
        .select_from(spans)
        .join(call_traces, call_traces.c.trace_id == spans.c.trace_id)
        .join(facts, (facts.c.call_key == call_traces.c.call_key) & (facts.c.trace_id == spans.c.trace_id))
        .where(spans.c.span_id == wanted, facts.c.span_id == spans.c.span_id)
    )
    keys = union(
        select(calls.c.key).where(calls.c.key == wanted),
        select(calls.c.key).where(calls.c.group_id == wanted),
        select(calls.c.key).where(calls.c.thread_id == wanted),
        select(call_traces.c.call_key).where(call_traces.c.trace_id == wanted),
        select(call_traces.c.call_key).where(call_traces.c.run_id == wanted),
        of_span,
    ).subquery()
    among = select(calls.c.id).where(calls.c.key.in_(select(keys.c.key)))
    return rows_of(db, among.order_by(calls.c.sort_ns.desc()).limit(_FOUND_MAX))
