"""View models as responses."""

from fastapi import Request
from fastapi.responses import HTMLResponse

from toolwatch_server.access.session import COOKIE
from toolwatch_web import render
from toolwatch_web.models.shell import Shell


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
) -> HTMLResponse:
    shell = Shell(
        title=title, now_ns=now_ns, section=section, query=query, signed_in=COOKIE in request.cookies
    )
    return HTMLResponse(
        render.page(name, model, shell), status_code=status, headers={"cache-control": "no-store"}
    )


def part(name: str, model: object, *, now_ns: int, push_url: str | None = None) -> HTMLResponse:
    """A fragment. push_url is the address of the whole page that shows the same, for the address bar."""
    headers = {"cache-control": "no-store", **({"hx-push-url": push_url} if push_url else {})}
    return HTMLResponse(render.part(name, model, now_ns=now_ns), headers=headers)
