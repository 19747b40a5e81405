"""How facts, orphans, runs and raw records become bytes and come back."""

from dataclasses import fields, is_dataclass, replace
from threading import local
from typing import Any, Final, TypeVar

import msgspec
import zstandard

from toolwatch_server.domain.clues import Clue
from toolwatch_server.domain.facts import (
    Answered,
    Attempted,
    Dispatched,
    Fact,
    Orphan,
    Requested,
    Run,
    RunEnded,
    Shown,
)
from toolwatch_server.storage.text import storable

T = TypeVar("T")

# A union of dataclasses carries no tag of its own, so the kind stands in a column beside the body.
KINDS: Final[dict[type, str]] = {
    Requested: "requested",
    Attempted: "attempted",
    Dispatched: "dispatched",
    Answered: "answered",
    Shown: "shown",
    RunEnded: "run_ended",
}
_DECODERS: Final[dict[str, msgspec.msgpack.Decoder[Any]]] = {
    kind: msgspec.msgpack.Decoder(type_) for type_, kind in KINDS.items()
}
_ORPHAN: Final = msgspec.msgpack.Decoder(Orphan)
_RUN: Final = msgspec.msgpack.Decoder(Run)
_CLUE: Final = msgspec.msgpack.Decoder(Clue)
_MAGIC: Final = b"\x28\xb5\x2f\xfd"  # msgpack maps and OTLP never begin so
_SMALL_BYTES: Final = 200  # below this zstd saves nothing


class Packer:
    """Packs for one thread: a compressor is dear to make and must not be shared."""

    def __init__(self) -> None:
        self._compress = zstandard.ZstdCompressor(level=3).compress
        self._encode = msgspec.msgpack.Encoder().encode

    def value(self, value: Fact | Orphan | Run | Clue) -> bytes:
        try:
            body = self._encode(value)
        except UnicodeEncodeError:
            body = self._encode(_without_surrogates(value))
        return self.raw(body)

    def raw(self, body: bytes) -> bytes:
        return body if len(body) < _SMALL_BYTES else self._compress(body)


_own = local()


def unpack(body: bytes) -> bytes:
    if not body.startswith(_MAGIC):
        return body
    if not hasattr(_own, "decompress"):  # one for each thread, as with the compressor
        _own.decompress = zstandard.ZstdDecompressor().decompress
    unpacked: bytes = _own.decompress(body)
    return unpacked


def unpack_fact(kind: str, body: bytes) -> Fact:
    fact: Fact = _DECODERS[kind].decode(unpack(body))
    return fact


def unpack_orphan(body: bytes) -> Orphan:
    return _ORPHAN.decode(unpack(body))


def unpack_run(body: bytes) -> Run:
    return _RUN.decode(unpack(body))


def unpack_clue(body: bytes) -> Clue:
    return _CLUE.decode(unpack(body))


def _without_surrogates(value: T) -> T:
    if isinstance(value, str):
        return storable(value)  # type: ignore[return-value]  # mypy cannot narrow a TypeVar
    if isinstance(value, tuple):
        return tuple(map(_without_surrogates, value))  # type: ignore[return-value]
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: _without_surrogates(getattr(value, f.name)) for f in fields(value)})
    return value
