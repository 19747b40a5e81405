"""A trace in outline, and the whole of what stands in one window of it."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import func, select

from toolwatch_server.domain.call import Call
from toolwatch_server.domain.rows import TimelineSpan, TimelineView
from toolwatch_server.domain.span import Span
from toolwatch_server.storage.codec import unpack, unpack_orphan, unpack_run
from toolwatch_server.storage.engine import Reader
from toolwatch_server.storage.queries._calls import assembled
from toolwatch_server.storage.queries._rows import rows_of
from toolwatch_server.storage.queries.show_trace import ANNOUNCEMENTS, ORPHANS_MAX, Decode
from toolwatch_server.storage.tables import call_traces, calls, facts, orphans, runs, spans
from toolwatch_server.storage.text import indexable

CALLS_MAX: Final = 5_000
SPANS_MAX: Final = 20_000
RUNS_MAX: Final = 2_000
_NAMES: Final = tuple(TimelineSpan.__dataclass_fields__)


def show_timeline(db: Reader, trace_id: str) -> TimelineView | None:
    """None when nothing is known of the trace. Oldest first. Seven statements, and no record is opened."""
    wanted = indexable(trace_id)
    keys = select(call_traces.c.call_key).where(call_traces.c.trace_id == wanted)
    of_trace = calls.c.key.in_(keys)
    shown = (spans.c.trace_id == wanted, func.coalesce(spans.c.record, "").not_in(ANNOUNCEMENTS))
    some = select(*(spans.c[name] for name in _NAMES)).where(*shown)
    some = some.order_by(spans.c.start_ns, spans.c.span_id).limit(SPANS_MAX)
    oldest = select(calls.c.id).where(of_trace).order_by(calls.c.sort_ns, calls.c.key).limit(CALLS_MAX)
    view = TimelineView(
        calls=rows_of(db, oldest, oldest_first=True),
        spans=tuple(TimelineSpan(**row._mapping) for row in db.execute(some)),
        attempts=tuple((span_id, key) for span_id, key in db.execute(_attempts(wanted, keys))),
        orphans=tuple(unpack_orphan(body) for body in db.execute(_orphans(wanted)).scalars()),
        runs=tuple(unpack_run(body) for body in db.execute(_runs(wanted)).scalars()),
        calls_total=db.execute(select(func.count()).select_from(calls).where(of_trace)).scalar_one(),
        spans_total=db.execute(select(func.count()).select_from(spans).where(*shown)).scalar_one(),
    )
    return view if view.calls or view.spans or view.orphans or view.runs else None


def timeline_window(
    db: Reader, trace_id: str, *, keys: Sequence[str], span_ids: Sequence[str], decode: Decode
) -> tuple[dict[str, Call], dict[str, Span]]:
    """The calls with these keys and the spans with these ids, whole."""
    raw = select(spans.c.raw).where(spans.c.trace_id == indexable(trace_id), spans.c.span_id.in_(span_ids))
    found = [decode(unpack(body)) for body in db.execute(raw).scalars()] if span_ids else []
    return assembled(db, keys), {span.span_id: span for span in found}


def _attempts(wanted: str, keys: Any) -> Any:
    return select(facts.c.span_id, facts.c.call_key).where(
        facts.c.call_key.in_(keys), facts.c.kind == "attempted", facts.c.trace_id == wanted
    )


def _orphans(wanted: str) -> Any:
    of_trace = select(orphans.c.body).where(orphans.c.trace_id == wanted)
    return of_trace.order_by(orphans.c.at_ns).limit(ORPHANS_MAX)


def _runs(wanted: str) -> Any:
    of_trace = select(runs.c.body).where(runs.c.trace_id == wanted)
    return of_trace.order_by(runs.c.started_ns).limit(RUNS_MAX)
