"""Redaction in place, on the decoded message, before anything else looks at it.

Every text is covered, also in fields that we do not read; ids that only tell calls apart are not.
"""

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from google.protobuf.message import Message
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from toolwatch import conventions as c
from toolwatch_server.ingest.otlp.slots import Slot, Slots
from toolwatch_server.ingest.redact import Named, TextRedactor

if TYPE_CHECKING:
    from collections.abc import Mapping

# A secret that straddles the cut must be seen whole, so more is scanned than is kept.
MARGIN_CHARS: Final = 8_192

Place = tuple[str, str, str | None]  # where, rule, key of the call


@dataclass(slots=True)
class Marks:
    """What was hidden, and how many texts were cut."""

    hidden: Counter[Place] = field(default_factory=Counter)
    cut: int = 0

    def __add__(self, other: "Marks") -> "Marks":
        return Marks(self.hidden + other.hidden, self.cut + other.cut)


class Scrubber:
    def __init__(
        self, redactor: TextRedactor, max_value_bytes: int, by_service: "Mapping[str, Scrubber] | None" = None
    ) -> None:
        """by_service: services that have rules of their own."""
        self._redactor = redactor
        self._by_service = by_service or {}
        self._max_bytes = max_value_bytes

    def of(self, resource: Resource) -> "Scrubber":
        """By the name of the service as it was sent: what may be left of a name is no name."""
        names = (p.value.string_value for p in resource.attributes if p.key == "service.name")
        return self._by_service.get(next(names, ""), self)

    def scrub(self, message: Message) -> Marks:
        """Hides secrets in every text of the message, then cuts what is too long."""
        marks, slots = Marks(), Slots(message)
        texts = [self._readable(slot) for slot in slots.all]
        named = [Named(slot.name, text, slot.distinct) for slot, text in zip(slots.all, texts, strict=True)]
        for hidden in self._redactor.hide(named):
            texts[hidden.index] = hidden.text
            slot = slots.all[hidden.index]
            for hit in hidden.hits:
                marks.hidden[slot.where, hit.rule, slot.key] += hit.count
        for slot, text in zip(slots.all, texts, strict=True):
            marks.cut += self._put(slot, text)
        slots.finish()
        _forget_unread(message, self._redactor)
        return marks

    def _readable(self, slot: Slot) -> str:
        """No longer than needed, and without NUL, which PostgreSQL does not keep."""
        text = slot.text[: self._max_bytes + MARGIN_CHARS]
        return text.replace("\0", "\u2400") if "\0" in text else text

    def _put(self, slot: Slot, text: str) -> bool:
        """Whether the text was cut: after redaction, so that no half of a secret is left."""
        original_bytes = _bytes(slot.text, self._max_bytes)
        if original_bytes <= self._max_bytes:
            if text is not slot.text:
                slot.put(text)
            return False
        if len(slot.text) > self._max_bytes + MARGIN_CHARS:
            text = text[:-MARGIN_CHARS]  # what was scanned last may be the first half of something
        kept = text.encode()[: self._max_bytes].decode("utf-8", "ignore")
        slot.put(f"{kept}… [cut: {original_bytes} bytes in all]")
        return True


def _forget_unread(message: Message, redactor: TextRedactor) -> None:
    """Fields that a later version of OTLP may have are kept, unless something in them is to be hidden."""
    known = type(message)()
    known.CopyFrom(message)
    known.DiscardUnknownFields()
    if known.ByteSize() == message.ByteSize():
        return
    unread = message.SerializeToString().decode("utf-8", "replace")
    if any(redactor.hide([Named("", unread)])):
        message.DiscardUnknownFields()


def note(record: Span | LogRecord, marks: Marks) -> None:
    """Write what was hidden into the record itself, beside what its sender had hidden already."""
    if not marks.hidden:
        return
    ours = [
        {"where": where, "rule": rule, "count": count} | ({} if key is None else {"key": key})
        for (where, rule, key), count in sorted(marks.hidden.items(), key=str)
    ]
    for pair in record.attributes:
        if pair.key == c.REDACTIONS:
            pair.value.string_value = json.dumps(_said(pair.value.string_value) + ours)
            return
    record.attributes.add(key=c.REDACTIONS).value.string_value = json.dumps(ours)


def _said(text: str) -> list[object]:
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return entries if isinstance(entries, list) else []


def _bytes(text: str, enough: int) -> int:
    """The length in UTF-8; short texts are not encoded to find out that they are short."""
    return len(text) if len(text) * 4 <= enough or text.isascii() else len(text.encode())
