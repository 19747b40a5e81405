"""A trace, or all traces of a thread: calls, spans, orphaned answers, runs."""

from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import Select, func, select, union

from toolwatch.conventions import RECORD_ALIVE, RECORD_STARTED
from toolwatch_server.domain.rows import TraceView
from toolwatch_server.domain.span import Span
from toolwatch_server.storage.codec import unpack, unpack_orphan, unpack_run
from toolwatch_server.storage.engine import Reader
from toolwatch_server.storage.queries._calls import assembled
from toolwatch_server.storage.tables import call_traces, calls, orphans, runs, spans
from toolwatch_server.storage.text import indexable

CALLS_MAX: Final = 500
SPANS_MAX: Final = 2_000
ORPHANS_MAX: Final = 200
RUNS_MAX: Final = 200
ANNOUNCEMENTS: Final = (RECORD_STARTED, RECORD_ALIVE)

Decode = Callable[[bytes], Span]


def show_trace(db: Reader, trace_id: str, decode: Decode) -> TraceView | None:
    """None when nothing is known of the trace. Oldest first; at most as many of each kind as said above."""
    wanted = indexable(trace_id)
    keys = select(call_traces.c.call_key).where(call_traces.c.trace_id == wanted)
    return _view(
        db,
        keys=select(calls.c.key).where(calls.c.key.in_(keys)),
        spans_of=select(spans).where(spans.c.trace_id == wanted),
        orphans_of=select(orphans.c.body).where(orphans.c.trace_id == wanted),
        runs_of=select(runs.c.body).where(runs.c.trace_id == wanted),
        decode=decode,
    )


def show_thread(db: Reader, thread_id: str, decode: Decode | None) -> TraceView | None:
    """The same for every trace that speaks of the thread; without decode no span is read."""
    wanted = indexable(thread_id)
    traces = union(
        select(runs.c.trace_id).where(runs.c.thread_id == wanted),
        select(call_traces.c.trace_id)
        .join(calls, calls.c.key == call_traces.c.call_key)
        .where(calls.c.thread_id == wanted),
    )
    return _view(
        db,
        keys=select(calls.c.key).where(calls.c.thread_id == wanted),
        spans_of=select(spans).where(spans.c.trace_id.in_(traces)),
        orphans_of=select(orphans.c.body).where(orphans.c.thread_id == wanted),
        runs_of=select(runs.c.body).where(runs.c.thread_id == wanted),
        decode=decode,
    )


def _view(
    db: Reader,
    *,
    keys: Select[Any],
    spans_of: Select[Any],
    orphans_of: Select[Any],
    runs_of: Select[Any],
    decode: Decode | None,
) -> TraceView | None:
    shown = spans_of.where(func.coalesce(spans.c.record, "").not_in(ANNOUNCEMENTS))
    ordered = keys.order_by(calls.c.sort_ns, calls.c.key).limit(CALLS_MAX)
    found = assembled(db, db.execute(ordered).scalars().all())
    raw = shown.with_only_columns(spans.c.raw).order_by(spans.c.start_ns, spans.c.span_id).limit(SPANS_MAX)
    total = db.execute(select(func.count()).select_from(shown.subquery())).scalar_one()
    view = TraceView(
        calls=tuple(found.values()),
        spans=tuple(decode(unpack(body)) for body in db.execute(raw).scalars()) if decode else (),
        orphans=tuple(
            unpack_orphan(body)
            for body in db.execute(orphans_of.order_by(orphans.c.at_ns).limit(ORPHANS_MAX)).scalars()
        ),
        runs=tuple(
            unpack_run(body)
            for body in db.execute(runs_of.order_by(runs.c.started_ns).limit(RUNS_MAX)).scalars()
        ),
        spans_total=total,
    )
    return view if view.calls or view.spans or view.orphans or view.runs else None
