"""Tools, one tool, and failures in groups."""

from dataclasses import replace
from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from toolwatch_server.domain.filters import CallFilter
from toolwatch_server.domain.rows import ToolHealth
from toolwatch_server.errors import NotFound
from toolwatch_server.pages import respond
from toolwatch_server.pages.ask import moment
from toolwatch_server.pages.reading import Database, Now
from toolwatch_server.pages.shape_rows import error_of, leak_of, rows_of, tool_of
from toolwatch_server.pages.shape_tool import Split, change_of, nothing_of
from toolwatch_server.pages.windows import window_of
from toolwatch_server.storage.queries.error_groups import error_groups
from toolwatch_server.storage.queries.leaks import leaks
from toolwatch_server.storage.queries.list_calls import list_calls
from toolwatch_server.storage.queries.tool_health import tool_health
from toolwatch_web import links
from toolwatch_web.models.lists import ErrorsPage, ToolPage, ToolsPage

router: Final = APIRouter(include_in_schema=False)
_LISTED: Final = 20
_PROBLEMS: Final = 20


@router.get("/tools")
def tools(request: Request, db: Database, now_ns: Now) -> Response:
    window = window_of(request, now_ns)
    asked = CallFilter(since_ns=window.since_ns, until_ns=window.until_ns)
    found = tool_health(db, asked, bucket_ns=window.bucket_ns)
    problems = [(tool.tool, *problem) for tool in found for problem in tool.problem_fields]
    model = ToolsPage(
        windows=window.links("/tools"),
        tools=tuple(tool_of(tool, window) for tool in found),
        anything_stored=bool(found or list_calls(db, CallFilter(limit=1)).rows),
        problems=tuple(sorted(problems, key=lambda problem: -problem[3])[:_PROBLEMS]),
    )
    return respond.page(request, "tools", model, title="Tools", section="Tools", now_ns=now_ns)


@router.get("/tools/{name:path}")
def tool(request: Request, name: str, db: Database, now_ns: Now) -> Response:
    window = window_of(request, now_ns)
    newest = list_calls(db, CallFilter(tool=name, limit=_LISTED)).rows
    if not newest:
        raise NotFound("No call has named this tool.")
    asked = CallFilter(tool=name, since_ns=window.since_ns, until_ns=window.until_ns)
    health = tool_health(db, asked, bucket_ns=window.bucket_ns)
    split = _split(request, now_ns)
    change = change_of(*_both_sides(db, name, split)) if split.at_ns is not None else ()
    model = ToolPage(
        windows=window.links(links.tool(name)),
        tool=tool_of(health[0] if health else nothing_of(name, newest[0].sort_ns), window),
        split=split.text,
        split_problem=split.problem,
        change=change,
        rows=rows_of(newest),
        failures=rows_of(list_calls(db, CallFilter(tool=name, failed=True, limit=_LISTED)).rows),
    )
    return respond.page(request, "tool", model, title=name, section="Tools", now_ns=now_ns)


def _split(request: Request, now_ns: int) -> Split:
    text = request.query_params.get("split", "").strip()[:40]
    try:
        at_ns = moment(text, now_ns) if text else None
    except (ValueError, OverflowError):
        return Split(text=text, problem="This has to be a time such as -1d or 2026-05-01T12:00:00Z.")
    if at_ns is not None and at_ns >= now_ns:
        return Split(text=text, problem="This has to be a time that is past.")
    return Split(text=text, at_ns=at_ns, now_ns=now_ns)


def _both_sides(db: Database, name: str, split: Split) -> tuple[ToolHealth | None, ToolHealth | None]:
    """The tool from the split up to now, and in a stretch as long before it."""
    at_ns = split.at_ns or 0
    before = CallFilter(tool=name, since_ns=2 * at_ns - split.now_ns, until_ns=at_ns)
    sides = (before, replace(before, since_ns=at_ns, until_ns=None))
    found = [tool_health(db, side) for side in sides]
    return (found[0][0] if found[0] else None, found[1][0] if found[1] else None)


@router.get("/errors")
def errors(request: Request, db: Database, now_ns: Now) -> Response:
    window = window_of(request, now_ns)
    asked = CallFilter(since_ns=window.since_ns, until_ns=window.until_ns)
    groups = error_groups(db, asked, bucket_ns=window.bucket_ns)
    model = ErrorsPage(
        windows=window.links("/errors"),
        groups=tuple(error_of(group, window) for group in groups),
        leaks=tuple(map(leak_of, leaks(db))),
    )
    return respond.page(request, "errors", model, title="Errors", section="Errors", now_ns=now_ns)
