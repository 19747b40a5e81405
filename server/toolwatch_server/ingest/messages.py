"""Messages of the GenAI conventions: which calls an answer of a model asks for, which results a prompt shows.

New form: a list of {role, parts}, as JSON text or as a structured value. Old form: one event for each
message. Whatever has another shape is passed over.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

from toolwatch_server.domain.span import Value

NO_ID: Final = frozenset({"", "<not specified>"})  # what SDKs write when they know none
TOOL_CALL: Final = "tool_call"
SERVER_TOOL_CALL: Final = "server_tool_call"
TOOL_ANSWER: Final = "tool_call_response"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    tool_call_id: str | None
    tool: str | None
    arguments: str | None  # JSON text
    by_provider: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    tool_call_id: str
    content: str | None


def asked_for(messages: Value) -> tuple[Asked, ...]:
    """The calls in gen_ai.output.messages, in their order."""
    return tuple(_asked(part) for message in _messages(messages) for part in _parts(message) if _asks(part))


def told(messages: Value) -> tuple[Told, ...]:
    """The results in gen_ai.input.messages that are new: those after the last thing the model itself said."""
    listed = list(_messages(messages))
    last = max((i for i, message in enumerate(listed) if message.get("role") == "assistant"), default=-1)
    return tuple(
        answer
        for message in listed[last + 1 :]
        for part in _parts(message)
        if (answer := _told(part)) is not None
    )


def asked_for_in_choice(body: Value) -> tuple[Asked, ...]:
    """The calls in the body of an old gen_ai.choice event."""
    message = body.get("message") if isinstance(body, Mapping) else None
    calls = message.get("tool_calls") if isinstance(message, Mapping) else None
    return tuple(
        _asked({"id": call.get("id"), **function})
        for call in _maps(calls)
        if isinstance(function := call.get("function"), Mapping)
    )


def told_in_tool_message(body: Value) -> tuple[Told, ...]:
    """The result in the body of an old gen_ai.tool.message event."""
    if not isinstance(body, Mapping):
        return ()
    known = clean_id(body.get("id"))
    return () if known is None else (Told(tool_call_id=known, content=as_text(body.get("content"))),)


def clean_id(value: Value) -> str | None:
    return value if isinstance(value, str) and value not in NO_ID else None


def as_text(value: Value) -> str | None:
    """A text as it is, anything else as JSON."""
    if value is None or isinstance(value, str):
        return value
    return msgspec.json.encode(value).decode()


def _asks(part: Mapping[str, Value]) -> bool:
    return part.get("type") in (TOOL_CALL, SERVER_TOOL_CALL)


def _asked(part: Mapping[str, Value]) -> Asked:
    name = part.get("name")
    return Asked(
        tool_call_id=clean_id(part.get("id")),
        tool=name if isinstance(name, str) else None,
        arguments=as_text(part.get("arguments")),
        by_provider=part.get("type") == SERVER_TOOL_CALL,
    )


def _told(part: Mapping[str, Value]) -> Told | None:
    known = clean_id(part.get("id"))
    if part.get("type") != TOOL_ANSWER or known is None:
        return None
    content = part.get("response", part.get("result"))  # older senders say result
    return Told(tool_call_id=known, content=as_text(content))


def _messages(value: Value) -> Iterator[Mapping[str, Value]]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return
    yield from _maps(value)


def _parts(message: Mapping[str, Value]) -> Iterator[Mapping[str, Value]]:
    yield from _maps(message.get("parts"))


def _maps(value: Value) -> Iterator[Mapping[str, Value]]:
    if isinstance(value, list | tuple):
        yield from (item for item in value if isinstance(item, Mapping))
