"""What the page shows that puts two calls or two traces side by side."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    title: str
    id: str
    href: str
    outcome: str | None
    text: str
    at_ns: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One line of the comparison."""

    label: str
    a: str
    b: str
    differs: bool
    mono: bool = False
    a_href: str | None = None
    b_href: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparePage:
    """what is calls or traces. lines are the calls of two traces, place by place."""

    what: str
    a: Side
    b: Side
    pairs: tuple[Pair, ...]
    lines: tuple[Pair, ...]
    cut: str | None
