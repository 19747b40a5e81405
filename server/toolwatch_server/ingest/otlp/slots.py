"""Every text of a message, with the place it stands in and a way to change it there."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from opentelemetry.proto.common.v1.common_pb2 import KeyValue

from toolwatch import conventions as c

_TEXT: Final = FieldDescriptor.TYPE_STRING
_MESSAGE: Final = FieldDescriptor.TYPE_MESSAGE
_BYTES_VALUE: Final = "bytes_value"

# Ids tell one call from another: hiding a part of them would make two calls one.
STRUCTURAL: Final = frozenset({
    c.TOOL_CALL_ID, c.RECORD, c.FRAMEWORK, c.RUN_ID, c.TASK, c.CALL_KEY, c.PARENT_KEY,
    c.STARTED_SPAN_ID, c.MESSAGE_ID, c.GROUP_ID, c.CALLS, c.REDACTIONS,
})  # fmt: skip
# Names that people give: they may hold anything, and still tell one thing from another.
DISTINCT: Final = frozenset({c.CONVERSATION_ID, "service.instance.id", "session.id"})
# JSON lists about several calls (docs/wire.md): taken apart, so that each mark names its call.
ENTRIES: Final = frozenset({c.REQUESTS, c.DISPATCHES, c.ANSWERS, c.SEEN})
ENTRY_IDS: Final = frozenset({"key", "id", "message_id", "group_id", "parent_key", "attempts"})

WHERE: Final = {
    c.TOOL_CALL_ARGUMENTS: "arguments",
    c.ARGUMENTS_VALIDATED: "arguments",
    c.ARGUMENTS_PROBLEMS: "error",
    c.TOOL_CALL_RESULT: "result",
    c.EXCEPTION_MESSAGE: "error",
    c.EXCEPTION_STACKTRACE: "error",
    c.INTERRUPT_VALUE: "interrupt",
    c.RESUME_VALUE: "interrupt",
    "gen_ai.output.messages": "arguments",
    # fields, of a status and of entries
    "message": "error",
    "error": "error",
    "masked": "error",
    "arguments": "arguments",
    "raw": "arguments",
    "content": "answer",
    "parts": "answer",
}

# A place is always one of our own words: the name of an attribute may itself hold what is to be hidden.
ATTRIBUTES: Final = "attributes"
PLACES: Final = {"body": "body", "resource": "resource", "scope": "scope"}


@dataclass(frozen=True, slots=True)
class Slot:
    """name: under which the text stands; where: what it is about; key: of the call, where it says so."""

    name: str
    where: str
    key: str | None
    text: str
    put: Callable[[str], None]

    @property
    def distinct(self) -> bool:
        return self.name in DISTINCT


class Slots:
    """The texts of a message. finish must be called once all of them are in place."""

    def __init__(self, message: Message) -> None:
        self._unfinished: list[Callable[[], None]] = []
        self.all = list(self._of_message(message, "", ""))

    def finish(self) -> None:
        for write in self._unfinished:
            write()

    def _of_message(self, message: Message, name: str, where: str) -> Iterator[Slot]:
        if isinstance(message, KeyValue):
            yield from self._of_pair(message, where)
            return
        for field, value in message.ListFields():
            if field.type == _MESSAGE:
                for inner in value if field.is_repeated else (value,):
                    yield from self._of_message(inner, name, where or PLACES.get(field.name, ""))
            elif field.type == _TEXT:
                yield from _of_field(message, field, value, name, where)
            elif field.name == _BYTES_VALUE and (text := _utf8(value)) is not None:
                yield Slot(name, where, None, text, _bytes_setter(message))

    def _of_pair(self, pair: KeyValue, where: str) -> Iterator[Slot]:
        if pair.key in STRUCTURAL:
            return
        if pair.key in ENTRIES and (entries := _entries(pair.value.string_value)):
            yield from self._of_entries(pair, entries)
            return
        where = where or WHERE.get(pair.key, ATTRIBUTES)
        yield Slot("", where, None, pair.key, _setter(pair, "key"))
        yield from self._of_message(pair.value, pair.key, where)

    def _of_entries(self, pair: KeyValue, entries: list[Any]) -> Iterator[Slot]:
        before = json.dumps(entries)

        def write() -> None:
            if json.dumps(entries) != before:
                pair.value.string_value = json.dumps(entries, ensure_ascii=False)

        for entry in entries:
            key = entry.get("key")
            for name in entry.keys() - ENTRY_IDS:
                yield from _of_json(
                    entry, name, WHERE.get(name, pair.key), key if isinstance(key, str) else None
                )
        self._unfinished.append(write)


def _of_field(message: Message, field: FieldDescriptor, value: Any, name: str, where: str) -> Iterator[Slot]:
    where = where or WHERE.get(field.name, field.name)
    if not field.is_repeated:
        yield Slot(name, where, None, value, _setter(message, field.name))
        return
    for index, text in enumerate(value):
        yield Slot(name, where, None, text, _item_setter(value, index))


def _of_json(parent: Any, at: Any, where: str, key: str | None, name: str = "") -> Iterator[Slot]:
    """Texts within a parsed JSON value; name is that of the innermost field."""
    value = parent[at]
    name = at if isinstance(at, str) else name
    if isinstance(value, str):
        yield Slot(name, where, key, value, _item_setter(parent, at))
    elif isinstance(value, dict | list):
        for inner in value if isinstance(value, dict) else range(len(value)):
            yield from _of_json(value, inner, where, key, name)


def _entries(text: str) -> list[Any] | None:
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError):
        return None
    fits = isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries)
    return entries if fits else None


def _utf8(data: bytes) -> str | None:
    """Bytes that are a text may hold what a text may; others say nothing to a rule."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _bytes_setter(message: Message) -> Callable[[str], None]:
    return lambda text: setattr(message, _BYTES_VALUE, text.encode())


def _setter(message: Message, attribute: str) -> Callable[[str], None]:
    return lambda text: setattr(message, attribute, text)


def _item_setter(container: Any, at: Any) -> Callable[[str], None]:
    return lambda text: container.__setitem__(at, text)
