"""Conversations: the messages in whatever a sender packed them, and what a request to a model is about."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolwatch_server.domain.clues import Asked, Told
from toolwatch_server.ingest.messages import Message, message_of
from toolwatch_server.ingest.values import unpacked

# What senders wrap lists of messages in.
WRAPPERS: Final = (
    "messages",
    "choices",
    "output",
    "generations",
    "contents",
    "candidates",
    "input",
    "content",
)
MESSAGE_FIELDS: Final = frozenset({
    "role", "parts", "tool_calls", "tool_call_id", "message", "lc", "type", "event.name", "kwargs", "data",
    "part_kind", "tool_use_id",
})  # fmt: skip
_DEEPEST: Final = 5


def messages_in(value: Any, depth: int = 0) -> Iterator[Message]:
    """Every message in the value, in order."""
    found = unpacked(value)
    if depth > _DEEPEST:
        return
    if isinstance(found, list | tuple):
        for item in found:
            yield from messages_in(item, depth + 1)
    elif isinstance(found, Mapping):
        wrapper = next((name for name in WRAPPERS if _holds_messages(found, name)), None)
        if wrapper is not None:
            yield from messages_in(found[wrapper], depth + 1)
        elif found.keys() & MESSAGE_FIELDS:
            yield message_of(found)


def _holds_messages(found: Mapping[str, Any], name: str) -> bool:
    """A message has a content of its own; only things that are no messages are looked into."""
    if name in ("content", "output", "input") and found.keys() & MESSAGE_FIELDS:
        return False
    below = unpacked(found.get(name))
    return isinstance(below, list | Mapping) and bool(below)


def asked_in(value: Any) -> tuple[Asked, ...]:
    """The calls that an answer of a model asks for."""
    return tuple(call for message in messages_in(value) for call in message.asked)


def told_in(value: Any) -> tuple[Told, ...]:
    return tuple(answer for message in messages_in(value) for answer in message.told)


def news_in(value: Any) -> tuple[tuple[Asked, ...], tuple[Told, ...]]:
    """What a prompt says that no prompt before it said: the last calls the model asked for, and the answers.

    The rest repeats the history, which grows with every request.
    """
    listed = list(messages_in(value))
    last = max((i for i, message in enumerate(listed) if message.by_model), default=None)
    if last is None:
        return (), tuple(answer for message in listed for answer in message.told)
    first = last
    while first > 0 and listed[first - 1].by_model:
        first -= 1
    recalled = tuple(call for message in listed[first : last + 1] for call in message.asked)
    return recalled, tuple(answer for message in listed[first:] for answer in message.told)
