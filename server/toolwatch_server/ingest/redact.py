"""Redaction of many texts at once: one scan over all of them, and a second look only where the scan struck."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

FAILED: Final = "[redaction failed]"
FAILED_RULE: Final = "redaction-failed"
SCAN_CHARACTERS: Final = 32_000  # joined short texts are scanned in pieces of about this size


class Hit(Protocol):
    @property
    def rule(self) -> str: ...
    @property
    def count(self) -> int: ...


class Redactor(Protocol):
    """The text or value without its secrets, and what was hidden."""

    def text(self, text: str, /) -> tuple[str, Sequence[Hit]]: ...
    def value(self, value: object, /) -> tuple[object, Sequence[Hit]]: ...


@dataclass(frozen=True, slots=True)
class Named:
    """A text and the name it stands under ("" for none): a name such as `password` decides by itself."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Hidden:
    """The place of a text in the batch, what stands there now, and what was hidden."""

    index: int
    text: str
    hits: Sequence[Hit]


class TextRedactor:
    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor

    def hide(self, texts: Sequence[Named]) -> Iterator[Hidden]:
        """Those of the texts that changed. Never raises: a text that cannot be redacted is replaced whole."""
        for indices in _pieces(texts):
            if self._suspicious(texts[i] for i in indices):
                for i in indices:
                    hidden = self._look(i, texts[i])
                    if hidden is not None:
                        yield hidden

    def _suspicious(self, texts: Iterable[Named]) -> bool:
        joined = "\n".join(f"{t.name}={t.text}" if t.name else t.text for t in texts)
        try:
            return bool(self._redactor.text(joined)[1])
        except Exception:
            return True  # whoever looks at the texts one by one finds the one at fault

    def _look(self, index: int, named: Named) -> Hidden | None:
        try:
            text, hits = self._redact(named)
        except Exception:
            return Hidden(index, FAILED, (_Failure(),))
        return Hidden(index, text, hits) if hits else None

    def _redact(self, named: Named) -> tuple[str, Sequence[Hit]]:
        if not named.name:
            return self._redactor.text(named.text)
        value, hits = self._redactor.value({named.name: named.text})
        if isinstance(value, dict) and len(value) == 1:
            text = next(iter(value.values()))
            return (text if isinstance(text, str) else FAILED), hits
        return FAILED, hits


@dataclass(frozen=True, slots=True)
class _Failure:
    rule: str = FAILED_RULE
    count: int = 1


def _pieces(texts: Sequence[Named]) -> Iterator[list[int]]:
    piece: list[int] = []
    length = 0
    for index, named in enumerate(texts):
        if piece and length + len(named.text) > SCAN_CHARACTERS:
            yield piece
            piece, length = [], 0
        piece.append(index)
        length += len(named.name) + len(named.text) + 2
    if piece:
        yield piece
