"""The keys of all calls that fit a filter, a batch at a time: what exports walk along."""

from typing import NamedTuple

from sqlalchemy import select, tuple_

from toolwatch_server.domain.filters import CallFilter
from toolwatch_server.storage.engine import Reader
from toolwatch_server.storage.queries._rows import NEWEST_FIRST
from toolwatch_server.storage.queries._where import conditions
from toolwatch_server.storage.tables import calls


class Place(NamedTuple):
    """Where a call stands in the order of lists."""

    sort_ns: int
    key: str


def export_calls(
    db: Reader, asked: CallFilter, *, after: Place | None, limit: int, oldest_first: bool
) -> list[Place]:
    """The next calls of the walk; none at its end. asked.limit and asked.cursor do not matter."""
    order = (calls.c.sort_ns, calls.c.key) if oldest_first else NEWEST_FIRST
    statement = select(calls.c.sort_ns, calls.c.key).where(*conditions(db, asked)).order_by(*order)
    if after is not None:
        place = tuple_(calls.c.sort_ns, calls.c.key)
        statement = statement.where(place > after if oldest_first else place < after)
    return [Place(*row) for row in db.execute(statement.limit(limit))]
