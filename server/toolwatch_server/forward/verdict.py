"""What a destination said to a request, in the terms of the OTLP specification."""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Taken:
    """The request arrived; so many of its spans were refused singly."""

    refused: int = 0
    message: str = ""


@dataclass(frozen=True, slots=True)
class Later:
    """The same may succeed later; after_s when the destination said when."""

    reason: str
    after_s: float | None = None


@dataclass(frozen=True, slots=True)
class Never:
    """The same would fail again. in_parts: fewer spans at once may be taken."""

    reason: str
    in_parts: bool = False


Verdict: TypeAlias = Taken | Later | Never
