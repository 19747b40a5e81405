"""Hiding in values made of dicts, lists and scalars: by the names of fields first, then by text."""

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from itertools import accumulate
from typing import Any, Final

from toolwatch.redaction.checks import Part
from toolwatch.redaction.keys import hides_numbers, is_personal, is_sensitive, normal
from toolwatch.redaction.marks import MARK, Hit, only_marks
from toolwatch.redaction.scrub import Scrubber, as_hits, remember
from toolwatch.redaction.values import is_placeholder, is_word

FIELD_RULE: Final = "secret-field"
PERSONAL_RULE: Final = "personal-field"

_SCHEMA_KEYS: Final = frozenset({"type", "$ref", "anyOf", "oneOf", "allOf", "enum", "title"})
# Rows of a list that are looked at together, and how often such a look may have been in vain.
_FEW: Final = 16
_LOOKS_MAX: Final = 64
_SHORTEST_CARD: Final = 10**12
_NAME_KEYS: Final = ("name", "key", "header", "field")


class Fields:
    """Which fields are dropped whole: names of secrets, own names, and personal numbers if asked for."""

    def __init__(self, scrubber: Scrubber, own: frozenset[str], *, credentials: bool, personal: bool) -> None:
        self._scrubber = scrubber
        self._own = frozenset(map(normal, own))
        self._credentials = credentials
        self._personal = personal
        self._known: dict[str, str | None] = {}

    def of(self, scrubber: Scrubber) -> "Fields":
        """The same fields for another scrubber of the same rules."""
        return Fields(scrubber, self._own, credentials=self._credentials, personal=self._personal)

    def rule(self, name: str) -> str | None:
        """The rule by which a field is dropped, or None; judged by what will be left of its name."""
        try:
            return self._known[name]
        except KeyError:
            left, hits = self._scrubber.text(name)
            rule = self._rule(MARK.sub(" ", left))
            if not hits:
                remember(self._known, name, rule)
            return rule

    def _rule(self, name: str) -> str | None:
        if (self._credentials and is_sensitive(name)) or (self._own and normal(name) in self._own):
            return FIELD_RULE
        return PERSONAL_RULE if self._personal and is_personal(name) else None

    def hides_numbers(self, name: str) -> bool:
        return hides_numbers(name) or is_personal(name) or normal(name) in self._own


class Structured:
    """One value on its way through: what is dropped by name, and every text that is left."""

    def __init__(self, scrubber: Scrubber, fields: Fields) -> None:
        self._scrubber = scrubber
        self._fields = fields
        self._hits: Counter[str] = Counter()
        self._texts: Counter[str] = Counter()
        self._looks_left = _LOOKS_MAX

    def hide(self, value: object) -> tuple[object, tuple[Hit, ...]]:
        dropped = self._drop(value)
        hidden = self._hidden_texts()
        return (self._put(dropped, hidden) if hidden else dropped), as_hits(self._hits)

    def _drop(self, value: object) -> object:
        """The value without its secret fields, in types that JSON has; collects the texts in it."""
        if isinstance(value, str):
            return self._nested(value) if value[:1] in ("{", "[") else self._kept(value)
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, dict):
            return self._drop_fields(value)
        if isinstance(value, list | tuple | set | frozenset):
            return self._drop_items(list(value))
        if isinstance(value, Mapping):
            return self._drop_fields(dict(value))
        text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
        return self._kept(text)

    def _kept(self, text: str) -> str:
        clean = text if text.isascii() else text.encode("utf-8", "replace").decode()
        self._texts[clean] += 1
        return clean

    def _drop_fields(self, value: dict[Any, Any]) -> dict[Any, object]:
        named = self._pair_rule(value) if "value" in value else None
        kept: dict[Any, object] = {}
        for key, item in value.items():
            name = self._kept(key) if isinstance(key, str) else key
            rule = self._fields.rule(name) if isinstance(name, str) else None
            if named is not None and name == "value":
                rule = named
            hidden = self._dropped(str(name), item, rule) if rule else None
            if hidden is None and isinstance(item, int) and item >= _SHORTEST_CARD:
                hidden = self._long_number(str(name), item)
            kept[name] = self._drop(item) if hidden is None else hidden
        return kept

    def _long_number(self, name: str, number: int) -> str | None:
        """A card's number that was sent as a number, told by the name before it."""
        _, hits = self._scrubber.text(f"{name}: {number}")
        if not hits:
            return None
        self._hits[hits[0].rule] += 1
        return self._scrubber.mark(hits[0].rule, str(number))

    def _pair_rule(self, value: dict[Any, Any]) -> str | None:
        """``{"name": "DB_PASSWORD", "value": …}`` is a field named DB_PASSWORD."""
        names = [value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)]
        return next((rule for name in names if (rule := self._fields.rule(name))), None)

    def _drop_items(self, items: list[Any]) -> list[object]:
        if items and all(_is_pair(item) for item in items):
            return [self._drop_pair(*item) for item in items]
        if len(items) < _FEW:
            return [self._drop(item) for item in items]
        kept: list[object] = []
        for begin in range(0, len(items), _FEW):
            some = items[begin : begin + _FEW]
            kept += some if self._is_clean(some) else [self._drop(item) for item in some]
        return kept

    def _is_clean(self, items: list[Any]) -> bool:
        """Rows without a secret, among others that have one, need not be taken apart."""
        if not self._looks_left:
            return False
        try:
            clean = self._scrubber.is_clean_json(json.dumps(items, ensure_ascii=False))
        except (TypeError, ValueError):  # not of JSON's types
            return False
        self._looks_left -= not clean
        return clean

    def _drop_pair(self, name: str, item: object) -> list[object]:
        """``[["Authorization", "…"], ["Accept", "*/*"]]``: headers, as many clients list them."""
        rule = self._fields.rule(name)
        hidden = self._dropped(name, item, rule) if rule else None
        return [self._kept(name), self._drop(item) if hidden is None else hidden]

    def _dropped(self, name: str, item: Any, rule: str) -> str | None:
        """The mark for a field's value, or None where there is no secret in it."""
        if item is None or isinstance(item, bool):
            return None
        if isinstance(item, int | float) and not self._fields.hides_numbers(name):
            return None
        if isinstance(item, str) and not self._is_secret(item):
            return None
        if isinstance(item, Mapping) and (not item or _SCHEMA_KEYS & item.keys()):
            return None
        if isinstance(item, list | tuple) and not item:
            return None
        self._hits[rule] += 1
        return self._scrubber.mark(rule, item if isinstance(item, str) else repr(item))

    def _is_secret(self, item: str) -> bool:
        data = item.encode("utf-8", "replace")
        return not (only_marks(data) or is_placeholder(data) or is_word(data) or self._scrubber.allows(item))

    def _nested(self, text: str) -> str:
        """JSON within a text is taken apart too: models send arguments encoded twice."""
        parsed = loads(text)
        if parsed is None:
            return self._kept(text)
        hidden, hits = Structured(self._scrubber, self._fields).hide(parsed)
        if not hits and not repeats_keys(text):
            return text
        for hit in hits:
            self._hits[hit.rule] += hit.count
        return dumps(hidden)

    def _hidden_texts(self) -> dict[str, str]:
        """Texts that hold a secret, and what is left of them: one scan finds them, then each is hidden."""
        hidden: dict[str, str] = {}
        for text in suspects(self._scrubber, list(self._texts)):
            count = self._texts[text]
            without, hits = self._scrubber.text(text)
            if without != text:
                hidden[text] = without
            for hit in hits:
                self._hits[hit.rule] += hit.count * count
        return hidden

    def _put(self, value: object, hidden: dict[str, str]) -> object:
        if isinstance(value, str):
            return hidden.get(value, value)
        if isinstance(value, list):
            return [self._put(item, hidden) for item in value]
        if isinstance(value, dict):
            return _without_collisions(
                [(hidden.get(k, k), self._put(item, hidden)) for k, item in value.items()]
            )
        return value


def suspects(scrubber: Scrubber, texts: list[str]) -> list[str]:
    """The texts in which any rule matches, by one scan of all of them."""
    engine = scrubber.engine
    joined = "\n".join(texts).encode("utf-8", "replace")
    if engine.limit_bytes is not None and len(joined) > engine.limit_bytes:
        return texts
    touched: list[tuple[int, int]] = []

    def note(rule: int, data: bytes, at: int, start: int, end: int) -> Part:
        touched.append((at, end))
        return start, end

    for _ in engine.find(joined, note):
        pass
    if not touched:
        return []
    starts = [0, *accumulate(len(text.encode("utf-8", "replace")) + 1 for text in texts)]
    places = {
        place
        for at, end in touched
        for place in range(bisect_right(starts, at) - 1, bisect_right(starts, max(at, end - 1)))
    }
    return [texts[place] for place in sorted(places) if place < len(texts)]


def _is_pair(item: object) -> bool:
    return isinstance(item, list | tuple) and len(item) == 2 and isinstance(item[0], str)


def loads(text: str) -> dict[str, Any] | list[Any] | None:
    """The object or list that a text holds as JSON, if it holds one; of repeated keys the last."""
    if text[:1] not in ("{", "[") and text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        value: dict[str, Any] | list[Any] = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value


def repeats_keys(text: str) -> bool:
    """Whether a key stands twice in one object of this JSON, so that its value says less than the text."""
    repeated = False

    def counted(pairs: list[tuple[str, object]]) -> None:
        nonlocal repeated
        repeated = repeated or len({key for key, _ in pairs}) < len(pairs)

    json.loads(text, object_pairs_hook=counted)
    return repeated


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def dumps(value: object) -> str:
    """JSON with real characters, fit for UTF-8."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode()


def _without_collisions(items: list[tuple[Any, object]]) -> dict[Any, object]:
    """Two keys that became the same mark stay two entries."""
    kept: dict[Any, object] = {}
    for key, item in items:
        name, number = key, 2
        while name in kept:
            name, number = f"{key}#{number}", number + 1
        kept[name] = item
    return kept
