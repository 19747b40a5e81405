"""Hiding in plain text: find, judge, replace by marks, until nothing is found."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final, TypeVar

from toolwatch.redaction.checks import CHECKS, Part
from toolwatch.redaction.decode import BASE64, PERCENT, base64_text, percent_runs
from toolwatch.redaction.engine import Engine, Found
from toolwatch.redaction.marks import Fingerprints, Hit, is_marked, mark
from toolwatch.redaction.rules import Rule

T = TypeVar("T")

LIMIT_RULE: Final = "redaction-limit"

_MOST_PASSES: Final = 8
_MOST_DECODINGS: Final = 2
_BORDER_BYTES: Final = 2_048
_REMEMBERED_CHARS: Final = 512
_REMEMBERED_TEXTS: Final = 2_048
_ESCAPES: Final = ((r"\n", "\n"), (r"\"", '"'), (r"\t", "\t"), (r"\r", "\r"), (r"\/", "/"))


class Unscannable(Exception):
    """Hiding did not come to rest."""


class Scrubber:
    """Hides secrets in texts. Raises where a rule fails; the caller then hides the whole value."""

    def __init__(
        self,
        engine: Engine,
        rules: Sequence[Rule],
        allow: frozenset[bytes],
        fingerprints: Fingerprints | None,
    ) -> None:
        self.engine = engine
        self._rules = tuple(rules)
        self._allow = allow
        self._fingerprints = fingerprints
        # Never a text with a secret: none may rest in memory.
        self._clean: dict[str, None] = {}
        self._clean_json: dict[str, None] = {}

    def with_fingerprints(self, fingerprints: Fingerprints) -> "Scrubber":
        """The same rules with other marks."""
        return Scrubber(self.engine, self._rules, self._allow, fingerprints)

    def text(self, text: str) -> tuple[str, tuple[Hit, ...]]:
        if text in self._clean:
            return text, ()
        data = text.encode("utf-8", "replace")
        hits: Counter[str] = Counter()
        hidden = self._hide_all(self._within_limit(data, hits), hits)
        if hits:
            return hidden.decode("utf-8", "replace"), as_hits(hits)
        clean = text if text.isascii() else data.decode()
        remember(self._clean, clean, None)
        return clean, ()

    def is_clean_json(self, text: str) -> bool:
        """Whether JSON surely holds no secret and no name of a secret field, without taking it apart."""
        if text in self._clean_json:
            return True
        plain = _unescaped(text)
        if plain is None or not _encodable(plain) or self.engine.touches(plain.encode()):
            return False
        remember(self._clean_json, text, None)
        return True

    def is_literal(self, text: str) -> bool:
        """Whether JSON has no escapes and no name of a secret field."""
        return "\\" not in text and _encodable(text) and not self.engine.names(text.encode())

    def mark(self, rule: str, secret: str) -> str:
        return mark(rule, secret.encode("utf-8", "replace"), self._fingerprints).decode()

    def allows(self, value: str) -> bool:
        return bool(self._allow) and value.encode("utf-8", "replace") in self._allow

    def _within_limit(self, data: bytes, hits: Counter[str]) -> bytes:
        """What the engine can scan of it; the rest is not kept, nor is a secret on the border."""
        limit = self.engine.limit_bytes
        if limit is None or len(data) <= limit:
            return data
        cut = limit - _BORDER_BYTES
        for found in self.engine.find(data[:limit], self._judge):
            if found.start < cut < found.end:
                cut = found.start
        hits[LIMIT_RULE] += 1
        return data[:cut] + b" " + mark(LIMIT_RULE, data, None)

    def _hide_all(self, data: bytes, hits: Counter[str]) -> bytes:
        """More than one pass, because a mark may bring together what a secret kept apart."""
        for _ in range(_MOST_PASSES):
            parts = _merged(data, list(self._find(data, 0)))
            if not parts:
                return data
            data = self._replaced(data, parts, hits)
        raise Unscannable

    def _find(self, data: bytes, depth: int) -> Iterator[Found]:
        """What is to be hidden, in plain and in encoded form."""
        yield from self.engine.find(data, partial(self._judge, depth=depth) if depth else self._judge)
        if depth < _MOST_DECODINGS and b"%" in data:
            for plain, places in percent_runs(data):
                for start, end, rule in self._find(plain, depth + 1):
                    yield Found(places[start], places[end], rule)

    def _replaced(self, data: bytes, parts: list[Found], hits: Counter[str]) -> bytes:
        pieces: list[bytes] = []
        at = 0
        for start, end, rule in parts:
            name = self._rules[rule].name
            hits[name] += 1
            pieces += data[at:start], mark(name, data[start:end], self._fingerprints)
            at = end
        return b"".join((*pieces, data[at:]))

    def _judge(  # noqa: PLR0917  (the shape of a Judge, and called for every match)
        self, rule: int, data: bytes, at: int, start: int, end: int, depth: int = 0
    ) -> Part | None:
        value = data[start:end]
        if is_marked(data, start, end) or value in self._allow:
            return None
        name = self._rules[rule].check or "secret"
        if name == PERCENT:
            return None  # decoded beside the scan, because one run may hold several secrets
        if name != BASE64:
            return CHECKS[name](data, at, start, end)
        if depth >= _MOST_DECODINGS:
            return None
        found = next(self._find(base64_text(value), depth + 1), None)
        return (start, end) if found else None


def remember(known: dict[str, T], text: str, value: T) -> None:
    """Keep what is known about a short text; forget everything when there is too much."""
    if len(text) <= _REMEMBERED_CHARS:
        if len(known) >= _REMEMBERED_TEXTS:
            known.clear()
        known[text] = value


def _unescaped(text: str) -> str | None:
    """JSON with its commonest escapes resolved, so that rules see texts as they are; None for rarer ones."""
    if "\\" not in text:
        return text
    for escaped, char in _ESCAPES:
        text = text.replace(escaped, char)
    return None if "\\" in text else text


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def as_hits(counts: Counter[str]) -> tuple[Hit, ...]:
    return tuple(Hit(rule, count) for rule, count in sorted(counts.items()))


def _merged(data: bytes, found: list[Found]) -> list[Found]:
    """Overlapping parts as one, named after the longest; of equal ones, after the rule that comes first."""
    parts: list[Found] = []
    for first, last_byte, rule in sorted(found):
        start, end = _whole_characters(data, first, last_byte)
        if not parts or start >= parts[-1].end:
            parts.append(Found(start, end, rule))
            continue
        last = parts[-1]
        longer = end - start > last.end - last.start
        name = min(rule, last.rule) if last[:2] == (start, end) else (rule if longer else last.rule)
        parts[-1] = Found(last.start, max(last.end, end), name)
    return parts


def _whole_characters(data: bytes, start: int, end: int) -> Part:
    while start > 0 and data[start] & 0xC0 == 0x80:
        start -= 1
    while end < len(data) and data[end] & 0xC0 == 0x80:
        end += 1
    return start, end
