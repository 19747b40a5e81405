"""Redaction in place, on the decoded message, before anything else looks at it.

Every string is covered, also in fields that we do not read; ids that only tell calls apart are not.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from toolwatch import conventions as c
from toolwatch_server.ingest.redact import Named, TextRedactor

_TEXT: Final = FieldDescriptor.TYPE_STRING
_MESSAGE: Final = FieldDescriptor.TYPE_MESSAGE

# Ids tell one call from another: hiding a part of them would make two calls one.
STRUCTURAL: Final = frozenset({
    c.TOOL_CALL_ID, c.CONVERSATION_ID, c.RECORD, c.FRAMEWORK, c.RUN_ID, c.TASK, c.CALL_KEY, c.PARENT_KEY,
    c.STARTED_SPAN_ID, c.MESSAGE_ID, c.GROUP_ID, c.CALLS, c.REDACTIONS, "service.instance.id", "session.id",
})  # fmt: skip

WHERE: Final = {
    c.TOOL_CALL_ARGUMENTS: "arguments",
    c.ARGUMENTS_VALIDATED: "arguments",
    c.ARGUMENTS_PROBLEMS: "arguments",
    c.TOOL_CALL_RESULT: "result",
    c.EXCEPTION_MESSAGE: "error",
    c.EXCEPTION_STACKTRACE: "error",
    "message": "error",  # of the status
    c.REQUESTS: "request",
    "gen_ai.output.messages": "request",
    c.DISPATCHES: "dispatch",
    c.ANSWERS: "answer",
    c.SEEN: "answer",
    c.INTERRUPT_VALUE: "interrupt",
    c.RESUME_VALUE: "interrupt",
}


@dataclass(slots=True)
class Marks:
    """What was hidden, by place and rule, and how many texts were cut."""

    hidden: Counter[tuple[str, str]] = field(default_factory=Counter)
    cut: int = 0

    def __add__(self, other: "Marks") -> "Marks":
        return Marks(self.hidden + other.hidden, self.cut + other.cut)


@dataclass(frozen=True, slots=True)
class _Slot:
    """One string of a message: index is None unless the field is repeated."""

    message: Any
    attribute: str
    index: int | None
    name: str
    where: str
    text: str

    def put(self, text: str) -> None:
        if self.index is None:
            setattr(self.message, self.attribute, text)
        else:
            getattr(self.message, self.attribute)[self.index] = text


class Scrubber:
    def __init__(self, redactor: TextRedactor, max_value_bytes: int) -> None:
        self._redactor = redactor
        self._max_value_bytes = max_value_bytes

    def scrub(self, message: Message) -> Marks:
        """Hides secrets in every string of the message, then cuts what is too long."""
        marks = Marks()
        slots = list(_slots(message, "", ""))
        texts = [slot.text for slot in slots]
        for hidden in self._redactor.hide([Named(slot.name, slot.text) for slot in slots]):
            texts[hidden.index] = hidden.text
            for hit in hidden.hits:
                marks.hidden[slots[hidden.index].where, hit.rule] += hit.count
        for slot, text in zip(slots, texts, strict=True):
            fit = self._fit(text)
            marks.cut += fit is not text and len(fit) != len(text)
            if fit is not slot.text:
                slot.put(fit)
        return marks

    def _fit(self, text: str) -> str:
        """Cut after redaction, so that no half of a secret is left; without NUL, which PostgreSQL does not keep."""
        if "\0" in text:
            text = text.replace("\0", "\u2400")
        if len(text) * 4 <= self._max_value_bytes:
            return text
        encoded = text.encode()
        if len(encoded) <= self._max_value_bytes:
            return text
        kept = encoded[: self._max_value_bytes].decode("utf-8", "ignore")
        return f"{kept}… [cut: {len(encoded)} bytes in all]"


def note(record: Span | LogRecord, marks: Marks) -> None:
    """Write what was hidden into the record itself, beside what its sender had hidden already."""
    if not marks.hidden:
        return
    ours = [
        {"where": where, "rule": rule, "count": count}
        for (where, rule), count in sorted(marks.hidden.items())
    ]
    for pair in record.attributes:
        if pair.key == c.REDACTIONS:
            pair.value.string_value = json.dumps(_entries(pair.value.string_value) + ours)
            return
    record.attributes.add(key=c.REDACTIONS).value.string_value = json.dumps(ours)


def _entries(text: str) -> list[object]:
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return entries if isinstance(entries, list) else []


def _slots(message: Message, name: str, where: str) -> Iterator[_Slot]:
    if isinstance(message, KeyValue):
        if message.key in STRUCTURAL:
            return
        where = where or WHERE.get(message.key, message.key)
        yield _Slot(message, "key", None, "", where, message.key)
        yield from _slots(message.value, message.key, where)
        return
    for descriptor, value in message.ListFields():
        if descriptor.type == _MESSAGE:
            for inner in value if descriptor.is_repeated else (value,):
                yield from _slots(inner, name, where)
        elif descriptor.type == _TEXT:
            place = where or WHERE.get(descriptor.name, descriptor.name)
            if descriptor.is_repeated:
                for index, text in enumerate(value):
                    yield _Slot(message, descriptor.name, index, name, place, text)
            else:
                yield _Slot(message, descriptor.name, None, name, place, value)
