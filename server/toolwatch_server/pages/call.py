"""One call: the page of the product, and the whole of its long values."""

from collections.abc import Iterator
from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response, StreamingResponse

from toolwatch_server.domain.rows import CallView
from toolwatch_server.errors import NotFound
from toolwatch_server.pages import respond
from toolwatch_server.pages.reading import Database, Now
from toolwatch_server.pages.shape_call import call_page, raw_text
from toolwatch_server.storage.queries.find import find
from toolwatch_server.storage.queries.show_call import show_call
from toolwatch_web import links
from toolwatch_web.format import shorten

router: Final = APIRouter(include_in_schema=False)
_PIECE_CHARS: Final = 65_536


@router.get("/calls/{key}")
def call(request: Request, key: str, db: Database, now_ns: Now) -> Response:
    model = call_page(_seen(db, key), request.app.state.link_templates)
    title = f"{model.tool or 'call'} {shorten(model.tool_call_id, 40)}"
    return respond.page(request, "call", model, title=title, section="Calls", now_ns=now_ns)


@router.get("/calls/{key}/raw/{what}")
def raw(key: str, what: str, db: Database) -> Response:
    text = raw_text(_seen(db, key).call, what)
    if text is None:
        raise NotFound("This call has no such value.")
    return StreamingResponse(_in_pieces(text), media_type="text/plain; charset=utf-8")


@router.get("/c/{tool_call_id:path}")
def short_link(tool_call_id: str, db: Database) -> Response:
    found = [row for row in find(db, tool_call_id) if row.tool_call_id == tool_call_id]
    target = links.call(found[0].key) if len(found) == 1 else links.find(tool_call_id)
    return RedirectResponse(target, status_code=303)


def _seen(db: Database, key: str) -> CallView:
    view = show_call(db, key)
    if view is None:
        raise NotFound("There is no call with this key. It may have been deleted, or never arrived here.")
    return view


def _in_pieces(text: str) -> Iterator[bytes]:
    for start in range(0, len(text), _PIECE_CHARS):
        yield text[start : start + _PIECE_CHARS].encode(errors="replace")
