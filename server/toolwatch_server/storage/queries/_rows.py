"""Rows of the calls table as CallRow."""

from typing import Any, Final

from sqlalchemy import Row, Select, select

from toolwatch_server.domain.rows import CallRow
from toolwatch_server.storage.engine import Reader
from toolwatch_server.storage.queries._where import CROSS
from toolwatch_server.storage.tables import calls

_NAMES: Final = tuple(name for name in CallRow.__dataclass_fields__ if name != "warnings")
_COLUMNS: Final = (
    *(calls.c[name] for name in _NAMES),
    calls.c.warnings,
    *(condition.label(code) for code, condition in CROSS.items()),
)
NEWEST_FIRST: Final = (calls.c.sort_ns.desc(), calls.c.key.desc())


def rows_of(db: Reader, ids: Select[Any], *, oldest_first: bool = False) -> tuple[CallRow, ...]:
    """The calls whose row ids `ids` selects, in the order of lists. One statement.

    The ids are chosen first, so that the look at other calls is paid for rows shown, not for rows sorted.
    """
    order = (calls.c.sort_ns, calls.c.key) if oldest_first else NEWEST_FIRST
    chosen = ids.subquery()
    statement = select(*_COLUMNS).join(chosen, chosen.c.id == calls.c.id).order_by(*order)
    return tuple(map(_call_row, db.execute(statement)))


def _call_row(row: Row[Any]) -> CallRow:
    found = row._mapping
    codes = (*found["warnings"].split(), *(code for code in CROSS if found[code]))
    return CallRow(**{name: found[name] for name in _NAMES}, warnings=codes)
