"""Where in a text the patterns of rules match: with google-re2 in linear time, else bounded."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

from toolwatch.redaction.checks import Part
from toolwatch.redaction.rules import InvalidRule, Rule

# A value longer than this is no word or expression, so that a refusal need not be followed by a second look.
LONGEST_REFUSED_BYTES = 200

Judge = Callable[[int, bytes, int, int, int], Part | None]


class Found(NamedTuple):
    """A part to hide, in bytes, and the rule's place in the list of rules."""

    start: int
    end: int
    rule: int


class Engine(Protocol):
    """limit_bytes: the longest text it can scan; None means any."""

    limit_bytes: int | None

    def find(self, data: bytes, judge: Judge) -> Iterator[Found]: ...

    def touches(self, data: bytes) -> bool:
        """False only if no rule can match in any text or name of this JSON, whose escapes are resolved."""
        ...

    def names(self, data: bytes) -> bool:
        """False only if this JSON has no name of a secret field."""
        ...


def best(rules: Sequence[Rule], own: Sequence[Rule], names: str) -> Engine:
    """The engine that this Python has; raises InvalidRule for a pattern that it cannot compile."""
    try:
        import re2
    except ImportError:
        from toolwatch.redaction.bounded import Bounded

        if own:
            raise InvalidRule(
                f"rule {own[0].name!r}: patterns of your own need google-re2: pip install 'toolwatch[redact]'"
            ) from None
        return Bounded(rules)
    from toolwatch.redaction.linear import Linear

    return Linear(re2, (*rules, *own), names)
