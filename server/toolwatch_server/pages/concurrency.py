"""What ran at once, and what that saved. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from toolwatch_server.domain.rows import CallRow
from toolwatch_web.format import duration
from toolwatch_web.models.trace import Together

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch(Generic[T]):
    start_ns: int
    end_ns: int
    of: T


def lanes(stretches: Sequence[Stretch[T]]) -> tuple[tuple[Stretch[T], ...], ...]:
    """As few lanes as there are stretches at once; in a lane none overlap."""
    found: list[list[Stretch[T]]] = []
    for stretch in sorted(stretches, key=lambda s: (s.start_ns, s.end_ns)):
        free = next((lane for lane in found if lane[-1].end_ns <= stretch.start_ns), None)
        if free is None:
            found.append([stretch])
        else:
            free.append(stretch)
    return tuple(map(tuple, found))


def together(ran: Sequence[Stretch[CallRow]]) -> tuple[Together, ...]:
    """For each message with several calls that ran at once, most saved first: how long, how long alone."""
    groups: dict[str, list[Stretch[CallRow]]] = {}
    for stretch in ran:
        if stretch.of.group_id is not None and stretch.of.executions:
            groups.setdefault(stretch.of.group_id, []).append(stretch)
    largest = sorted(groups.values(), key=lambda some: covered_ns(some) - _one_by_one_ns(some))
    return tuple(said for members in largest if (said := _together(members)) is not None)


def _one_by_one_ns(ran: Sequence[Stretch[CallRow]]) -> int:
    return sum(stretch.end_ns - stretch.start_ns for stretch in ran)


def _together(ran: Sequence[Stretch[CallRow]]) -> Together | None:
    at_once = len(lanes(ran))
    if at_once < 2:
        return None
    took_ms, alone_ms = covered_ns(ran) / 1e6, _one_by_one_ns(ran) / 1e6
    names = ", ".join(dict.fromkeys(s.of.tool or "no name" for s in ran))
    return Together(
        text=f"Ran {at_once} at once: {duration(took_ms)} instead of {duration(alone_ms)}", tools=names
    )


def covered_ns(stretches: Sequence[Stretch[T]]) -> int:
    """The time in which at least one of them ran."""
    total, reached = 0, 0
    for stretch in sorted(stretches, key=lambda s: s.start_ns):
        start = max(stretch.start_ns, reached)
        if stretch.end_ns > start:
            total += stretch.end_ns - start
            reached = stretch.end_ns
    return total
