"""Tools, one tool, and failures in groups."""

from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from toolwatch_server.domain.filters import CallFilter
from toolwatch_server.errors import NotFound
from toolwatch_server.pages import respond
from toolwatch_server.pages.reading import Database, Now
from toolwatch_server.pages.shape_rows import error_of, leak_of, rows_of, tool_of
from toolwatch_server.storage.queries.error_groups import error_groups
from toolwatch_server.storage.queries.leaks import leaks
from toolwatch_server.storage.queries.list_calls import list_calls
from toolwatch_server.storage.queries.tool_health import tool_health
from toolwatch_web.models.lists import ErrorsPage, ToolPage, ToolsPage

router: Final = APIRouter(include_in_schema=False)
_LISTED: Final = 20


@router.get("/tools")
def tools(request: Request, db: Database, now_ns: Now) -> Response:
    model = ToolsPage(tools=tuple(map(tool_of, tool_health(db, CallFilter()))))
    return respond.page(request, "tools", model, title="Tools", section="Tools", now_ns=now_ns)


@router.get("/tools/{name:path}")
def tool(request: Request, name: str, db: Database, now_ns: Now) -> Response:
    health = tool_health(db, CallFilter(tool=name))
    if not health:
        raise NotFound("No call has named this tool.")
    model = ToolPage(
        tool=tool_of(health[0]),
        rows=rows_of(list_calls(db, CallFilter(tool=name, limit=_LISTED)).rows),
        failures=rows_of(list_calls(db, CallFilter(tool=name, failed=True, limit=_LISTED)).rows),
    )
    return respond.page(request, "tool", model, title=name, section="Tools", now_ns=now_ns)


@router.get("/errors")
def errors(request: Request, db: Database, now_ns: Now) -> Response:
    groups = tuple(map(error_of, error_groups(db, CallFilter())))
    model = ErrorsPage(groups=groups, leaks=tuple(map(leak_of, leaks(db))))
    return respond.page(request, "errors", model, title="Errors", section="Errors", now_ns=now_ns)
