"""Failures, grouped by type and by message without its numbers and ids."""

from collections import defaultdict
from typing import Any, Final

from sqlalchemy import func, select

from toolwatch_server.domain.filters import CallFilter
from toolwatch_server.domain.rows import ErrorGroup
from toolwatch_server.storage.engine import Reader
from toolwatch_server.storage.queries._where import conditions
from toolwatch_server.storage.tables import calls

GROUPS_MAX: Final = 100
_TOOLS_MAX: Final = 10

# A failure without an exception (an unanswered call) is grouped by its outcome.
_TYPE: Final = func.coalesce(calls.c.error_type, calls.c.outcome)
_MESSAGE: Final = func.coalesce(calls.c.error_group, "")


def error_groups(db: Reader, asked: CallFilter, *, limit: int = GROUPS_MAX) -> tuple[ErrorGroup, ...]:
    """Failed calls only, most recent group first; limit counts groups. Two statements."""
    failures = (
        select(_TYPE.label("type"), _MESSAGE.label("message"), calls.c.tool, calls.c.sort_ns, calls.c.key)
        .where(calls.c.failed.is_(True), *conditions(db, asked))
        .cte("failures")
    )
    together = (failures.c.type, failures.c.message)
    groups = (
        select(*together, func.count().label("number"), *_ends(failures))
        .group_by(*together)
        .order_by(func.max(failures.c.sort_ns).desc(), *together)
        .limit(limit)
        .cte("groups")
    )
    inside = (groups.c.type == failures.c.type) & (groups.c.message == failures.c.message)
    last_key = (
        select(*together, func.max(failures.c.key).label("key"))
        .join(groups, inside & (groups.c.last_ns == failures.c.sort_ns))
        .group_by(*together)
        .cte("last_key")
    )
    of_group = (last_key.c.type == groups.c.type) & (last_key.c.message == groups.c.message)
    found = db.execute(
        select(groups, last_key.c.key).join(last_key, of_group).order_by(groups.c.last_ns.desc())
    ).all()
    tools = _tools(db, select(*together, failures.c.tool).join(groups, inside).distinct())
    return tuple(
        ErrorGroup(
            error_type=row.type,
            message=row.message,
            tools=tuple(tools[row.type, row.message][:_TOOLS_MAX]),
            count=row.number,
            first_ns=row.first_ns,
            last_ns=row.last_ns,
            last_key=row.key,
        )
        for row in found
    )


def _ends(failures: Any) -> tuple[Any, Any]:
    moment = failures.c.sort_ns
    return func.min(moment).label("first_ns"), func.max(moment).label("last_ns")


def _tools(db: Reader, statement: Any) -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for type_, message, tool in db.execute(statement):
        if tool is not None:
            found[type_, message].append(tool)
    return {group: sorted(tools) for group, tools in found.items()} | defaultdict(list)
