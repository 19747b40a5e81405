"""How the calls of a list are divided, and how many there would be with another question."""

from collections import Counter
from dataclasses import replace
from typing import Final

from sqlalchemy import func, literal, select, union_all

from toolwatch_server.domain.call import WARNINGS
from toolwatch_server.domain.filters import CallFilter
from toolwatch_server.domain.rows import Facets
from toolwatch_server.storage.engine import Reader
from toolwatch_server.storage.queries._rows import NEWEST_FIRST
from toolwatch_server.storage.queries._where import CROSS, conditions
from toolwatch_server.storage.tables import calls

LOOKED_AT_MAX: Final = 1_000
COUNTED_MAX: Final = 1_000
_NAMES: Final = ("outcome", "tool", "service", "warnings")


def facets(db: Reader, asked: CallFilter) -> Facets:
    """Counts among the newest 1,000 calls that fit, most frequent first. One statement.

    Warnings that only a look at other calls gives (loops, ids used twice, orphans) are not counted.
    """
    columns = (calls.c[name] for name in _NAMES)
    newest = (
        select(*columns)
        .where(*conditions(db, replace(asked, cursor=None)))
        .order_by(*NEWEST_FIRST)
        .limit(LOOKED_AT_MAX)
        .cte("newest")
    )
    counted = union_all(
        *(
            select(
                literal(name).label("facet"), newest.c[name].label("value"), func.count().label("number")
            ).group_by(newest.c[name])
            for name in _NAMES
        )
    )
    found: dict[str, Counter[str]] = {name: Counter() for name in _NAMES}
    for facet, value, number in db.execute(counted):
        # Several codes stand in one value.
        for word in (value or "").split() if facet == "warnings" else [value]:
            if word is not None:
                found[facet][word] += number
    looked_at = sum(found["outcome"].values())
    return Facets(
        looked_at=looked_at,
        complete=looked_at < LOOKED_AT_MAX,
        outcomes=tuple(found["outcome"].most_common()),
        tools=tuple(found["tool"].most_common()),
        services=tuple(found["service"].most_common()),
        warnings=tuple(
            (code, number)
            for code, number in found["warnings"].most_common()
            if code in WARNINGS and code not in CROSS
        ),
    )


def count_calls(db: Reader, asked: CallFilter) -> int:
    """At most COUNTED_MAX + 1."""
    wanted = conditions(db, replace(asked, cursor=None))
    some = select(calls.c.id).where(*wanted).limit(COUNTED_MAX + 1).subquery()
    return db.execute(select(func.count()).select_from(some)).scalar_one()
