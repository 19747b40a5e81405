"""Secrets that stood in what a model was told: how often, by tool and rule, never which."""

from sqlalchemy import and_, func, select

from toolwatch_server.domain.rows import Leak
from toolwatch_server.storage.engine import Reader
from toolwatch_server.storage.queries._where import having_warning
from toolwatch_server.storage.tables import call_redactions, calls

LISTED: int = 100


def leaks(db: Reader, *, limit: int = LISTED) -> tuple[Leak, ...]:
    """Most calls first. One statement."""
    number = func.count().label("calls")
    told = and_(call_redactions.c.call_key == calls.c.key, call_redactions.c.place == "answer")
    statement = (
        select(
            calls.c.tool,
            call_redactions.c.rule,
            number,
            func.min(calls.c.sort_ns).label("first_ns"),
            func.max(calls.c.sort_ns).label("last_ns"),
        )
        .join(call_redactions, told)
        .where(having_warning("secret_reached_model"))
        .group_by(calls.c.tool, call_redactions.c.rule)
        .order_by(number.desc(), calls.c.tool, call_redactions.c.rule)
        .limit(limit)
    )
    return tuple(Leak(**row) for row in db.execute(statement).mappings())
