"""The key of a call: the same in every process that meets the call (docs/wire.md)."""

import hashlib

SEPARATOR = "\x1f"
NULL = "\x00"


def call_key(scope: str, message_id: str | None, position: int, tool_call_id: str | None) -> str:
    """``c`` and 24 hex digits."""
    parts = (scope, message_id, str(position), tool_call_id)
    text = SEPARATOR.join(NULL if part is None else part for part in parts)
    return "c" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]
