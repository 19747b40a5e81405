"""Outermost runs: their beginning, and the stand-in for what happens outside any run."""

import time
from typing import TYPE_CHECKING, Any

from opentelemetry import trace

from toolwatch._records import Attempt, Root
from toolwatch._session import Session
from toolwatch._spans import OpenSpan

if TYPE_CHECKING:
    from opentelemetry.trace import SpanContext


def new_root(
    session: Session, run_id: object, name: str | None, thread_id: str | None, outer: Attempt | None
) -> Root:
    parent = trace.get_current_span().get_span_context()
    name = session.redaction.name(name)[0] if name is not None else None
    span = session.sink.open(f"invoke_agent {name or 'graph'}", parent if parent.is_valid else None)
    above = outer.root.scope if outer is not None and not outer.root.loose else str(run_id)
    return Root(
        id=str(run_id),
        span=span,
        name=name,
        scope=thread_id or above,
        thread_id=_told(session, thread_id),
        started_ns=span.start_ns,
        outer=outer,
    )


def loose_root(session: Session, thread_id: str | None) -> Root:
    """For a tool, a model or a ToolNode outside any run: belongs to whatever span is current."""
    parent: SpanContext | None = trace.get_current_span().get_span_context()
    if parent is not None and not parent.is_valid:
        parent = None
    run_id = f"loose-{session.random_hex()}"
    context = parent if parent is not None else trace.INVALID_SPAN_CONTEXT
    span = OpenSpan(trace.NonRecordingSpan(context), context, parent, time.time_ns())
    return Root(run_id, span, None, thread_id or run_id, _told(session, thread_id), span.start_ns, loose=True)


def _told(session: Session, thread_id: str | None) -> str | None:
    """What leaves of a thread's name. Keys of calls are made of the whole name (docs/wire.md)."""
    return None if thread_id is None else session.redaction.thread(thread_id)


def text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
