"""Moments as the API writes and reads them."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_RELATIVE: Final = re.compile(r"-(\d{1,7})([smhdw])")
_LOST_PLUS: Final = re.compile(r" (\d\d:\d\d)$")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
ALLOWED: Final = (
    "RFC 3339 with a zone, such as 2026-05-01T12:00:00Z, or relative such as -30s, -15m, -1h, -7d, -2w"
)


def rfc3339(time_ns: int) -> str:
    """UTC with microseconds; what lies outside the calendar is put on its edge."""
    try:
        moment = _EPOCH + timedelta(microseconds=time_ns // 1000)
    except OverflowError:
        moment = datetime.max.replace(tzinfo=UTC)
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def parse(text: str, now_ns: int) -> int:
    """Unix nanoseconds that a database can hold. Raises ValueError."""
    time_ns = _parsed(text, now_ns)
    if abs(time_ns) >= 2**63:
        raise ValueError("out of range")
    return time_ns


def _parsed(text: str, now_ns: int) -> int:
    relative = _RELATIVE.fullmatch(text)
    if relative is not None:
        return now_ns - int(relative[1]) * _UNITS[relative[2]] * 1_000_000_000
    # In an address, a plus sign that was not escaped arrives as a space.
    moment = datetime.fromisoformat(_LOST_PLUS.sub(r"+\1", text))
    if moment.tzinfo is None:
        raise ValueError("no zone")
    return (moment - _EPOCH) // timedelta(microseconds=1) * 1000
