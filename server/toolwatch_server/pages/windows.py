"""The stretch of time that figures are about, chosen in the address, and small pictures of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from fastapi import Request

from toolwatch_server.pages.parameters import word
from toolwatch_web.format import plural
from toolwatch_web.models.parts import Spark

MINUTE_NS: Final = 60_000_000_000
# Name of the window: its words, its length and the width of a bar in minutes. About sixty bars each.
WINDOWS: Final = {
    "1h": ("Last hour", 60, 1),
    "24h": ("Last day", 1_440, 30),
    "7d": ("Last week", 10_080, 180),
    "30d": ("30 days", 43_200, 720),
}
_HEIGHT: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    name: str
    since_ns: int
    until_ns: int
    bucket_ns: int

    def links(self, path: str) -> tuple[tuple[str, str, bool], ...]:
        """(words, address, whether it is this one)."""
        return tuple(
            (words, f"{path}?window={name}", name == self.name) for name, (words, _, _) in WINDOWS.items()
        )


def window_of(request: Request, now_ns: int) -> Window:
    """The last day unless the address says otherwise. Raises BadFilter."""
    name = word(request, "window", WINDOWS, default="24h")
    _, minutes, bucket = WINDOWS[name]
    return Window(
        name=name,
        since_ns=now_ns - minutes * MINUTE_NS,
        until_ns=now_ns + MINUTE_NS,
        bucket_ns=bucket * MINUTE_NS,
    )


def spark_of(trend: Sequence[tuple[int, int, int]], window: Window) -> Spark | None:
    """A line of bars for (slice, all, failed); None where there is too little to see a trend."""
    if len(trend) < 2:
        return None
    first = window.since_ns // window.bucket_ns
    width = window.until_ns // window.bucket_ns - first + 1
    highest = max(total for _, total, _ in trend)
    return Spark(
        width=width,
        height=_HEIGHT,
        total="".join(_bar(slice_ - first, total / highest) for slice_, total, _ in trend),
        failed="".join(_bar(slice_ - first, failed / highest) for slice_, _, failed in trend if failed),
        label=f"at most {plural(highest, 'call')} at a time, in {plural(len(trend), 'slice')} of {width}",
    )


def _bar(place: int, share: float) -> str:
    return f"M{place + 0.5} {_HEIGHT}v-{max(round(share * _HEIGHT, 1), 1)}"
