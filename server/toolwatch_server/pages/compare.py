"""Two calls or two traces side by side: /compare?a=…&b=…, with keys of calls or ids of traces."""

from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from toolwatch_server.errors import NotFound
from toolwatch_server.pages import respond
from toolwatch_server.pages.reading import Database, Now
from toolwatch_server.pages.shape_compare import compare_calls, compare_traces
from toolwatch_server.storage.queries.find import find
from toolwatch_server.storage.queries.load_calls import load_calls
from toolwatch_server.storage.queries.show_timeline import show_timeline
from toolwatch_web.models.compare import ComparePage

router: Final = APIRouter(include_in_schema=False)


@router.get("/compare")
def compare(request: Request, db: Database, now_ns: Now, a: str = "", b: str = "") -> Response:
    model = _model(db, a.strip()[:500], b.strip()[:500])
    return respond.page(request, "compare", model, title="Compare", section="Calls", now_ns=now_ns)


def _model(db: Database, a: str, b: str) -> ComparePage:
    """Raises NotFound: one cannot be compared with what is not there, or a call with a trace."""
    keys = [_key(db, text) for text in (a, b)]
    calls = load_calls(db, [key for key in keys if key])
    if all(keys) and calls:
        return compare_calls(calls[0], calls[-1])
    one, other = show_timeline(db, a), show_timeline(db, b)
    if one is None or other is None:
        raise NotFound(
            "Two calls or two traces can be compared: give their ids as /compare?a=…&b=…. "
            "At least one of these is not here, or they are not of one kind."
        )
    return compare_traces(one, other, a, b)


def _key(db: Database, text: str) -> str | None:
    """The key of a call; its tool_call_id will do, and means the newest call that carries it."""
    rows = [row for row in find(db, text) if text in (row.key, row.tool_call_id)]
    return rows[0].key if rows else None
