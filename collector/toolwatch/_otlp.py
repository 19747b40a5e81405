"""Spans as OTLP in protobuf, written out by hand.

The protobuf library needs a Python call for every field of every attribute, which costs the host more than
all other parts of a record together. Numbers in comments are those of the fields in opentelemetry-proto.
"""

import struct
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from opentelemetry.sdk.resources import Resource

from toolwatch import conventions as c
from toolwatch._spans import SCOPE, OpenSpan, Part, SpanData

_SMALL: Final = tuple(bytes((number,)) for number in range(128))
_TIME: Final = struct.Struct("<Q").pack
_TIMES: Final = struct.Struct("<BBBQBQ").pack
_ERROR: Final = b"\x18\x02"


class Envelope:
    """Everything around spans that stays the same for a whole process."""

    def __init__(self, resource: Resource) -> None:
        self._resource = _field(0x0A, _pairs(0x0A, resource.attributes))
        self._scope = _field(
            0x0A, _field(0x0A, SCOPE.name.encode()) + _field(0x12, (SCOPE.version or "").encode())
        )

    def around(self, spans: Iterable[bytes]) -> bytes:
        """An ExportTraceServiceRequest of spans as span_bytes() makes them."""
        scope_spans = self._scope + b"".join(spans)
        return _field(0x0A, self._resource + _field(0x12, scope_spans))


def span_bytes(span: OpenSpan, data: SpanData) -> bytes:
    """The span as an item of ScopeSpans.spans (2)."""
    context, parent = span.context, span.parent
    parts = [
        b"\x0a\x10%b\x12\x08%b"  # trace_id (1), span_id (2)
        % (context.trace_id.to_bytes(16, "big"), context.span_id.to_bytes(8, "big")),
        b"\x22\x08" + parent.span_id.to_bytes(8, "big") if parent is not None else b"",  # parent_span_id (4)
        _name(data.name),  # name (5)
        # the kind is field 6, start_time_unix_nano 7, end_time_unix_nano 8
        _TIMES(0x30, data.kind.value + 1, 0x39, span.start_ns, 0x41, data.end_ns),
        *[part.encoded or _part(part) for part in data.parts],
        _attributes(data.attributes),  # attributes (9)
    ]
    if data.failure is not None:
        event = b"\x09" + _TIME(data.end_ns) + _field(0x12, c.EVENT_EXCEPTION.encode())
        parts.append(_field(0x5A, event + _pairs(0x1A, data.event_attributes())))  # events (11)
    if data.failed:
        status = data.status()
        message = _field(0x12, _utf8(status.description)) if status.description else b""
        parts.append(_field(0x7A, message + _ERROR))  # status (15)
    return _field(0x12, b"".join(parts))


def _part(part: Part) -> bytes:
    part.encoded = found = _attributes(part.attributes)
    return found


def _pairs(tag: int, attributes: Mapping[str, object]) -> bytes:
    return b"".join([
        _field(tag, _key(name) + _field(0x12, _value(value))) for name, value in attributes.items()
    ])  # fmt: skip


def _attributes(attributes: Mapping[str, object]) -> bytes:
    """Span.attributes (9): the same as _pairs(0x4A, attributes), with what most of them are looked up."""
    parts: list[bytes] = []
    value: Any  # of what type it is, is looked up here
    for name, value in attributes.items():
        heads, kind = _heads(name), type(value)
        if kind is str:
            text = value.encode("utf-8", "replace")
            if len(text) < len(heads.texts):
                parts += (heads.texts[len(text)], text)
                continue
        elif kind is bool or (kind is int and 0 <= value < 128):
            parts += (heads.flag if kind is bool else heads.number, _SMALL[value])
            continue
        parts.append(_field(0x4A, _key(name) + _field(0x12, _value(value))))
    return b"".join(parts)


class _Heads(NamedTuple):
    """What stands before the value of an attribute: by the length of a text, a small number's, a flag's."""

    texts: tuple[bytes, ...]
    number: bytes
    flag: bytes


@lru_cache(maxsize=512)
def _heads(name: str) -> _Heads:
    key = _key(name)
    longest = max(0, 124 - len(key))  # so that every length fits into one byte
    texts = [b"\x4a%c%b\x12%c\n%c" % (len(key) + 4 + n, key, n + 2, n) for n in range(longest)]
    small = b"\x4a%c%b\x12\x02" % (len(key) + 4, key) if longest else b""
    return _Heads(tuple(texts), small + b"\x18", small + b"\x10")


@lru_cache(maxsize=512)
def _name(name: str) -> bytes:
    return _field(0x2A, _utf8(name))


@lru_cache(maxsize=512)
def _key(name: str) -> bytes:
    return _field(0x0A, name.encode())


def _value(value: object) -> bytes:
    """An AnyValue: string (1), bool (2), int (3), double (4), array (5)."""
    if isinstance(value, str):
        return _field(0x0A, _utf8(value))
    if isinstance(value, bool):
        return b"\x10\x01" if value else b"\x10\x00"
    if isinstance(value, int):
        return b"\x18" + _varint(value & 0xFFFF_FFFF_FFFF_FFFF)
    if isinstance(value, float):
        return b"\x21" + struct.pack("<d", value)
    if isinstance(value, Sequence):
        return _field(0x2A, b"".join(_field(0x0A, _value(item)) for item in value))
    return _field(0x0A, _utf8(str(value)))


def _field(tag: int, body: bytes) -> bytes:
    size = len(body)
    return b"%c%b%b" % (tag, _SMALL[size] if size < 128 else _varint(size), body)


def _varint(number: int) -> bytes:
    if number < 16_384:
        return bytes((number & 127 | 128, number >> 7)) if number > 127 else _SMALL[number]
    parts = bytearray()
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    parts.append(number)
    return bytes(parts)


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")
