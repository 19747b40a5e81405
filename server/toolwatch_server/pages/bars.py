"""Attempts as bars on an axis. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from toolwatch_server.domain.call import Attempt
from toolwatch_web.format import duration
from toolwatch_web.models.parts import Tick
from toolwatch_web.models.trace import Bar

TICKS: Final = 6
NARROWEST: Final = 0.4  # percent: what took no time is still to be seen
_KINDS: Final = {"ok": "ok", "interrupted": "paused", "running": "running", "abandoned": "running"}


@dataclass(frozen=True, slots=True)
class Scale:
    start_ns: int
    end_ns: int

    def x(self, at_ns: int) -> float:
        return round(min(max(100 * (at_ns - self.start_ns) / self.length_ns, 0.0), 100.0 - NARROWEST), 3)

    def width(self, start_ns: int, end_ns: int) -> float:
        return round(
            max(min(100 * (end_ns - start_ns) / self.length_ns, 100 - self.x(start_ns)), NARROWEST), 3
        )

    @property
    def length_ns(self) -> int:
        return max(self.end_ns - self.start_ns, 1)

    def ticks(self) -> tuple[Tick, ...]:
        steps = range(TICKS + 1)
        return tuple(
            Tick(
                percent=round(100 * n / TICKS, 2),
                text=duration(self.length_ns * n / TICKS / 1e6) if n else "0",
            )
            for n in steps
        )


def bars_of(attempts: Iterable[Attempt], scale: Scale) -> Iterator[Bar]:
    before: Attempt | None = None
    for attempt in attempts:
        if before is not None and before.ended_ns is not None and attempt.started_ns > before.ended_ns:
            waited = duration((attempt.started_ns - before.ended_ns) / 1e6)
            width = scale.width(before.ended_ns, attempt.started_ns)
            yield Bar(kind="wait", x=scale.x(before.ended_ns), width=width, label=f"waited {waited}")
        yield attempt_bar(attempt, scale)
        before = attempt


def attempt_bar(attempt: Attempt, scale: Scale) -> Bar:
    end_ns = attempt.ended_ns if attempt.ended_ns is not None else scale.end_ns
    kind = bar_kind(attempt)
    said = f"attempt {attempt.number}: {attempt.outcome.replace('_', ' ')}, {duration(attempt.duration_ms)}"
    marks = [
        word for word, is_so in (("discarded", attempt.discarded), ("ended late", attempt.late)) if is_so
    ]
    return Bar(
        kind=kind,
        x=scale.x(attempt.started_ns),
        width=scale.width(attempt.started_ns, end_ns),
        label=", ".join([said, *marks]),
        number=attempt.number if attempt.number > 1 else None,
    )


def bar_kind(attempt: Attempt) -> str:
    if attempt.discarded:
        return "discarded"
    if attempt.late:
        return "late"
    kind = _KINDS.get(attempt.outcome, "failed")
    return "retry" if kind == "ok" and attempt.number > 1 else kind
