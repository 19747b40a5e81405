"""Text that every database accepts, and the words of a text as the full-text index keeps them."""

import re
from hashlib import blake2b
from itertools import islice
from typing import Final, overload

INDEXED_MAX: Final = 500  # PostgreSQL refuses index entries beyond 2,704 bytes; a character has up to four
PREVIEW_MAX: Final = 200
BIGINT_MAX: Final = 2**63 - 1
WORD_MAX: Final = 64
WORDS_MAX: Final = 8_000

_SURROGATE = re.compile("[\ud800-\udfff]")
_CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
# A word longer than this is cut to pieces, in the index and in the question alike.
_PLAIN = re.compile(rf"[0-9a-z]{{1,{WORD_MAX}}}")
_WORD = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]{{1,{WORD_MAX}}}")
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
_CJK_RUN = re.compile(rf"[{_CJK}]")


def storable(text: str) -> str:
    """PostgreSQL cannot hold NUL, and nobody can hold half a surrogate pair: both are replaced visibly."""
    if "\x00" in text:
        text = text.replace("\x00", "\u2400")
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


@overload
def indexable(text: str) -> str: ...
@overload
def indexable(text: None) -> None: ...
def indexable(text: str | None) -> str | None:
    """A storable text short enough for an index. A longer one ends in its digest, to be told apart."""
    if text is None:
        return None
    text = storable(text)
    if len(text) <= INDEXED_MAX:
        return text
    digest = blake2b(text.encode(), digest_size=16).hexdigest()
    return f"{text[: INDEXED_MAX - 33]}…{digest}"


def preview(text: str | None) -> str | None:
    """The first line's worth of a text."""
    if text is None:
        return None
    short = " ".join(storable(text[: 4 * PREVIEW_MAX]).split())
    cut = len(short) > PREVIEW_MAX or len(text) > 4 * PREVIEW_MAX
    return f"{short[: PREVIEW_MAX - 1]}…" if cut else short


def storable_int(number: int) -> int:
    """OTLP times are unsigned 64-bit; databases have a bit less."""
    return max(-BIGINT_MAX, min(number, BIGINT_MAX))


def indexed_words(text: str) -> str:
    """The words of a text, once each, for the full-text index.

    Opened at every separator, so that OperationalError is found in psycopg.OperationalError. Chinese,
    Japanese and Korean have none: their characters and pairs of them are words. JSON's \\uXXXX are read.
    """
    if "\\u" in text:
        text = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
    found = dict.fromkeys(_runs(text))
    if not text.isascii():
        found = dict.fromkeys(piece for run in found for piece in _split(run))
    return " ".join(islice(found, WORDS_MAX))


def searched_words(text: str) -> tuple[str, ...]:
    """The words that a question looks for; all of them must be there."""
    found: dict[str, None] = {}
    for run in _runs(text):
        pieces = _split(run)
        # Of a run of several characters its pairs say more than the characters.
        found |= dict.fromkeys(pieces[len(run) :] if len(pieces) > 1 else pieces)
    return tuple(found)


def _runs(text: str) -> list[str]:
    """Words of one script each. The plain pattern is four times as fast, and most text is plain."""
    if text.isascii():
        return _PLAIN.findall(text.lower())
    return _WORD.findall(storable(text).casefold())


def _split(run: str) -> list[str]:
    if not _CJK_RUN.match(run):
        return [run]
    return [*run, *(run[i : i + 2] for i in range(len(run) - 1))]
