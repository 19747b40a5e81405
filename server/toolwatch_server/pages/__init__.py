"""The pages for people: the map of them. Each file answers one address, or a few that belong together."""

from typing import Final

from fastapi import APIRouter

from toolwatch_server.pages import (
    call,
    calls,
    compare,
    find,
    gallery,
    overview,
    settings,
    static,
    status,
    tools,
    traces,
)
from toolwatch_server.pages.problems import refuse

__all__ = ["refuse", "router"]

router: Final = APIRouter(include_in_schema=False)
for _page in (overview, calls, call, compare, find, traces, tools, status, settings, gallery, static):
    router.include_router(_page.router)
