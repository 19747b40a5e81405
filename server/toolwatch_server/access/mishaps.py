"""What nobody foresaw: the person gets a page with an id, and the log an entry with the same id."""

import secrets
import traceback
from collections.abc import Callable

import structlog
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toolwatch_server.errors import Broken, ToolwatchError

log = structlog.get_logger(__name__)


class Mishaps:
    """ASGI middleware, inside the gate so that its answers are protected too. refuse makes the answer."""

    def __init__(self, app: ASGIApp, refuse: Callable[[Request, ToolwatchError], Response]) -> None:
        self._app = app
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def note_begin(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, note_begin)
        except Exception as error:
            mishap = _logged(error, scope)
            if begun:
                raise  # half an answer is on its way: only breaking off tells that it is not whole
            await self._refuse(Request(scope), mishap)(scope, receive, send)


def _logged(error: Exception, scope: Scope) -> Broken:
    """The log says where it broke, not with which text: messages of errors repeat payloads."""
    id_ = secrets.token_hex(4)
    frames = "".join(traceback.format_tb(error.__traceback__))
    log.error(
        "unexpected error",
        id=id_,
        method=scope["method"],
        path=scope["path"],
        type=type(error).__qualname__,
        stack=frames,
    )
    return Broken(id_)
