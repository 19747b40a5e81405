"""What was received of a trace, as it is kept, and which traces speak of a thread: for exports."""

from typing import NamedTuple

from sqlalchemy import select, tuple_, union

from toolwatch_server.storage.codec import unpack
from toolwatch_server.storage.engine import Reader
from toolwatch_server.storage.tables import call_traces, calls, logs, runs, spans
from toolwatch_server.storage.text import indexable


class Kept(NamedTuple):
    """raw is an OTLP protobuf ResourceSpans or ResourceLogs of one redacted record; place is its own."""

    place: tuple[int, str]
    raw: bytes


def some_spans(db: Reader, trace_id: str, *, after: tuple[int, str] | None, limit: int) -> list[Kept]:
    """The next spans of a trace, oldest first; none at its end."""
    statement = select(spans.c.start_ns, spans.c.span_id, spans.c.raw).where(
        spans.c.trace_id == indexable(trace_id)
    )
    if after is not None:
        statement = statement.where(tuple_(spans.c.start_ns, spans.c.span_id) > after)
    ordered = statement.order_by(spans.c.start_ns, spans.c.span_id).limit(limit)
    return [Kept((start_ns, span_id), unpack(raw)) for start_ns, span_id, raw in db.execute(ordered)]


def some_logs(db: Reader, trace_id: str, *, after: tuple[int, str] | None, limit: int) -> list[Kept]:
    """The next log records of a trace, in the order in which they came; none at its end."""
    statement = select(logs.c.received_ns, logs.c.digest, logs.c.raw).where(
        logs.c.trace_id == indexable(trace_id)
    )
    if after is not None:
        statement = statement.where(tuple_(logs.c.received_ns, logs.c.digest) > after)
    ordered = statement.order_by(logs.c.received_ns, logs.c.digest).limit(limit)
    return [Kept((received_ns, digest), unpack(raw)) for received_ns, digest, raw in db.execute(ordered)]


def thread_traces(db: Reader, thread_id: str) -> tuple[str, ...]:
    """Every trace that speaks of the thread: of a run in it, or of a call."""
    wanted = indexable(thread_id)
    of_calls = (
        select(call_traces.c.trace_id)
        .join(calls, calls.c.key == call_traces.c.call_key)
        .where(calls.c.thread_id == wanted)
    )
    found = union(select(runs.c.trace_id).where(runs.c.thread_id == wanted), of_calls)
    return tuple(sorted(db.execute(found).scalars()))
