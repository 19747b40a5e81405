"""What the texts of Eino's errors mean: other exporters of Eino send nothing else about pauses and panics."""

import re
from dataclasses import replace
from typing import Final

from toolwatch_server.domain.call import Error
from toolwatch_server.domain.facts import Origin

_PAUSE: Final = re.compile(r"interrupt signal:|interrupt happened, info:|interrupt and rerun")
_PANIC: Final = re.compile(r"panic error: (?P<message>.*?), \nstack: (?P<stack>.*)", re.DOTALL)
_UNREADABLE: Final = re.compile(r"\[\w*Func\] (?:failed to unmarshal arguments|invalid type)")
_ENDED: Final = re.compile(r"context (?:canceled|deadline exceeded)")
_LONGEST_TYPE_CHARS: Final = 100


def judged(error: Error | None) -> tuple[str, Error | None]:
    """The outcome of a run of a tool, and its error; a pause is none."""
    if error is None:
        return "ok", None
    said = error.message or error.type
    if _PAUSE.search(said):
        return "interrupted", None
    panic = _PANIC.search(said)
    if panic is not None:
        return "tool_error", Error(type="panic", message=panic["message"], stack=panic["stack"])
    if _UNREADABLE.search(said):
        return "invalid_args", _typed(error)
    return ("cancelled" if _ENDED.search(said) else "tool_error"), _typed(error)


def _typed(error: Error) -> Error:
    """Some senders write the whole message where the type belongs."""
    if " " not in error.type and len(error.type) <= _LONGEST_TYPE_CHARS:
        return error
    return Error(type="error", message=error.message or error.type, stack=error.stack)


def from_eino(origin: Origin, thread_id: str | None = None) -> Origin:
    return replace(origin, framework="eino", thread_id=origin.thread_id or thread_id)
