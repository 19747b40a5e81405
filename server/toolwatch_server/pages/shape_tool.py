"""A tool before and after a moment."""

from dataclasses import dataclass

from toolwatch_server.domain.rows import ToolHealth
from toolwatch_web.format import UNKNOWN, count, duration, share
from toolwatch_web.outcomes import look

Change = tuple[str, str, str, bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """The moment as it was written, and as it was understood."""

    text: str
    at_ns: int | None = None
    now_ns: int = 0
    problem: str | None = None


def nothing_of(tool: str, last_ns: int) -> ToolHealth:
    """A tool that was not called in the window."""
    return ToolHealth(
        tool=tool, calls=0, failed=0, executions=0, running=0, p50_ms=None, p95_ms=None, p99_ms=None,
        last_ns=last_ns, outcomes=(), problem_fields=(),
    )  # fmt: skip


def change_of(before: ToolHealth | None, after: ToolHealth | None) -> tuple[Change, ...]:
    """The same figures on both sides; what differs by a tenth or more is marked."""
    both = (before or nothing_of("", 0), after or nothing_of("", 0))
    figures: tuple[tuple[str, list[float | None], list[str]], ...] = (
        ("Calls", [side.calls for side in both], [count(side.calls) for side in both]),
        (
            "Failed",
            [side.failed / side.calls if side.calls else None for side in both],
            [f"{count(side.failed)} · {share(side.failed, side.calls)}" for side in both],
        ),
        ("p50", [side.p50_ms for side in both], [duration(side.p50_ms) for side in both]),
        ("p95", [side.p95_ms for side in both], [duration(side.p95_ms) for side in both]),
    )
    changes = [(name, said[0], said[1], _differs(*values)) for name, values, said in figures]
    return (*changes, *_outcomes(*both))


def _differs(one: float | None, other: float | None) -> bool:
    """Where one side has no calls there is nothing to compare."""
    if one is None or other is None:
        return False
    return abs(one - other) > 0.1 * max(one, other)


def _outcomes(before: ToolHealth, after: ToolHealth) -> list[Change]:
    numbers = (dict(before.outcomes), dict(after.outcomes))
    names = sorted(set(numbers[0]) | set(numbers[1]))
    return [
        (
            look(name).word,
            *(share(side.get(name, 0), sum(side.values())) if side else UNKNOWN for side in numbers),
            all(numbers) and (name in numbers[0]) != (name in numbers[1]),
        )  # type: ignore[misc]  # mypy does not count what is unpacked
        for name in names
    ]
