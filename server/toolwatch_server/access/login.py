"""The page that asks a person for the API key, once in thirty days."""

import time
from html import escape
from typing import Final
from urllib.parse import parse_qs

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from toolwatch_server.access import session
from toolwatch_server.access.gate import LOGIN
from toolwatch_server.access.keys import Keys

# Static, and needed before anything else may be shown; so it stands here and not among the templates.
PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sign in · Toolwatch</title>
</head>
<body class="login">
<main>
<h1>Toolwatch</h1>
<form method="post" action="/login">
<p><label for="key">API key</label></p>
<p><input id="key" name="key" type="password" autocomplete="current-password" required autofocus></p>
<input type="hidden" name="next" value="{next}">
{problem}
<p><button type="submit">Sign in</button></p>
</form>
</main>
</body>
</html>
"""
FORM_BYTES: Final = 16_384
WRONG: Final = '<p role="alert">That is not one of this server\'s keys.</p>'


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
            return _page(next, problem=WRONG, status=403)
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


def _page(next: str, *, problem: str = "", status: int = 200) -> HTMLResponse:
    filled = PAGE.format(next=escape(_own_path(next)), problem=problem)
    return HTMLResponse(filled, status_code=status, headers={"cache-control": "no-store"})


def _own_path(path: str) -> str:
    """Only an address of our own: "//elsewhere" and "/\\elsewhere" leave the site."""
    return path if path.startswith("/") and path[1:2] not in ("/", "\\") else "/"
