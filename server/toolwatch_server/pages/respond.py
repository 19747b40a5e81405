"""View models as responses."""

import gzip
from typing import Final

from fastapi import Request
from fastapi.responses import Response

from toolwatch_web import render
from toolwatch_web.models.shell import Shell

_WORTH_PACKING_BYTES: Final = 1_000
_LEVEL: Final = 4  # lists repeat themselves: higher levels take three times as long and save a twentieth


def page(
    request: Request,
    name: str,
    model: object,
    *,
    title: str,
    now_ns: int,
    section: str = "",
    query: str = "",
    status: int = 200,
) -> Response:
    shell = Shell(
        title=title,
        now_ns=now_ns,
        section=section,
        query=query,
        development=request.app.debug,
    )
    return _html(request, render.page(name, model, shell), status=status)


def part(request: Request, name: str, model: object, *, now_ns: int, push_url: str | None = None) -> Response:
    """A fragment. push_url is the address of the whole page that shows the same, for the address bar."""
    answer = _html(request, render.part(name, model, now_ns=now_ns))
    if push_url:
        answer.headers["hx-push-url"] = push_url
    return answer


def _html(request: Request, text: str, *, status: int = 200) -> Response:
    """Packed where the browser can unpack it: a list of fifty calls shrinks to a tenth."""
    body = text.encode(errors="replace")
    headers = {"cache-control": "no-store", "vary": "accept-encoding"}
    if len(body) > _WORTH_PACKING_BYTES and "gzip" in request.headers.get("accept-encoding", ""):
        body = gzip.compress(body, _LEVEL)
        headers["content-encoding"] = "gzip"
    return Response(body, status_code=status, headers=headers, media_type="text/html; charset=utf-8")
