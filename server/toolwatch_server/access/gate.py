"""The gate in front of everything: host, origin, key or session; and the headers that protect pages."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Final
from urllib.parse import quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toolwatch_server.access import session
from toolwatch_server.access.keys import Keys, presented
from toolwatch_server.access.origin import SAFE_METHODS, is_foreign, is_rebound
from toolwatch_server.errors import Forbidden, KeyMissing, KeyWrong, ToolwatchError

LOGIN: Final = "/login"
OPEN_TO_ALL: Final = ("/healthz", "/readyz", LOGIN)
OPEN_BELOW: Final = ("/static/",)

SECURITY_HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


@dataclass(frozen=True, slots=True)
class Rules:
    """check_host: only for servers without a key, where reaching the port is all it takes."""

    keys: Keys
    check_host: bool
    allowed_hosts: frozenset[str] = frozenset()


class Gate:
    """ASGI middleware. refuse turns an error into the answer that suits the path."""

    def __init__(
        self, app: ASGIApp, rules: Rules, refuse: Callable[[Request, ToolwatchError], Response]
    ) -> None:
        self._app = app
        self._rules = rules
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            self._check(scope)
        except ToolwatchError as error:
            answer = self._answer(Request(scope), error)
            await answer(scope, receive, send_protected)
        else:
            await self._app(scope, receive, send_protected)

    def _check(self, scope: Scope) -> None:
        """Raises Forbidden, KeyMissing, KeyWrong."""
        headers, keys = Headers(scope=scope), presented(Headers(scope=scope))
        if self._rules.check_host and is_rebound(headers.get("host", ""), self._rules.allowed_hosts):
            raise Forbidden(
                f"This server does not answer to the name {headers.get('host', '')!r}. If the name is yours, "
                "add it to TOOLWATCH_ALLOWED_HOSTS."
            )
        if not keys and is_foreign(scope["method"], headers):
            raise Forbidden("A page of another origin may not do this.")
        if self._rules.keys and not _is_open(scope["path"]):
            self._check_key(headers, keys)

    def _check_key(self, headers: Headers, keys: tuple[str, ...]) -> None:
        if any(self._rules.keys.accept(key) for key in keys):
            return
        if keys:
            raise KeyWrong("The API key is not one of this server's.")
        cookie = _cookie(headers.get("cookie", ""))
        if not session.holds(self._rules.keys.secret(), cookie, int(time.time())):
            raise KeyMissing(
                "This server wants an API key: send it as 'Authorization: Bearer KEY' or 'x-api-key: KEY'."
            )

    def _answer(self, request: Request, error: ToolwatchError) -> Response:
        """People without a session are asked for the key; programs are told."""
        if not isinstance(error, KeyMissing):
            return self._refuse(request, error)
        if _is_for_people(request):
            back = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            address = f"{LOGIN}?next={quote(back, safe='')}"
            if request.headers.get("hx-request") == "true":
                return Response(status_code=401, headers={"hx-redirect": address})
            return RedirectResponse(address, status_code=303)
        answer = self._refuse(request, error)
        answer.headers["www-authenticate"] = "Bearer"
        return answer


def _is_open(path: str) -> bool:
    return path in OPEN_TO_ALL or path.startswith(OPEN_BELOW)


def _is_for_people(request: Request) -> bool:
    path = request.url.path
    return (
        request.method in SAFE_METHODS
        and "text/html" in request.headers.get("accept", "")
        and not path.startswith(("/api/v1/", "/v1/", "/metrics"))
    )


def _cookie(header: str) -> str:
    try:
        morsel = SimpleCookie(header).get(session.COOKIE)
    except CookieError:
        return ""
    return morsel.value if morsel is not None else ""
