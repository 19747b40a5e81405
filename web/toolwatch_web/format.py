"""Numbers, times and values as text for people. Pure: the clock is handed in, and every time is UTC."""

import json
from datetime import UTC, datetime, timedelta
from typing import Final

UNKNOWN: Final = "–"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_AGES: Final = ((86_400, "day", "days"), (3_600, "h", "h"), (60, "min", "min"))


def duration(ms: float | None) -> str:
    """Three digits that matter and a unit: 0.42 ms, 512 ms, 1.51 s, 2 min 5 s, 1 h 3 min, 2 d 4 h."""
    if ms is None:
        return UNKNOWN
    if ms >= 59_950:
        return _long(round(ms / 1000))
    if ms >= 999.5:
        return f"{ms / 1000:.2f} s" if ms < 9_995 else f"{ms / 1000:.1f} s"
    digits = 2 if ms < 0.995 else 1 if ms < 9.95 else 0
    return f"{ms:.{digits}f} ms"


def _long(seconds: int) -> str:
    if seconds < 3_600:
        return _two(seconds // 60, "min", seconds % 60, "s")
    if seconds < 86_400:
        return _two(seconds // 3_600, "h", seconds % 3_600 // 60, "min")
    return _two(seconds // 86_400, "d", seconds % 86_400 // 3_600, "h")


def _two(large: int, large_unit: str, small: int, small_unit: str) -> str:
    return f"{large} {large_unit} {small} {small_unit}" if small else f"{large} {large_unit}"


def size(bytes_: int | None) -> str:
    if bytes_ is None:
        return UNKNOWN
    if bytes_ < 1_000:
        return f"{bytes_} B"
    if bytes_ < 1_000_000:
        return f"{bytes_ / 1_000:.1f} kB"
    if bytes_ < 1_000_000_000:
        return f"{bytes_ / 1_000_000:.1f} MB"
    return f"{bytes_ / 1_000_000_000:.2f} GB"


def count(number: int | None) -> str:
    """Thousands are set apart by a narrow no-break space: 12 345."""
    return UNKNOWN if number is None else f"{number:,}".replace(",", "\u202f")


def plural(number: int, one: str, many: str | None = None) -> str:
    return f"{count(number)} {one if number == 1 else many or one + 's'}"


def times(number: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(number, f"{count(number)} times")


def ran_how_often(number: int) -> str:
    return "never ran" if number == 0 else f"ran {times(number)}"


def share(part: int, whole: int) -> str:
    if not whole:
        return UNKNOWN
    percent = 100 * part / whole
    return f"{percent:.1f} %" if 0 < percent < 9.95 else f"{percent:.0f} %"


def moment(ns: int | None) -> str:
    """2026-03-01 04:05:06.789, UTC."""
    return UNKNOWN if ns is None else _datetime(ns).strftime("%Y-%m-%d %H:%M:%S.") + _millis(ns)


def clock(ns: int | None) -> str:
    """04:05:06.789, UTC."""
    return UNKNOWN if ns is None else _datetime(ns).strftime("%H:%M:%S.") + _millis(ns)


def iso(ns: int) -> str:
    return _datetime(ns).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _datetime(ns: int) -> datetime:
    return _EPOCH + timedelta(microseconds=ns // 1_000)


def _millis(ns: int) -> str:
    return f"{ns // 1_000_000 % 1_000:03d}"


def ago(then_ns: int | None, now_ns: int) -> str:
    if then_ns is None:
        return UNKNOWN
    seconds = (now_ns - then_ns) // 1_000_000_000
    if seconds < 5:
        return "just now"
    for length, one, many in _AGES:
        if seconds >= length:
            number = seconds // length
            return f"{number} {one if number == 1 else many} ago"
    return f"{seconds} s ago"


def since(earlier_ns: int | None, later_ns: int | None) -> str:
    """The distance between two moments, as +512 ms."""
    if earlier_ns is None or later_ns is None:
        return ""
    sign = "+" if later_ns >= earlier_ns else "-"
    return sign + duration(abs(later_ns - earlier_ns) / 1_000_000)


def pretty(value: object) -> str:
    """JSON with indentation, its characters as they are."""
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)


def shorten(text: str | None, length: int) -> str:
    """One line of at most length characters; a cut is marked."""
    line = " ".join((text or "")[: 4 * length].split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"
