"""The figures for /metrics."""

from sqlalchemy import func, select

from toolwatch_server.domain.tallies import Tallies, Tally
from toolwatch_server.storage.dialect import size_bytes
from toolwatch_server.storage.engine import Reader
from toolwatch_server.storage.service_tables import tallies as table
from toolwatch_server.storage.tables import calls


def tallies(db: Reader) -> Tallies:
    """What was counted so far, and how many calls are under way. Two statements."""
    now = select(
        select(func.count()).where(calls.c.outcome == "running").scalar_subquery().label("running"),
        select(func.count()).where(calls.c.outcome == "interrupted").scalar_subquery().label("waiting"),
        size_bytes(db).label("size_bytes"),
    )
    order = (table.c.tool, table.c.service, table.c.outcome, table.c.bucket)
    counted = tuple(Tally(**row._mapping) for row in db.execute(select(table).order_by(*order)))
    return Tallies(counted=counted, **db.execute(now).one()._asdict())
