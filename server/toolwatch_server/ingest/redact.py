"""Redaction of many texts at once: one scan over all of them, a second look only at those that changed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from toolwatch.redaction import FAILED

FAILED_RULE: Final = "redaction-failed"


class Hit(Protocol):
    @property
    def rule(self) -> str: ...
    @property
    def count(self) -> int: ...


class Redactor(Protocol):
    def value(self, value: object, /) -> tuple[object, Sequence[Hit]]:
        """The same dicts, lists and texts without secrets, and what was hidden."""


@dataclass(frozen=True, slots=True)
class Named:
    """A text and the name it stands under, "" for none: a name such as `password` decides by itself."""

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
        try:
            found, hits = self._redactor.value([{named.name: named.text} for named in texts])
        except Exception:
            found, hits = None, (_Failure(),)
        if not hits:
            return
        if not isinstance(found, list) or len(found) != len(texts):
            found = [None] * len(texts)  # the batch failed as a whole: look at each
        for index, named in enumerate(texts):
            if _text_of(found[index]) != named.text:
                yield self._look(index, named)

    def _look(self, index: int, named: Named) -> Hidden:
        try:
            found, hits = self._redactor.value({named.name: named.text})
        except Exception:
            return Hidden(index, FAILED, (_Failure(),))
        text = _text_of(found)
        return Hidden(index, FAILED, (_Failure(),)) if text is None else Hidden(index, text, hits)


@dataclass(frozen=True, slots=True)
class _Failure:
    rule: str = FAILED_RULE
    count: int = 1


def _text_of(found: object) -> str | None:
    """The name of a text may have been hidden as well, so it is not looked up by its name."""
    text = next(iter(found.values()), None) if isinstance(found, dict) and len(found) == 1 else None
    return text if isinstance(text, str) else None
