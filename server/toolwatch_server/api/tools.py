"""/api/v1/tools: how each tool is doing."""

from dataclasses import replace
from typing import Annotated, Final

from fastapi import APIRouter, Depends

from toolwatch_server.api.answers import JsonAnswer
from toolwatch_server.api.ask import FILTERS, ask, described
from toolwatch_server.api.context import Db
from toolwatch_server.api.to_json import tool_json
from toolwatch_server.domain.filters import CallFilter
from toolwatch_server.errors import NotFound
from toolwatch_server.storage.queries.tool_health import tool_health

router = APIRouter(tags=["tools"])

DOCUMENTED: Final = described(FILTERS)


@router.get("/tools", openapi_extra=DOCUMENTED)
def tools(asked: Annotated[CallFilter, Depends(ask)], db: Db) -> JsonAnswer:
    """Counts, share of failures, percentiles and troublesome fields of every tool, most failures first."""
    return JsonAnswer({"tools": [tool_json(health) for health in tool_health(db, asked)]})


@router.get("/tools/{name:path}", openapi_extra=DOCUMENTED)
def tool(name: str, asked: Annotated[CallFilter, Depends(ask)], db: Db) -> JsonAnswer:
    """The same for one tool."""
    found = tool_health(db, replace(asked, tool=name))
    if not found:
        raise NotFound(f"No call of a tool named {name[:80]!r} fits.")
    return JsonAnswer(tool_json(found[0]))
