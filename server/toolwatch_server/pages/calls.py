"""The list of calls, and its parts."""

from dataclasses import replace
from functools import partial
from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from toolwatch_server.pages import respond
from toolwatch_server.pages.ask import Asked, ask
from toolwatch_server.pages.parameters import whole
from toolwatch_server.pages.reading import Database, Now
from toolwatch_server.pages.shape_facets import advice_of, facets_of
from toolwatch_server.pages.shape_list import LIVE_MAX, calls_page, list_href, live_rows, more_rows
from toolwatch_server.storage.queries.facets import count_calls, facets
from toolwatch_server.storage.queries.list_calls import list_calls
from toolwatch_web.format import count
from toolwatch_web.models.lists import CallsPage

router: Final = APIRouter(include_in_schema=False)


@router.get("/calls")
def calls(request: Request, db: Database, now_ns: Now) -> Response:
    asked = ask(request.query_params, now_ns)
    if len(asked.said) < len(request.query_params.multi_items()):
        return RedirectResponse(list_href(asked), status_code=303)
    model = _model(db, asked, now_ns)
    status = 422 if asked.problems else 200
    return respond.page(request, "calls", model, title="Calls", section="Calls", now_ns=now_ns, status=status)


@router.get("/parts/calls")
def results(request: Request, db: Database, now_ns: Now) -> Response:
    asked = ask(request.query_params, now_ns)
    model = _model(db, asked, now_ns)
    return respond.part(request, "results", model, now_ns=now_ns, push_url=list_href(asked))


def _model(db: Database, asked: Asked, now_ns: int) -> CallsPage:
    """With ways to narrow the list where it is long, and out of it where it is empty."""
    found = list_calls(db, asked.filter)
    if not found.rows:
        advice = advice_of(asked, now_ns, partial(count_calls, db))
        return calls_page(found, asked, now_ns=now_ns, advice=advice)
    counts = facets(db, asked.filter)
    note = "" if counts.complete else f"counted among the newest {count(counts.looked_at)}"
    return calls_page(found, asked, now_ns=now_ns, facets=facets_of(counts, asked), facets_note=note)


@router.get("/parts/more-rows")
def more(request: Request, db: Database, now_ns: Now) -> Response:
    asked = ask(request.query_params, now_ns)
    return respond.part(request, "more_rows", more_rows(list_calls(db, asked.filter), asked), now_ns=now_ns)


@router.get("/parts/live-rows")
def live(request: Request, db: Database, now_ns: Now) -> Response:
    """Everything from the oldest row of the first page on: no row is lost between it and the next page."""
    asked = ask(request.query_params, now_ns)
    oldest, opened = whole(request, "oldest", default=0), whole(request, "opened", default=0)
    since_ns = max(oldest, asked.filter.since_ns or oldest)
    found = list_calls(db, replace(asked.filter, since_ns=since_ns, limit=LIVE_MAX))
    return respond.part(request, "live_rows", live_rows(found, asked, opened_ns=opened), now_ns=now_ns)
