"""The settings page: how the server was set up, which rules hide what, and what they made of a text."""

from dataclasses import dataclass

from toolwatch_web.json_tree import Piece
from toolwatch_web.models.parts import Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRow:
    rule: str
    tier: str
    example: str
    on: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """left: what is left of a text. found: rule, tier or reason, and how often."""

    left: tuple[Piece, ...]
    found: tuple[tuple[str, str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsPage:
    """services: those with rules of their own, and in what they differ."""

    settings: tuple[Fact, ...]
    rules: tuple[RuleRow, ...]
    services: tuple[tuple[str, str], ...] = ()
    tried: Tried | None = None
