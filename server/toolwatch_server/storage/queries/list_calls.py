"""The table on the calls page: newest first, a page at a time."""

import binascii
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final

from sqlalchemy import func, select, tuple_

from toolwatch_server.domain.filters import CallFilter
from toolwatch_server.domain.rows import CallPage, CallRow
from toolwatch_server.errors import BadFilter
from toolwatch_server.storage.engine import Reader
from toolwatch_server.storage.queries._rows import NEWEST_FIRST, rows_of
from toolwatch_server.storage.queries._where import conditions
from toolwatch_server.storage.tables import calls

COUNTED_MAX: Final = 2_000
_CURSOR: Final = re.compile(r"(-?\d{1,19})\.(.+)", re.DOTALL)


def list_calls(db: Reader, asked: CallFilter) -> CallPage:
    """Two statements. total is None beyond COUNTED_MAX. Raises BadFilter for a cursor we did not give out."""
    after = None if asked.cursor is None else _place(asked.cursor)
    wanted = conditions(db, asked)
    ids = select(calls.c.id).where(*wanted).order_by(*NEWEST_FIRST).limit(asked.limit + 1)
    if after is not None:
        ids = ids.where(tuple_(calls.c.sort_ns, calls.c.key) < after)
    counted = select(calls.c.id).where(*wanted).limit(COUNTED_MAX + 1).subquery()
    found = rows_of(db, ids)
    total = db.execute(select(func.count()).select_from(counted)).scalar_one()
    shown = found[: asked.limit]
    return CallPage(
        rows=shown,
        next_cursor=_cursor(shown[-1]) if len(found) > len(shown) and shown else None,
        total=total if total <= COUNTED_MAX else None,
    )


def _cursor(last: CallRow) -> str:
    return urlsafe_b64encode(f"{last.sort_ns}.{last.key}".encode()).decode().rstrip("=")


def _place(cursor: str) -> tuple[int, str]:
    try:
        text = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    except (ValueError, binascii.Error):
        text = ""
    found = _CURSOR.fullmatch(text)
    if found is None or "\x00" in text:
        raise BadFilter(
            "not a cursor of this list", field="cursor", allowed="the next_cursor of an earlier answer"
        )
    return int(found[1]), found[2]
