"""/api/v1/calls: the list, and one call."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends

from toolwatch_server.api.answers import JsonAnswer
from toolwatch_server.api.ask import PARAMETERS, ask, described, nothing_asked
from toolwatch_server.api.context import Db
from toolwatch_server.api.to_json import call_json, row_ref
from toolwatch_server.domain.filters import CallFilter
from toolwatch_server.domain.rows import CallView
from toolwatch_server.errors import NotFound
from toolwatch_server.storage.queries.list_calls import list_calls
from toolwatch_server.storage.queries.load_calls import load_calls
from toolwatch_server.storage.queries.show_call import show_call

router = APIRouter(tags=["calls"])

DOCUMENTED: Final = described(PARAMETERS)


@router.get("/calls", openapi_extra=DOCUMENTED)
def calls(asked: Annotated[CallFilter, Depends(ask)], db: Db) -> JsonAnswer:
    """Calls that fit every filter, newest first. next_cursor is null on the last page."""
    page = list_calls(db, asked)
    found = load_calls(db, [row.key for row in page.rows])
    return JsonAnswer(
        {
            "calls": [call_json(call) for call in found],
            "next_cursor": page.next_cursor,
            "total": page.total,
        }
    )


@router.get("/calls/{key}", dependencies=[Depends(nothing_asked)])
def call(key: str, db: Db) -> JsonAnswer:
    """One call with everything that is known of it, and the calls that one wants beside it."""
    view = _known(db, key)
    return JsonAnswer(
        {
            **call_json(view.call),
            "siblings": [row_ref(row) for row in view.siblings],
            "nested": [row_ref(row) for row in view.nested],
            "same_id": [row_ref(row) for row in view.same_id],
            "same_arguments": [row_ref(row) for row in view.same_arguments],
            "corrects": row_ref(view.corrects) if view.corrects else None,
            "corrected_by": row_ref(view.corrected_by) if view.corrected_by else None,
        }
    )


def _known(db: Db, key: str) -> CallView:
    view = show_call(db, key)
    if view is None:
        raise NotFound(f"There is no call with the key {key[:80]!r}.")
    return view
