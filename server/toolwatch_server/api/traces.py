"""/api/v1/traces and /api/v1/threads: what belongs together."""

from fastapi import APIRouter, Depends

from toolwatch_server.api.answers import JsonAnswer
from toolwatch_server.api.ask import nothing_asked
from toolwatch_server.api.context import Ctx, Db
from toolwatch_server.api.to_json import trace_json
from toolwatch_server.domain.rows import TraceView
from toolwatch_server.errors import NotFound
from toolwatch_server.storage.queries.show_trace import show_thread, show_trace

router = APIRouter(tags=["traces"])


@router.get("/traces/{trace_id}", dependencies=[Depends(nothing_asked)])
def trace(trace_id: str, ctx: Ctx, db: Db) -> JsonAnswer:
    """Calls, spans, orphaned answers and runs of one trace, oldest first."""
    view = _known(db, ctx, trace_id)
    return JsonAnswer({"trace_id": trace_id, **trace_json(view)})


@router.delete("/traces/{trace_id}", dependencies=[Depends(nothing_asked)])
def delete(trace_id: str, ctx: Ctx) -> JsonAnswer:
    """Forget everything of the trace, in the search index too."""
    deleted = ctx.delete_trace(trace_id)
    if not deleted:
        raise _unknown("trace", trace_id)
    return JsonAnswer({"trace_id": trace_id, "deleted": deleted})


@router.put("/traces/{trace_id}/pin", dependencies=[Depends(nothing_asked)])
def pin(trace_id: str, ctx: Ctx) -> JsonAnswer:
    """Retention leaves a pinned trace alone."""
    if not ctx.pin(trace_id):
        raise _unknown("trace", trace_id)
    return JsonAnswer({"trace_id": trace_id, "pinned": True})


@router.delete("/traces/{trace_id}/pin", dependencies=[Depends(nothing_asked)])
def unpin(trace_id: str, ctx: Ctx) -> JsonAnswer:
    """Let retention have the trace again."""
    if not ctx.unpin(trace_id):
        raise NotFound(f"The trace {trace_id[:80]!r} is not pinned.")
    return JsonAnswer({"trace_id": trace_id, "pinned": False})


@router.get("/threads/{thread_id:path}", dependencies=[Depends(nothing_asked)])
def thread(thread_id: str, ctx: Ctx, db: Db) -> JsonAnswer:
    """The same as a trace, across all runs of a conversation."""
    view = show_thread(db, thread_id, ctx.decode)
    if view is None:
        raise _unknown("thread", thread_id)
    traces = sorted({trace_id for call in view.calls for trace_id in call.trace_ids})
    return JsonAnswer({"thread_id": thread_id, "trace_ids": traces, **trace_json(view)})


def _known(db: Db, ctx: Ctx, trace_id: str) -> TraceView:
    view = show_trace(db, trace_id, ctx.decode)
    if view is None:
        raise _unknown("trace", trace_id)
    return view


def _unknown(what: str, id_: str) -> NotFound:
    return NotFound(f"There is no {what} with the id {id_[:80]!r}.")
