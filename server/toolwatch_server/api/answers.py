"""JSON answers, and errors as JSON."""

import json
from typing import Any

from starlette.responses import Response

from toolwatch_server.errors import BadFilter, Later, ToolwatchError


class JsonAnswer(Response):
    """Plain ASCII, so that half characters (a cut emoji) survive as they came."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()


def failure(error: ToolwatchError) -> JsonAnswer:
    """{"error": {"message", "retry"}}, for a wrong filter with the field and what is allowed."""
    said: dict[str, Any] = {"message": error.message, "retry": error.retry}
    if isinstance(error, BadFilter):
        said |= {"field": error.field, "allowed": error.allowed}
    headers = {"retry-after": str(error.after_s)} if isinstance(error, Later) else {}
    return JsonAnswer({"error": said}, status_code=error.status, headers=headers)
