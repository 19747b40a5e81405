"""The page that asks a person for the API key, once in thirty days."""

import time
from typing import Final
from urllib.parse import parse_qs

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from toolwatch_server.access import session
from toolwatch_server.access.gate import LOGIN
from toolwatch_server.access.keys import Keys
from toolwatch_web import render
from toolwatch_web.models.lists import LoginPage
from toolwatch_web.models.shell import Shell

FORM_BYTES: Final = 16_384


def routes(keys: Keys) -> APIRouter:
    router = APIRouter(include_in_schema=False)

    @router.get(LOGIN)
    def ask(next: str = "/") -> HTMLResponse:
        return _page(next)

    @router.post(LOGIN)
    async def enter(request: Request) -> Response:
        given = await _form(request)
        key, next = given.get("key", ""), given.get("next", "/")
        if not keys.accept(key.strip()):
            return _page(next, refused=True)
        answer = RedirectResponse(_own_path(next), status_code=303)
        answer.set_cookie(
            session.COOKIE,
            session.issue(keys.secret(), int(time.time())),
            max_age=session.LASTS_S,
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
        )
        return answer

    return router


async def _form(request: Request) -> dict[str, str]:
    """The fields of a posted form; whatever is longer than a form of two fields can be is not read."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > FORM_BYTES:
            return {}
    return {name: values[-1] for name, values in parse_qs(body.decode("utf-8", "replace")).items()}


def _page(next: str, *, refused: bool = False) -> HTMLResponse:
    shell = Shell(title="Sign in", now_ns=time.time_ns())
    html = render.page("login", LoginPage(next=_own_path(next), refused=refused), shell)
    return HTMLResponse(html, status_code=403 if refused else 200, headers={"cache-control": "no-store"})


def _own_path(path: str) -> str:
    """Only an address of our own: "//elsewhere" and "/\\elsewhere" leave the site."""
    return path if path.startswith("/") and path[1:2] not in ("/", "\\") else "/"
