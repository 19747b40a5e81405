"""Redaction of many texts at once: one scan over all of them, a second look only at those that changed."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from toolwatch.redaction import FAILED

FAILED_RULE: Final = "redaction-failed"
# Names and short values repeat in every span. Only texts without a secret are remembered.
REMEMBERED: Final = 8_192
REMEMBERED_CHARS: Final = 200


class Hit(Protocol):
    @property
    def rule(self) -> str: ...
    @property
    def count(self) -> int: ...


class Redactor(Protocol):
    def value(self, value: object, /) -> tuple[object, Sequence[Hit]]:
        """The same dicts, lists and texts without secrets, and what was hidden."""


class Named(NamedTuple):
    """A text and the name it stands under, "" for none: a name such as `password` decides by itself.

    distinct: two texts that differ must differ afterwards, because they tell one thing from another.
    """

    name: str
    text: str
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Hidden:
    """The place of a text in the batch, what stands there now, and what was hidden."""

    index: int
    text: str
    hits: Sequence[Hit]


class TextRedactor:
    def __init__(self, redactor: Redactor, distinct: Redactor | None = None) -> None:
        """distinct: the same rules, whose marks tell different texts apart."""
        self._redactor = redactor
        self._distinct = distinct or redactor
        self._clean: set[Named] = set()

    def hide(self, texts: Sequence[Named]) -> Iterator[Hidden]:
        """Those of the texts that changed. Never raises: a text that cannot be redacted is replaced whole."""
        unknown = [index for index, named in enumerate(texts) if named not in self._clean]
        try:
            found, hits = self._redactor.value([{texts[i].name: texts[i].text} for i in unknown])
        except Exception:
            found, hits = None, (_Failure(),)
        if not hits:
            self._remember(texts[i] for i in unknown)
            return
        if not isinstance(found, list) or len(found) != len(unknown):
            found = [None] * len(unknown)  # the batch failed as a whole: look at each
        for place, index in enumerate(unknown):
            if _text_of(found[place]) != texts[index].text:
                yield self._look(index, texts[index])

    def _remember(self, clean: Iterable[Named]) -> None:
        if len(self._clean) > REMEMBERED:
            self._clean.clear()
        self._clean.update(named for named in clean if len(named.text) <= REMEMBERED_CHARS)

    def _look(self, index: int, named: Named) -> Hidden:
        try:
            redactor = self._distinct if named.distinct else self._redactor
            found, hits = redactor.value({named.name: named.text})
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
