"""Failures, grouped by type and by message without its numbers and ids."""

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Final

from sqlalchemy import func, select

from toolwatch_server.domain.filters import CallFilter
from toolwatch_server.domain.rows import ErrorGroup
from toolwatch_server.storage.engine import Reader
from toolwatch_server.storage.queries._rows import NEWEST_FIRST
from toolwatch_server.storage.queries._where import conditions
from toolwatch_server.storage.tables import calls

GROUPS_MAX: Final = 100
SAMPLED_MAX: Final = 3_000  # failures, the newest
_TOOLS_MAX: Final = 10

# A failure without an exception (an unanswered call) is grouped by its outcome.
_TYPE: Final = func.coalesce(calls.c.error_type, calls.c.outcome)
_MESSAGE: Final = func.coalesce(calls.c.error_group, "")


@dataclass(slots=True)
class _Group:
    last_ns: int
    last_key: str
    first_ns: int = 0
    count: int = 0
    tools: set[str] = field(default_factory=set)
    slices: Counter[int] = field(default_factory=Counter)


def error_groups(
    db: Reader, asked: CallFilter, *, limit: int = GROUPS_MAX, bucket_ns: int | None = None
) -> tuple[ErrorGroup, ...]:
    """Failed calls only, most recent group first; limit counts groups. One statement.

    Looks at the newest 3,000 failures before the end of the window, and so a little into the time before it:
    a group is new when all that was seen of it lies within the window.
    """
    since_ns = asked.since_ns
    failures = (
        select(_TYPE, _MESSAGE, calls.c.tool, calls.c.sort_ns, calls.c.key)
        .where(calls.c.failed.is_(True), *conditions(db, replace(asked, since_ns=None)))
        .order_by(*NEWEST_FIRST)
        .limit(SAMPLED_MAX)
    )
    groups: dict[tuple[str, str], _Group] = {}
    for type_, message, tool, at_ns, key in db.execute(failures):
        group = groups.get((type_, message))
        if group is None:
            if since_ns is not None and at_ns < since_ns:
                continue
            group = groups[type_, message] = _Group(last_ns=at_ns, last_key=key)
        group.first_ns = at_ns
        if since_ns is None or at_ns >= since_ns:
            group.count += 1
            group.tools |= {tool} - {None}
            group.slices[at_ns // bucket_ns if bucket_ns else 0] += 1
    return tuple(_shown(*kind, group, since_ns) for kind, group in list(groups.items())[:limit])


def _shown(type_: str, message: str, group: _Group, since_ns: int | None) -> ErrorGroup:
    return ErrorGroup(
        error_type=type_,
        message=message,
        tools=tuple(sorted(group.tools)[:_TOOLS_MAX]),
        count=group.count,
        first_ns=group.first_ns,
        last_ns=group.last_ns,
        last_key=group.last_key,
        is_new=since_ns is not None and group.first_ns >= since_ns,
        trend=tuple(sorted(group.slices.items())),
    )
