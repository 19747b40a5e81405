"""The JSON API: every route of /api/v1."""

from fastapi import APIRouter

from toolwatch_server.api import calls, errors, status, tools, traces

router = APIRouter(prefix="/api/v1")
for part in (calls, traces, tools, errors, status):
    router.include_router(part.router)
