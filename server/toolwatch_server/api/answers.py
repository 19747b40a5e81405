"""JSON answers, and errors as JSON."""

import json
from typing import Any

from starlette.responses import Response

from toolwatch_server.errors import BadFilter, Later, ToolwatchError


class JsonAnswer(Response):
    """Real characters; half of one (a cut emoji) becomes a question mark."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        text = json.dumps(content, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "replace")


def failure(error: ToolwatchError) -> JsonAnswer:
    """{"error": {"message", "retry"}}, for a wrong filter with the field and what is allowed."""
    said: dict[str, Any] = {"message": error.message, "retry": error.retry}
    if isinstance(error, BadFilter):
        said |= {"field": error.field, "allowed": error.allowed}
    headers = {"retry-after": str(error.after_s)} if isinstance(error, Later) else {}
    return JsonAnswer({"error": said}, status_code=error.status, headers=headers)
