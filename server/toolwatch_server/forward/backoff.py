"""How long to wait before the next try."""

import random
from collections.abc import Callable
from typing import Final

FIRST_S: Final = 1.0
LONGEST_S: Final = 60.0
LONGEST_ASKED_S: Final = 3_600.0


class Backoff:
    """Twice as long after each failure, and never quite as long as the others who wait."""

    def __init__(self, dice: Callable[[], float] = random.random) -> None:
        self._dice = dice
        self._failures = 0

    def failed(self, asked_s: float | None) -> float:
        """Seconds to wait. asked_s: what the destination asked for, which is a least."""
        ceiling_s = min(LONGEST_S, FIRST_S * 2.0**self._failures)
        self._failures = min(self._failures + 1, 16)
        own_s = ceiling_s * (0.5 + self._dice() / 2)
        return max(own_s, min(asked_s, LONGEST_ASKED_S)) if asked_s is not None else own_s

    def succeeded(self) -> None:
        self._failures = 0
