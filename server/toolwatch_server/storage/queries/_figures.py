"""Figures about many calls: counted in one pass over one index, and percentiles of the newest calls."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import case, func, literal, select

from toolwatch_server.storage.engine import Reader
from toolwatch_server.storage.tables import calls

PERCENTILES: Final = (50, 95, 99)
SAMPLED_MAX: Final = 5_000  # durations, the newest: more change percentiles little and cost much

Percentiles = tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Count:
    """So many calls of one tool with one outcome in one slice of time."""

    bucket: int
    tool: str | None
    outcome: str
    calls: int
    failed: int
    executions: int
    last_ns: int


def counts(db: Reader, wanted: Any, *, bucket_ns: int | None) -> list[Count]:
    """Slices begin at multiples of bucket_ns; without it all is one slice, 0. One statement."""
    number: Any = literal(0) if bucket_ns is None else calls.c.sort_ns // literal(bucket_ns)
    bucket = number.label("bucket")
    keys = [calls.c.tool, calls.c.outcome] if bucket_ns is None else [bucket, calls.c.tool, calls.c.outcome]
    statement = (
        select(
            bucket,
            calls.c.tool,
            calls.c.outcome,
            func.count(),
            func.sum(case((calls.c.failed.is_(True), 1), else_=0)),
            func.sum(calls.c.executions),
            func.max(calls.c.sort_ns),
        )
        .where(*wanted)
        .group_by(*keys)
    )
    return [Count(*row) for row in db.execute(statement)]


def durations(db: Reader, wanted: Any) -> dict[str | None, Percentiles]:
    """p50, p95 and p99 by nearest rank, of each tool and (None) of all together. One statement."""
    newest = (
        select(calls.c.tool, calls.c.duration_ms)
        .where(calls.c.duration_ms.is_not(None), *wanted)
        .order_by(calls.c.sort_ns.desc(), calls.c.key.desc())
        .limit(SAMPLED_MAX)
    )
    found: dict[str | None, list[float]] = defaultdict(list)
    every: list[float] = []
    for tool, duration_ms in db.execute(newest):
        every.append(duration_ms)
        if tool is not None:
            found[tool].append(duration_ms)
    found[None] = every
    return {tool: percentiles(some) for tool, some in found.items()}


def percentiles(durations_ms: Sequence[float]) -> Percentiles:
    """By nearest rank: always the duration of some call."""
    ranked = sorted(durations_ms)
    if not ranked:
        return (None,) * len(PERCENTILES)
    return tuple(ranked[-(-len(ranked) * percent // 100) - 1] for percent in PERCENTILES)
