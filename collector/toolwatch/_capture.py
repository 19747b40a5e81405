"""Any value to bounded, plain data, without running the host's code: no ``__repr__`` of its classes."""

import datetime
import decimal
import enum
import pathlib
import re
import uuid
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, Final

TEXT_CHARS: Final = 65_536  # what is kept of one value
MARGIN_CHARS: Final = 8_192  # read beyond that, so that redaction sees a secret on the cut as a whole
NODES: Final = 4_000
DEPTH: Final = 24
QUICK_FIELDS: Final = 32
NOT_TEXT: Final = re.compile("[\x00\ud800-\udfff]")
REPLACEMENT: Final = "\ufffd"

_PRINTABLE: Final = frozenset({
    datetime.datetime, datetime.date, datetime.time, datetime.timedelta, decimal.Decimal, uuid.UUID,
    pathlib.PosixPath, pathlib.WindowsPath, pathlib.PurePosixPath, pathlib.PureWindowsPath, complex,
})  # fmt: skip

_BYTES: Final = frozenset({bytes, bytearray, memoryview})

Shorten = Callable[[str, int], str]


def clean(text: str) -> str:
    """Text that every encoder and database takes: NUL and lone surrogates become U+FFFD."""
    if text.isascii():
        return text.replace("\x00", REPLACEMENT) if "\x00" in text else text
    return NOT_TEXT.sub(REPLACEMENT, text)


def window(text: str) -> str:
    """As much of a text as redaction needs to see. Longer than TEXT_CHARS + MARGIN_CHARS never."""
    return text if len(text) <= TEXT_CHARS else text[: TEXT_CHARS + MARGIN_CHARS]


def utf8_size(text: str) -> int:
    """Bytes of the text in UTF-8, without a second copy of a large one."""
    if text.isascii():
        return len(text)
    step = 1 << 20
    return sum(len(text[i : i + step].encode("utf-8", "surrogatepass")) for i in range(0, len(text), step))


def plain(value: object, shorten: Shorten) -> object:
    """A copy of a value as JSON-like data: dict, list, str, int, float, bool, None.

    shorten(text, chars) redacts and cuts a text that does not fit into the budget.
    """
    return _Copy(shorten).of(value, 0)


def plain_fields(value: object) -> dict[str, object] | None:
    """The same as plain() in the commonest case, a few short texts and numbers; None in any other."""
    if type(value) is not dict or len(value) > QUICK_FIELDS:
        return None
    copy = value.copy()
    chars = 0
    for name, item in copy.items():
        kind = type(item)
        if kind is str:
            chars += len(item)
            if not item.isascii() or "\x00" in item:
                return None
        elif not (kind is bool or item is None or (kind is int and _fits(item))):
            return None
        if type(name) is not str or not name.isascii() or "\x00" in name:
            return None
        chars += len(name)
    return copy if chars <= TEXT_CHARS else None


class _Copy:
    def __init__(self, shorten: Shorten) -> None:
        self.chars = TEXT_CHARS
        self.nodes = NODES
        self.shorten = shorten

    def of(self, value: object, depth: int) -> object:  # noqa: PLR0911 one answer for each kind of value
        kind = type(value)
        if kind is str:
            return self._text(value)  # type: ignore[arg-type]
        if value is None or kind is bool:
            return value
        if kind is int:
            return _number(value)  # type: ignore[arg-type]
        self.nodes -= 1
        if depth > DEPTH or self.nodes < 0:
            return "…"
        if issubclass(kind, dict):  # isinstance() would ask the value for its class
            return self._mapping(value, depth)  # type: ignore[arg-type]
        if issubclass(kind, list | tuple | set | frozenset):
            return self._items(_iterate(value, kind), depth)
        return self._other(value, kind, depth)

    def _text(self, text: str) -> str:
        room = self.chars
        if len(text) <= room:
            self.chars = room - len(text)
            return clean(text)
        self.chars = 0
        return f"{self.shorten(text, room)}…[{len(text)} characters]"

    def _mapping(self, value: dict[object, object], depth: int) -> dict[str, object]:
        pairs = list(islice(dict.items(value), max(self.nodes, 0)))
        self.nodes -= len(pairs)
        copy = {self._name(name): self.of(item, depth + 1) for name, item in pairs}
        if len(pairs) < dict.__len__(value):
            copy["…"] = f"{dict.__len__(value) - len(pairs)} more"
        return copy

    def _name(self, name: object) -> str:
        found = self.of(name, DEPTH)
        return found if isinstance(found, str) else str(found)

    def _items(self, items: Iterable[object], depth: int) -> list[object]:
        kept = list(islice(items, max(self.nodes, 0)))
        self.nodes -= len(kept)
        copy = [self.of(item, depth + 1) for item in kept]
        if self.nodes <= 0:
            copy.append("…")
        return copy

    def _other(self, value: object, kind: type, depth: int) -> object:  # noqa: PLR0911 likewise
        if issubclass(kind, str):
            return self._text(str.__str__(value))
        if issubclass(kind, enum.Enum):
            return self.of(object.__getattribute__(value, "_value_"), depth + 1)
        if issubclass(kind, float):
            number = float.__float__(value)  # type: ignore[arg-type]
            return number if number - number == 0 else float.__repr__(number)  # NaN and inf are not JSON
        if issubclass(kind, int):
            return _number(int.__int__(value))  # type: ignore[arg-type]
        if kind in _BYTES:
            return f"<{kind.__name__} of {len(value)} bytes>"  # type: ignore[arg-type]
        if kind in _PRINTABLE:
            return self._text(str(value))
        if _is_record(kind):
            return self._mapping(object.__getattribute__(value, "__dict__"), depth)
        return f"<{kind.__module__}.{kind.__qualname__}>"


def _fits(value: int) -> bool:
    return -0x8000_0000_0000_0000 <= value <= 0xFFFF_FFFF_FFFF_FFFF


def _number(value: int) -> object:
    return value if _fits(value) else f"<int of {value.bit_length()} bits>"


def _iterate(value: Any, kind: type) -> Iterable[object]:
    """Over the elements themselves, whatever a subclass says about iteration."""
    base: Any = next(base for base in (list, tuple, set, frozenset) if issubclass(kind, base))
    found: Iterable[object] = base.__iter__(value)
    return found


def _is_record(kind: type) -> bool:
    """A dataclass or a pydantic model with a plain ``__dict__``: its fields are data."""
    names = {name for base in type.mro(kind)[:-1] for name in base.__dict__}
    return "__dict__" in names and not names.isdisjoint({"__dataclass_fields__", "__pydantic_fields__"})
