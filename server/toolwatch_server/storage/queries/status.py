"""What is stored, where, and who sends."""

from typing import Final

from sqlalchemy import func, select

from toolwatch_server.domain.rows import Instance, StoreStatus
from toolwatch_server.storage.dialect import size_bytes
from toolwatch_server.storage.engine import Reader, location
from toolwatch_server.storage.migrate import current_revision
from toolwatch_server.storage.tables import calls, instances, spans

_INSTANCES_MAX: Final = 100


def status(db: Reader) -> StoreStatus:
    """The processes that were heard of last come first, at most 100."""
    counts = select(
        select(func.count()).select_from(calls).scalar_subquery().label("calls"),
        select(func.count()).select_from(spans).scalar_subquery().label("spans"),
        select(func.min(calls.c.sort_ns)).scalar_subquery().label("oldest_ns"),
        select(func.max(calls.c.sort_ns)).scalar_subquery().label("newest_ns"),
        size_bytes(db).label("size_bytes"),
    )
    found = db.execute(counts).one()
    senders = select(instances).order_by(instances.c.last_seen_ns.desc()).limit(_INSTANCES_MAX)
    return StoreStatus(
        database=db.dialect.name,
        location=location(db.engine.url),
        schema_revision=current_revision(db) or "",
        instances=tuple(
            Instance(
                instance_id=row.instance_id,
                service=row.service,
                last_seen_ns=row.last_seen_ns,
                dropped=row.dropped,
                missing_hooks=tuple(row.missing_hooks.split("\n")) if row.missing_hooks else (),
            )
            for row in db.execute(senders)
        ),
        **found._asdict(),
    )
