"""What a request says about its body: type, encoding, and the bytes themselves, unpacked within a bound."""

import zlib
from typing import Final

from toolwatch_server.errors import TooLarge, Undecodable, WrongMediaType

PROTOBUF: Final = "application/x-protobuf"
JSON: Final = "application/json"

_ALIASES: Final = {PROTOBUF: PROTOBUF, "application/protobuf": PROTOBUF, JSON: JSON}
_WINDOW: Final = {"gzip": zlib.MAX_WBITS | 16, "x-gzip": zlib.MAX_WBITS | 16, "deflate": zlib.MAX_WBITS}


def media_type(content_type: str) -> str:
    """PROTOBUF or JSON; parameters such as a charset do not matter. Raises WrongMediaType."""
    name = content_type.partition(";")[0].strip().lower()
    if name not in _ALIASES:
        said = f"not {name!r}" if name else "and the request has none"
        raise WrongMediaType(f"Content-Type must be {PROTOBUF} or {JSON}, {said}.")
    return _ALIASES[name]


def check_encoding(encoding: str) -> str:
    """The name of the compression, "" for none. Raises WrongMediaType."""
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return ""
    if name not in _WINDOW:
        raise WrongMediaType(f"Content-Encoding must be gzip, deflate or identity, not {name!r}.")
    return name


def packed_with(message: bytes) -> str:
    """How a gRPC message is compressed; no request of OTLP begins with these bytes."""
    if message.startswith(b"\x1f\x8b"):
        return "gzip"
    return "deflate" if message.startswith(b"\x78") and int.from_bytes(message[:2], "big") % 31 == 0 else ""


def unpack(body: bytes, encoding: str, max_bytes: int) -> bytes:
    """The plain body. Stops as soon as max_bytes is passed. Raises TooLarge, Undecodable."""
    if not encoding:
        return body
    try:
        return _inflate(body, _WINDOW[encoding], max_bytes)
    except zlib.error as error:
        if encoding == "deflate":  # some senders leave the zlib header out
            try:
                return _inflate(body, -zlib.MAX_WBITS, max_bytes)
            except zlib.error:
                pass
        raise Undecodable(
            f"Content-Encoding says {encoding}, but the body does not unpack: {error}."
        ) from None


def _inflate(body: bytes, window: int, max_bytes: int) -> bytes:
    plain = bytearray()
    while body:
        packed = zlib.decompressobj(window)
        plain += packed.decompress(body, max_bytes + 1 - len(plain))
        if len(plain) > max_bytes:
            raise TooLarge(f"The request is larger than {max_bytes} bytes after decompression.")
        if not packed.eof:
            raise zlib.error("the compressed data end early")
        body = packed.unused_data  # a gzip file may have several members
    return bytes(plain)
