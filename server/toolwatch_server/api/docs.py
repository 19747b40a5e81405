"""/api/docs: the routes of the API on one page, without foreign origins."""

import time
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from toolwatch_web import render
from toolwatch_web.models.lists import ApiPage, ApiRoute
from toolwatch_web.models.shell import Shell

router = APIRouter(include_in_schema=False)


@router.get("/api/docs")
def docs(request: Request) -> HTMLResponse:
    schema = request.app.openapi()
    routes = tuple(
        _route(method, path, operation)
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    )
    page = ApiPage(version=schema["info"]["version"], routes=routes)
    shell = Shell(title="API", now_ns=time.time_ns(), development=request.app.debug)
    return HTMLResponse(render.page("api", page, shell))


def _route(method: str, path: str, operation: dict[str, Any]) -> ApiRoute:
    return ApiRoute(
        method=method.upper(),
        path=path,
        text=operation.get("description", ""),
        parameters=tuple(map(_parameter, operation.get("parameters", ()))),
    )


def _parameter(parameter: dict[str, Any]) -> tuple[str, str]:
    words = parameter["schema"].get("enum", ())
    allowed = f" One of {', '.join(words)}." if words else ""
    return parameter["name"], parameter.get("description", "") + allowed
