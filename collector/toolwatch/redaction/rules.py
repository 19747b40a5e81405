"""The table of rules, read from rules.json, which the Go module reads too."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from toolwatch.redaction.keys import split
from toolwatch.redaction.table import table

CREDENTIALS: Final = "credentials"
INFRASTRUCTURE: Final = "infrastructure"
PERSONAL: Final = "personal"
TIERS: Final = frozenset({CREDENTIALS, INFRASTRUCTURE, PERSONAL})

_NAME: Final = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+")


class InvalidRule(ValueError):
    """A rule that cannot be used; the message names it and says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """pattern is in RE2's syntax and matched against UTF-8 bytes; classes in it are ASCII.

    The first group that took part is hidden, or the whole match where there is no group. anchors are
    lower-case literals, one of which stands in every match: where a match starts with one, behind is
    None; otherwise behind names the bytes that may stand between the start and the anchor. A rule without
    anchors has only bounded repeats. ahead_bytes bounds one match in the engine without linear time.
    """

    name: str
    tier: str
    pattern: str
    check: str | None = None
    anchors: tuple[str, ...] = ()
    behind: str | None = None
    ahead_bytes: int = 2048
    hit: tuple[str, ...] = ()
    miss: tuple[str, ...] = ()


@cache
def shipped() -> tuple[Rule, ...]:
    """Every rule that comes with the package, in order of precedence."""
    return tuple(_rule(row, table()["parts"]) for row in table()["rules"])


def _rule(row: Mapping[str, Any], parts: Mapping[str, str]) -> Rule:
    pattern = row["pattern"]
    for name, part in parts.items():
        pattern = pattern.replace(f"<{name}>", part)
    lists = {key: tuple(row[key]) for key in ("anchors", "hit", "miss") if key in row}
    return Rule(**{**row, **lists, "pattern": pattern})


def chosen(tiers: Collection[str]) -> tuple[Rule, ...]:
    """The rules of some tiers; raises InvalidRule for a tier that does not exist."""
    tiers = frozenset(tiers)
    unknown = sorted(tiers - TIERS)
    if unknown:
        raise InvalidRule(f"unknown tier {unknown[0]!r}; there are {', '.join(sorted(TIERS))}")
    return tuple(rule for rule in shipped() if rule.tier in tiers)


def field_names(extra: Collection[str]) -> str:
    """A pattern that matches wherever a name of a secret field may stand before a quotation mark."""
    own_names = "".join(f'|(?i:{_spellings(key)})"' for key in extra)
    return str(table()["parts"]["names"]) + own_names


def _spellings(key: str) -> str:
    return r"[^A-Za-z0-9\"]{0,3}".join(re.escape(word) for word in split(key) or [key])


def _first_word(key: str) -> str:
    return (split(key) or [key])[0].lower()


def own(patterns: Mapping[str, str]) -> tuple[Rule, ...]:
    """A user's patterns as rules of the tier that is always on; raises InvalidRule for a bad name."""
    for name in patterns:
        if not _NAME.fullmatch(name):
            raise InvalidRule(
                f"rule {name!r}: a name is lower-case words joined by hyphens, such as 'order-number'"
            )
    return tuple(Rule(name=name, tier=CREDENTIALS, pattern=pattern) for name, pattern in patterns.items())


def own_keys(keys: Collection[str]) -> tuple[Rule, ...]:
    """Pairs such as ``badge = 123`` in running text, for names of fields of a user's own."""
    if not keys:
        return ()
    names = "|".join(_spellings(key) for key in sorted(keys, key=len, reverse=True))
    row = {
        "name": "own-key",
        "tier": CREDENTIALS,
        "pattern": f"(?i)\\b(?:{names})<is><value>",
        "check": "own_pair",
        "anchors": sorted({_first_word(key) for key in keys}),
    }
    return (_rule(row, table()["parts"]),)
