"""The timeline of a trace and the conversation of a thread."""

from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from toolwatch_server.domain.rows import TraceView
from toolwatch_server.errors import NotFound
from toolwatch_server.pages import respond
from toolwatch_server.pages.conversation import thread_page
from toolwatch_server.pages.parameters import whole, word
from toolwatch_server.pages.reading import Database, Now
from toolwatch_server.pages.shape_trace import trace_page
from toolwatch_server.storage.queries.show_trace import show_thread, show_trace
from toolwatch_web.format import shorten
from toolwatch_web.models.trace import TracePage

router: Final = APIRouter(include_in_schema=False)


@router.get("/traces/{trace_id}")
def trace(request: Request, trace_id: str, db: Database, now_ns: Now) -> Response:
    title = f"Trace {shorten(trace_id, 16)}"
    model = _timeline(request, trace_id, db, now_ns)
    return respond.page(request, "trace", model, title=title, section="Calls", now_ns=now_ns)


@router.get("/parts/traces/{trace_id}/lines")
def lines(request: Request, trace_id: str, db: Database, now_ns: Now) -> Response:
    return respond.part(request, "lines", _timeline(request, trace_id, db, now_ns), now_ns=now_ns)


def _timeline(request: Request, trace_id: str, db: Database, now_ns: int) -> TracePage:
    view = _seen(show_trace(db, trace_id, request.app.state.decode), "trace")
    every_span = word(request, "spans", ("calls", "all"), default="calls") == "all"
    offset = whole(request, "from", default=0)
    return trace_page(view, trace_id, offset=offset, every_span=every_span, now_ns=now_ns)


@router.get("/threads/{thread_id:path}")
def thread(request: Request, thread_id: str, db: Database, now_ns: Now) -> Response:
    view = _seen(show_thread(db, thread_id, request.app.state.decode), "thread")
    model = thread_page(view, thread_id)
    return respond.page(
        request, "thread", model, title=f"Thread {shorten(thread_id, 40)}", section="Calls", now_ns=now_ns
    )


def _seen(view: TraceView | None, what: str) -> TraceView:
    if view is None:
        raise NotFound(f"Nothing is known of this {what}. It may have been deleted, or never arrived here.")
    return view
