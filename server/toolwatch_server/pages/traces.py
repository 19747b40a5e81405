"""The timeline of a trace and the conversation of a thread."""

from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from toolwatch_server.errors import NotFound
from toolwatch_server.pages import respond
from toolwatch_server.pages.conversation import thread_page
from toolwatch_server.pages.parameters import whole, word
from toolwatch_server.pages.reading import Database, Now
from toolwatch_server.pages.shape_trace import Wish, plan, trace_page
from toolwatch_server.storage.queries.show_timeline import show_timeline, timeline_window
from toolwatch_server.storage.queries.show_trace import show_thread
from toolwatch_web.format import shorten
from toolwatch_web.models.trace import TracePage

router: Final = APIRouter(include_in_schema=False)
_FOLDED_MAX: Final = 50
_QUERY_CHARS: Final = 200


@router.get("/traces/{trace_id}")
def trace(request: Request, trace_id: str, db: Database, now_ns: Now) -> Response:
    title = f"Trace {shorten(trace_id, 16)}"
    model = _timeline(request, trace_id, db, now_ns)
    return respond.page(request, "trace", model, title=title, section="Calls", now_ns=now_ns)


@router.get("/parts/traces/{trace_id}/lines")
def lines(request: Request, trace_id: str, db: Database, now_ns: Now) -> Response:
    return respond.part(request, "lines", _timeline(request, trace_id, db, now_ns), now_ns=now_ns)


def _timeline(request: Request, trace_id: str, db: Database, now_ns: int) -> TracePage:
    view = show_timeline(db, trace_id)
    if view is None:
        raise _unknown("trace")
    wish = Wish(
        offset=whole(request, "from", default=0),
        every_span=word(request, "spans", ("calls", "all"), default="calls") == "all",
        folded=tuple(dict.fromkeys(request.query_params.getlist("fold")))[:_FOLDED_MAX],
        query=request.query_params.get("q", "").strip()[:_QUERY_CHARS],
    )
    made = plan(view, wish, now_ns=now_ns)
    calls, spans = timeline_window(
        db,
        trace_id,
        keys=[line.item.id for line in made.shown if line.item.kind == "call"],
        span_ids=[line.item.id for line in made.shown if line.item.kind == "span"],
        decode=request.app.state.decode,
    )
    return trace_page(made, trace_id, calls, spans, request.app.state.link_templates)


@router.get("/threads/{thread_id:path}")
def thread(request: Request, thread_id: str, db: Database, now_ns: Now) -> Response:
    view = show_thread(db, thread_id, None)
    if view is None:
        raise _unknown("thread")
    model = thread_page(view, thread_id)
    return respond.page(
        request, "thread", model, title=f"Thread {shorten(thread_id, 40)}", section="Calls", now_ns=now_ns
    )


def _unknown(what: str) -> NotFound:
    return NotFound(f"Nothing is known of this {what}. It may have been deleted, or never arrived here.")
