"""What went wrong, as a page for people."""

import time
from http import HTTPStatus
from typing import Final

from fastapi import Request
from fastapi.responses import Response

from toolwatch_server.errors import BadFilter, Later, ToolwatchError
from toolwatch_server.pages import respond
from toolwatch_web.models.lists import ProblemPage

_HEADINGS: Final = {
    403: "This is not allowed",
    404: "There is nothing here",
    422: "This question was not understood",
    429: "Too busy just now",
    500: "Something broke in Toolwatch itself",
    503: "The database does not answer",
}
_HOME: Final = (("Overview", "/"), ("Calls", "/calls"), ("Status", "/status"))


def refuse(request: Request, error: ToolwatchError) -> Response:
    """The page for an error, with its status."""
    status = HTTPStatus(error.status)
    heading = _HEADINGS.get(status, status.phrase)
    model = ProblemPage(
        status=status, heading=heading, text=error.message, details=_details(error), links=_HOME
    )
    answer = respond.page(request, "problem", model, title=heading, now_ns=time.time_ns(), status=status)
    if isinstance(error, Later):
        answer.headers["retry-after"] = str(error.after_s)
    return answer


def _details(error: ToolwatchError) -> tuple[tuple[str, str], ...]:
    if not isinstance(error, BadFilter):
        return ()
    allowed = error.allowed if isinstance(error.allowed, str) else ", ".join(error.allowed)
    return ((error.field, allowed),)
