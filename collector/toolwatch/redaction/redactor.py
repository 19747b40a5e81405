"""The one redactor of the collector and the server."""

import json
import logging
import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Self

from toolwatch.redaction import rules as table
from toolwatch.redaction.engine import best
from toolwatch.redaction.marks import FAILED, Fingerprints, Hit
from toolwatch.redaction.rules import CREDENTIALS, PERSONAL
from toolwatch.redaction.scrub import Scrubber
from toolwatch.redaction.structured import Fields, Structured, dumps, is_json, loads, repeats_keys

Hits = tuple[Hit, ...]

_FAILURE = (FAILED, (Hit("redaction-failed", 1),))
# Where examples in the table stand for so many letters or digits, such as {a20}.
_MADE_UP = re.compile(r"\{[ahdlH]\d+\}")
_log = logging.getLogger(__name__)


class Redactor:
    """Hides secrets and leaves marks. Thread-safe; answers for any input and never raises.

    Hiding twice changes nothing. What a rule fails on is hidden whole as ``[redaction failed]``.
    """

    def __init__(self, scrubber: Scrubber, fields: Fields) -> None:
        self._scrubber = scrubber
        self._fields = fields

    @classmethod
    def default(cls) -> "Redactor":
        """All tiers, no rules of a user's own, marks without fingerprints. Built once per process."""
        return _default()

    @classmethod
    def build(
        cls,
        *,
        tiers: Collection[str] = table.TIERS,
        extra_keys: Collection[str] = (),
        extra_patterns: Mapping[str, str] | None = None,
        allow: Iterable[str] = (),
        fingerprint_key: bytes | None = None,
        credentials: bool = True,
    ) -> Self:
        """A redactor of one's own.

        tiers: of "infrastructure" and "personal"; "credentials" is on whether named or not, unless
        credentials=False turns it off, which is logged. extra_keys: names of fields to drop whole, in any
        spelling. extra_patterns: name of a rule to its pattern in RE2's syntax, whose first group is hidden,
        or the whole match. allow: exact values that stay. fingerprint_key: adds six hex digits to marks, so
        that equal secrets can be seen to be equal. Raises InvalidRule with the rule and the reason.
        """
        keys = frozenset(extra_keys)
        if not credentials:
            _log.warning("redaction of credentials is turned off: secrets will be stored as they are")
        wanted = (set(tiers) | {CREDENTIALS}) if credentials else set(tiers) - {CREDENTIALS}
        shipped = (*table.chosen(wanted), *table.own_keys(keys))
        own = table.own(extra_patterns or {})
        engine = best(shipped, own, table.field_names(keys))
        fingerprints = None if fingerprint_key is None else Fingerprints(fingerprint_key)
        scrubber = Scrubber(engine, (*shipped, *own), frozenset(map(str.encode, allow)), fingerprints)
        return cls(scrubber, Fields(scrubber, keys, credentials=credentials, personal=PERSONAL in wanted))

    def for_names(self, key: bytes) -> "Redactor":
        """The same rules for names of threads, say, where different secrets must look different."""
        scrubber = self._scrubber.with_fingerprints(Fingerprints(key, digits=12))
        return Redactor(scrubber, self._fields.of(scrubber))

    def text(self, text: str) -> tuple[str, Hits]:
        """The text with marks in place of secrets, and which rules hid how many."""
        try:
            return self._scrubber.text(text)
        except Exception as error:
            return _failed(error)

    def value(self, value: object) -> tuple[object, Hits]:
        """The same for dicts, lists and scalars: secret fields are dropped whole, then texts are scanned."""
        try:
            if isinstance(value, dict | list) and self._is_clean(value):
                return value, ()
            return Structured(self._scrubber, self._fields).hide(value)
        except Exception as error:
            return _failed(error)

    def json_text(self, text: str) -> tuple[str, Hits]:
        """A text that is probably JSON stays JSON; any other is treated as plain text."""
        try:
            if text[:1] in ("{", "[") and self._scrubber.is_clean_json(text):
                return text, ()
            if self._scrubber.is_literal(text):
                # Every text in it stands there as it is, and no field goes by its name: no need to parse.
                left, found = self._scrubber.text(text)
                if is_json(left):
                    return left, found
            parsed = loads(text)
            if parsed is None:
                return self.text(text)
            hidden, hits = Structured(self._scrubber, self._fields).hide(parsed)
            return (dumps(hidden), hits) if hits or repeats_keys(text) else (text, ())
        except Exception as error:
            return _failed(error)

    def _is_clean(self, value: object) -> bool:
        try:
            return self._scrubber.is_clean_json(json.dumps(value, ensure_ascii=False))
        except (TypeError, ValueError):  # not of JSON's types
            return False


@cache
def _default() -> Redactor:
    return Redactor.build()


def _failed(error: Exception) -> tuple[str, Hits]:
    # The error's own text may quote the secret.
    _log.warning("redaction failed and hid a whole value: %s", type(error).__name__)
    return _FAILURE


def describe() -> list[dict[str, str]]:
    """Every rule with its tier and an example of what it hides, for people."""
    return [
        {"rule": rule.name, "tier": rule.tier, "example": _MADE_UP.sub("…", rule.hit[0])}
        for rule in table.shipped()
    ]
