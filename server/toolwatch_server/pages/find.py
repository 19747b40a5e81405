"""From whatever was pasted to the call it means."""

from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from toolwatch_server.domain.filters import CallFilter
from toolwatch_server.domain.rows import CallRow
from toolwatch_server.pages import respond
from toolwatch_server.pages.pasted import candidates
from toolwatch_server.pages.reading import Database, Now
from toolwatch_server.pages.shape_rows import rows_of
from toolwatch_server.storage.queries.find import find as find_id
from toolwatch_server.storage.queries.list_calls import list_calls
from toolwatch_web import links
from toolwatch_web.format import plural, shorten
from toolwatch_web.models.lists import FindPage

router: Final = APIRouter(include_in_schema=False)
_SHOWN_MAX: Final = 100


@router.get("/find")
def find(request: Request, db: Database, now_ns: Now, q: str = "") -> Response:
    text = q.strip()[:4_000]
    candidate, found = _first_hit(db, text)
    if (target := _only_target(candidate, found)) is not None:
        return RedirectResponse(target, status_code=303)
    words = () if found or not text else list_calls(db, CallFilter(q=text[:500], limit=_SHOWN_MAX)).rows
    model = _model(text, candidate, found, words)
    return respond.page(request, "find", model, title="Find", query=text, now_ns=now_ns)


def _first_hit(db: Database, text: str) -> tuple[str, tuple[CallRow, ...]]:
    for candidate in candidates(text) if text else ():
        if found := find_id(db, candidate):
            return candidate, found
    return text, ()


def _only_target(candidate: str, found: tuple[CallRow, ...]) -> str | None:
    """One call is opened at once; several calls of one trace or thread open that."""
    if len(found) == 1:
        return links.call(found[0].key)
    if found and all(row.thread_id == candidate for row in found):
        return links.thread(candidate)
    if found and all(row.trace_id == candidate for row in found):
        return links.trace(candidate)
    return None


def _model(text: str, candidate: str, found: tuple[CallRow, ...], words: tuple[CallRow, ...]) -> FindPage:
    tried = [f"as an id: {shorten(item, 80)}" for item in candidates(text)] if text else []
    more = links.calls(q=text) if len(words) == _SHOWN_MAX else None
    return FindPage(
        query=text,
        tried=(
            *tried,
            *([f"as words in arguments, results and errors: {shorten(text, 80)}"] if text else []),
        ),
        rows=rows_of((found or words)[:_SHOWN_MAX]),
        hint=_hint(text, candidate, found, words),
        more_href=links.calls(tool_call_id=candidate) if len(found) > _SHOWN_MAX else more,
    )


def _hint(text: str, candidate: str, found: tuple[CallRow, ...], words: tuple[CallRow, ...]) -> str | None:
    if found and all(row.tool_call_id == candidate for row in found):
        return f"{plural(len(found), 'call')} carry this id, newest first: some servers count from call_0."
    if found:
        return f"{plural(len(found), 'call')} belong to {shorten(candidate, 80)}."
    if words:
        return "No call has this as an id; these hold the words."
    return "No call has this as an id, and none holds these words." if text else None
