"""How each tool is doing: counts, failures, how long it takes, which arguments the models get wrong."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import func, select

from toolwatch_server.domain.filters import CallFilter
from toolwatch_server.domain.rows import ToolHealth
from toolwatch_server.storage.engine import Reader
from toolwatch_server.storage.queries._figures import Count, Percentiles, counts, durations
from toolwatch_server.storage.queries._where import conditions
from toolwatch_server.storage.tables import call_problems, calls

_FIELDS_MAX: Final = 20
_UNKNOWN: Final[Percentiles] = (None, None, None)

Fields = dict[str, list[tuple[str, str, int]]]


@dataclass(slots=True)
class _Sums:
    calls: int = 0
    failed: int = 0
    executions: int = 0
    last_ns: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    slices: dict[int, tuple[int, int]] = field(default_factory=dict)

    def add(self, count: Count) -> None:
        self.calls += count.calls
        self.failed += count.failed
        self.executions += count.executions
        self.last_ns = max(self.last_ns, count.last_ns)
        self.outcomes[count.outcome] += count.calls
        before = self.slices.get(count.bucket, (0, 0))
        self.slices[count.bucket] = (before[0] + count.calls, before[1] + count.failed)


def tool_health(db: Reader, asked: CallFilter, *, bucket_ns: int | None = None) -> tuple[ToolHealth, ...]:
    """Tools with calls that fit the filter, most failures first; calls of no known tool are left out.

    Percentiles are those of the newest calls (see _figures). With bucket_ns each tool has its trend.
    Three statements.
    """
    wanted = conditions(db, asked)
    return health_of(
        counts(db, wanted, bucket_ns=bucket_ns), durations(db, wanted), problem_fields(db, wanted)
    )


def health_of(
    counted: Iterable[Count], took: dict[str | None, Percentiles], fields: Fields
) -> tuple[ToolHealth, ...]:
    sums: dict[str | None, _Sums] = defaultdict(_Sums)
    for count in counted:
        sums[count.tool].add(count)
    # Left out here: asked of the database, SQLite would read rows by tool, not the index made for figures.
    health = (_health(tool, found, took, fields) for tool, found in sums.items() if tool is not None)
    return tuple(sorted(health, key=lambda tool: (-tool.failed, -tool.calls, tool.tool)))


def problem_fields(db: Reader, wanted: Any) -> Fields:
    count = func.count().label("number")
    statement = (
        select(calls.c.tool, call_problems.c.field, call_problems.c.reason, count)
        .join(call_problems, call_problems.c.call_key == calls.c.key)
        .where(*wanted)
        .group_by(calls.c.tool, call_problems.c.field, call_problems.c.reason)
        .order_by(count.desc(), call_problems.c.field, call_problems.c.reason)
    )
    found: Fields = defaultdict(list)
    for tool, name, reason, number in db.execute(statement):
        found[tool].append((name, reason, number))
    return found


def _health(tool: str, sums: _Sums, took: dict[str | None, Percentiles], fields: Fields) -> ToolHealth:
    p50_ms, p95_ms, p99_ms = took.get(tool, _UNKNOWN)
    return ToolHealth(
        tool=tool,
        calls=sums.calls,
        failed=sums.failed,
        executions=sums.executions,
        running=sums.outcomes["running"],
        p50_ms=p50_ms,
        p95_ms=p95_ms,
        p99_ms=p99_ms,
        last_ns=sums.last_ns,
        outcomes=tuple(sums.outcomes.most_common()),
        problem_fields=tuple(fields.get(tool, [])[:_FIELDS_MAX]),
        trend=tuple((bucket, *both) for bucket, both in sorted(sums.slices.items())),
    )
