"""The rules of redaction as an operator chose them: for everybody, and for single services."""

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from toolwatch.redaction import TIERS, InvalidRule, Redactor
from toolwatch_server import __version__

_LISTS: Final = ("tiers", "keys", "allow")
_KNOWN: Final = frozenset({*_LISTS, "patterns"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """keys: names of fields to drop. allow: exact values that stay. patterns: by the names of their rules."""

    tiers: tuple[str, ...] = tuple(sorted(TIERS))
    credentials: bool = True
    keys: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    patterns: Mapping[str, str] = field(default_factory=dict)
    fingerprint_key: bytes | None = field(default=None, repr=False)

    def and_(self, more: Mapping[str, Any]) -> "Chosen":
        """Keys, values and patterns are added; tiers replace those of before."""
        return replace(
            self,
            tiers=tuple(more.get("tiers", self.tiers)),
            keys=(*self.keys, *more.get("keys", ())),
            allow=(*self.allow, *more.get("allow", ())),
            patterns={**self.patterns, **more.get("patterns", {})},
        )

    def built(self) -> Redactor:
        """Raises InvalidRule."""
        return Redactor.build(
            tiers=self.tiers,
            extra_keys=self.keys,
            extra_patterns=self.patterns,
            allow=self.allow,
            fingerprint_key=self.fingerprint_key,
            credentials=self.credentials,
        )


@dataclass(frozen=True, slots=True)
class Rulebook:
    chosen: Chosen
    redactor: Redactor
    services: Mapping[str, tuple[Chosen, Redactor]] = field(default_factory=dict)

    def digest(self) -> str:
        """Equal for equal rules of one version."""
        said = repr(
            (self.chosen, sorted((n, repr(own)) for n, (own, _) in self.services.items()), __version__)
        )
        return hashlib.sha256(said.encode()).hexdigest()


def build(chosen: Chosen, file: Path | None = None) -> Rulebook:
    """The rules, with what a file adds to them. Raises InvalidRule, which says what is wrong where."""
    said = _read(file) if file else {}
    services = said.pop("service", {})
    everybody = chosen.and_(_checked(said, "the file"))
    own = {name: everybody.and_(_checked(rules, f"service {name!r}")) for name, rules in services.items()}
    return Rulebook(
        everybody, everybody.built(), {name: (rules, rules.built()) for name, rules in own.items()}
    )


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidRule(f"cannot read {file}: {error}") from None


def _checked(said: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(said, dict):
        raise InvalidRule(f"{where}: expected a table")
    if unknown := sorted(said.keys() - _KNOWN):
        raise InvalidRule(f"{where}: there is no {unknown[0]!r}; there are {', '.join(sorted(_KNOWN))}")
    for name in _LISTS:
        if not _all_texts(said.get(name, [])):
            raise InvalidRule(f"{where}: {name} must be a list of texts")
    patterns = said.get("patterns", {})
    if not isinstance(patterns, dict) or not _all_texts(list(patterns.values())):
        raise InvalidRule(f"{where}: patterns must be a table of names and patterns")
    return said


def _all_texts(items: object) -> bool:
    return isinstance(items, list) and all(isinstance(item, str) and item for item in items)
