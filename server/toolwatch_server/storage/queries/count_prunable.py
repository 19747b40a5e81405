"""How many traces a prune would forget."""

from sqlalchemy import func, select

from toolwatch_server.storage.engine import Reader
from toolwatch_server.storage.tables import spans


def count_prunable(db: Reader, before_ns: int) -> int:
    """Traces whose last record was received before then. One statement."""
    old = func.max(spans.c.received_ns) < before_ns
    last = select(spans.c.trace_id).group_by(spans.c.trace_id).having(old)
    return int(db.execute(select(func.count()).select_from(last.subquery())).scalar_one())
