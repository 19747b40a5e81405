"""How each tool is doing: counts, failures, how long it takes, which arguments the models get wrong."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import case, func, select

from toolwatch_server.domain.filters import CallFilter
from toolwatch_server.domain.rows import ToolHealth
from toolwatch_server.storage.engine import Reader
from toolwatch_server.storage.queries._where import conditions
from toolwatch_server.storage.tables import call_problems, calls

PERCENTILES: Final = (50, 95, 99)
_FIELDS_MAX: Final = 20

Durations = dict[str | None, tuple[float | None, ...]]
Fields = dict[str, list[tuple[str, str, int]]]


@dataclass(slots=True)
class _Sums:
    calls: int = 0
    failed: int = 0
    executions: int = 0
    last_ns: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)


def tool_health(db: Reader, asked: CallFilter) -> tuple[ToolHealth, ...]:
    """Tools with calls that fit the filter, most failures first; calls of no known tool are left out. Three
    statements."""
    wanted = conditions(db, asked)
    sums = _sums(db, wanted)
    durations = percentiles(db, wanted, by_tool=True)
    fields = _problem_fields(db, wanted)
    # Left out here: asked of the database, SQLite would read rows by tool, not the index made for figures.
    health = (_health(tool, found, durations, fields) for tool, found in sums.items() if tool is not None)
    return tuple(sorted(health, key=lambda tool: (-tool.failed, -tool.calls, tool.tool)))


def percentiles(db: Reader, wanted: Any, *, by_tool: bool) -> Durations:
    """p50, p95 and p99 in milliseconds by nearest rank: always the duration of some call. One statement."""
    group = calls.c.tool if by_tool else None
    share = func.cume_dist().over(partition_by=group, order_by=calls.c.duration_ms).label("share")
    ranked = (
        select(calls.c.tool, calls.c.duration_ms, share)
        .where(calls.c.duration_ms.is_not(None), *wanted)
        .subquery()
    )
    at_least = (ranked.c.share >= percent / 100 for percent in PERCENTILES)
    found = select(*(func.min(case((reached, ranked.c.duration_ms))) for reached in at_least))
    if not by_tool:
        return {None: tuple(db.execute(found).one())}
    return {
        row[0]: tuple(row[1:]) for row in db.execute(_prefixed(found, ranked.c.tool).group_by(ranked.c.tool))
    }


def _prefixed(statement: Any, column: Any) -> Any:
    return statement.with_only_columns(column, *statement.selected_columns)


def _sums(db: Reader, wanted: Any) -> dict[str | None, _Sums]:
    statement = (
        select(
            calls.c.tool,
            calls.c.outcome,
            func.count().label("number"),
            func.sum(case((calls.c.failed.is_(True), 1), else_=0)).label("failed"),
            func.sum(calls.c.executions).label("executions"),
            func.max(calls.c.sort_ns).label("last_ns"),
        )
        .where(*wanted)
        .group_by(calls.c.tool, calls.c.outcome)
    )
    sums: dict[str | None, _Sums] = defaultdict(_Sums)
    for row in db.execute(statement):
        found = sums[row.tool]
        found.calls += row.number
        found.failed += row.failed
        found.executions += row.executions
        found.last_ns = max(found.last_ns, row.last_ns)
        found.outcomes[row.outcome] += row.number
    return sums


def _problem_fields(db: Reader, wanted: Any) -> Fields:
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


def _health(tool: str, sums: _Sums, durations: Durations, fields: Fields) -> ToolHealth:
    p50_ms, p95_ms, p99_ms = durations.get(tool, (None, None, None))
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
    )
