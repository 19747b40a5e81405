"""What ran at once, and what that saved. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from toolwatch_server.domain.call import Call
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


def together(calls: Sequence[Call]) -> tuple[Together, ...]:
    """For each message with several calls that ran at once: how many, how long, and how long one by one."""
    groups: dict[str, list[Call]] = {}
    for call in calls:
        if call.group is not None and call.group.size > 1:
            groups.setdefault(call.group.id, []).append(call)
    return tuple(said for members in groups.values() if (said := _together(members)) is not None)


def _together(members: Sequence[Call]) -> Together | None:
    ran = [
        Stretch(start_ns=a.started_ns, end_ns=a.ended_ns, of=call.tool or "no name")
        for call in members
        for a in call.attempts
        if a.ended_ns is not None and a.body_ran
    ]
    at_once = len(lanes(ran))
    if at_once < 2:
        return None
    took_ms, alone_ms = covered_ns(ran) / 1e6, sum(s.end_ns - s.start_ns for s in ran) / 1e6
    names = ", ".join(dict.fromkeys(s.of for s in ran))
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
