"""The first page: what happened in a window of time, and what is happening now."""

from collections import Counter, defaultdict
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import func, literal, select, union_all

from toolwatch_server.domain.call import WARNINGS
from toolwatch_server.domain.filters import CallFilter
from toolwatch_server.domain.rows import Bucket, CallRow, Overview
from toolwatch_server.storage.engine import Reader
from toolwatch_server.storage.queries._figures import counts, durations
from toolwatch_server.storage.queries._rows import rows_of
from toolwatch_server.storage.queries._where import CROSS, conditions, having_warning
from toolwatch_server.storage.queries.error_groups import error_groups
from toolwatch_server.storage.queries.tool_health import health_of, problem_fields
from toolwatch_server.storage.tables import calls

BUCKETS_MAX: Final = 500
_LISTED_MAX: Final = 20


def overview(db: Reader, asked: CallFilter, *, since_ns: int, until_ns: int, bucket_ns: int) -> Overview:
    """The window replaces that of the filter; buckets begin at multiples of bucket_ns, none is left out.

    Running and waiting calls are those of now, whatever the window.
    """
    inside = replace(asked, since_ns=since_ns, until_ns=until_ns)
    wanted = conditions(db, inside)
    counted = counts(db, wanted, bucket_ns=bucket_ns)
    buckets: dict[int, Counter[str]] = defaultdict(Counter)
    for count in counted:
        buckets[count.bucket * bucket_ns][count.outcome] += count.calls
    outcomes: Counter[str] = sum(buckets.values(), Counter())
    took = durations(db, wanted)
    return Overview(
        since_ns=since_ns,
        until_ns=until_ns,
        bucket_ns=bucket_ns,
        calls=outcomes.total(),
        failed=sum(count.failed for count in counted),
        executions=sum(count.executions for count in counted),
        p50_ms=took[None][0],
        p95_ms=took[None][1],
        outcomes=tuple(outcomes.most_common()),
        buckets=_filled(buckets, since_ns, until_ns, bucket_ns),
        tools=health_of(counted, took, problem_fields(db, wanted))[:_LISTED_MAX],
        errors=error_groups(db, inside, limit=_LISTED_MAX, bucket_ns=bucket_ns),
        running=_now(db, asked, "running"),
        waiting=_now(db, asked, "interrupted"),
        warnings=_warnings(db, wanted),
    )


def _filled(
    buckets: dict[int, Counter[str]], since_ns: int, until_ns: int, bucket_ns: int
) -> tuple[Bucket, ...]:
    first = since_ns // bucket_ns * bucket_ns
    starts = range(first, until_ns, bucket_ns)[:BUCKETS_MAX]
    return tuple(
        Bucket(start_ns=start, outcomes=tuple(buckets.get(start, Counter()).most_common()))
        for start in starts
    )


def _now(db: Reader, asked: CallFilter, outcome: str) -> tuple[CallRow, ...]:
    wanted = conditions(db, replace(asked, since_ns=None, until_ns=None))
    ids = select(calls.c.id).where(calls.c.outcome == outcome, *wanted)
    return rows_of(db, ids.order_by(calls.c.sort_ns, calls.c.key).limit(_LISTED_MAX), oldest_first=True)


def _warnings(db: Reader, wanted: Any) -> tuple[tuple[str, int], ...]:
    """Most frequent first; codes that no call has are left out. One statement."""
    warned = select(calls.c.warnings).where(calls.c.warnings != "", *wanted).subquery()
    own = [code for code in WARNINGS if code not in CROSS]
    counted = [
        select(literal(code).label("code"), func.count().label("calls"))
        .select_from(warned)
        .where(warned.c.warnings.contains(f" {code} ", autoescape=True))
        for code in own
    ]
    counted += [
        select(literal(code), func.count()).select_from(calls).where(having_warning(code), *wanted)
        for code in CROSS
    ]
    found = [(code, count) for code, count in db.execute(union_all(*counted)) if count]
    return tuple(sorted(found, key=lambda pair: (-pair[1], pair[0])))
