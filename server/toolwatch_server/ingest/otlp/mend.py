"""Make texts that are not UTF-8 readable, in protobuf bytes that a strict parser refuses."""

from collections.abc import Iterator
from typing import Final

from google.protobuf.descriptor import Descriptor, FieldDescriptor

_VARINT: Final = 0
_FIXED64: Final = 1
_LENGTH: Final = 2
_FIXED32: Final = 5
_DEEPEST: Final = 100  # as deep as the protobuf library itself goes


def mend(body: bytes, message: Descriptor, depth: int = 0) -> bytes:
    """The same message with U+FFFD where bytes are no text. Raises ValueError where it is cut off."""
    if depth > _DEEPEST:
        raise ValueError("nested too deeply")
    mended = bytearray()
    for number, wire_type, head, content in _fields(body):
        field = message.fields_by_number.get(number)
        if wire_type == _LENGTH and field is not None:
            _append(mended, head, _mended_content(content, field, depth))
        elif wire_type == _LENGTH:
            _append(mended, head, content)
        else:
            mended += head + content
    return bytes(mended)


def _append(message: bytearray, head: bytes, content: bytes) -> None:
    message += head + varint(len(content)) + content


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _mended_content(content: bytes, field: FieldDescriptor, depth: int) -> bytes:
    if field.type == FieldDescriptor.TYPE_MESSAGE and field.message_type is not None:
        return mend(content, field.message_type, depth + 1)
    if field.type == FieldDescriptor.TYPE_STRING:
        return content.decode("utf-8", "replace").encode()
    return content


def _fields(body: bytes) -> Iterator[tuple[int, int, bytes, bytes]]:
    """Field number, wire type, the bytes of the tag, and the content without its length."""
    at = 0
    while at < len(body):
        start = at
        tag, at = _read_varint(body, at)
        head, wire_type = body[start:at], tag & 7
        if wire_type == _VARINT:
            _, end = _read_varint(body, at)
        elif wire_type == _LENGTH:
            length, at = _read_varint(body, at)
            end = at + length
        elif wire_type in (_FIXED64, _FIXED32):
            end = at + (8 if wire_type == _FIXED64 else 4)
        else:
            raise ValueError(f"wire type {wire_type} does not exist")
        if end > len(body):
            raise ValueError("the body is cut off")
        yield tag >> 3, wire_type, head, body[at:end]
        at = end


def _read_varint(body: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while at < len(body) and shift < 70:
        byte = body[at]
        number |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return number, at
    raise ValueError("the body is cut off")
