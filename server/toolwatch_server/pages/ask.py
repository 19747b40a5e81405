"""From the query string of a page to a question about calls, forgiving where the API refuses.

An empty field asks nothing. What cannot be understood is left out of the question and named at its field.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from starlette.datastructures import QueryParams

from toolwatch_server.domain.call import OUTCOMES, WARNINGS
from toolwatch_server.domain.filters import CallFilter

_UNITS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_RELATIVE: Final = re.compile(r"-(\d{1,7})([smhdw])")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LONGEST_TEXT: Final = 2_000
_LARGEST: Final = 2**31 - 1

TEXTS: Final = (
    "tool_call_id",
    "tool",
    "service",
    "environment",
    "thread_id",
    "trace_id",
    "run_id",
    "error_type",
    "redaction",
    "q",
    "cursor",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """said holds every parameter that is not empty, as it was written: pairs, in order."""

    filter: CallFilter
    said: tuple[tuple[str, str], ...]
    problems: dict[str, str]


def ask(query: QueryParams, now_ns: int) -> Asked:
    said = tuple((name, text.strip()) for name, text in query.multi_items() if text.strip())
    values: dict[str, object] = {}
    problems: dict[str, str] = {}
    for name, text in said:
        reader = _READERS.get(name)
        if reader is None:
            problems[name] = f"There is no filter “{name[:40]}”."
            continue
        field, read, allowed = reader
        try:
            value = read(text, now_ns)
        except (ValueError, OverflowError):
            problems[name] = f"This has to be {allowed}."
            continue
        values[field] = (*_texts(values.get(field)), value) if field == "outcomes" else value
    return Asked(filter=CallFilter(**values), said=said, problems=problems)  # type: ignore[arg-type]  # _READERS pairs them


def _texts(value: object) -> tuple[object, ...]:
    return value if isinstance(value, tuple) else ()


def moment(text: str, now_ns: int) -> int:
    """Unix nanoseconds of -1h, 2026-05-01 or 2026-05-01T12:00:00Z, UTC unless told. Raises ValueError."""
    relative = _RELATIVE.fullmatch(text)
    if relative is not None:
        return now_ns - int(relative[1]) * _UNITS[relative[2]] * 1_000_000_000
    parsed = datetime.fromisoformat(text.replace(" ", "T", 1))
    zoned = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    return (zoned - _EPOCH) // timedelta(microseconds=1) * 1_000


def _text(text: str, _: int) -> str:
    if len(text) > _LONGEST_TEXT:
        raise ValueError
    return text


def _truth(text: str, _: int) -> bool:
    if text not in ("true", "false"):
        raise ValueError
    return text == "true"


def _whole(text: str, _: int) -> int:
    if not 0 <= int(text) <= _LARGEST:
        raise ValueError
    return int(text)


def _number(text: str, _: int) -> float:
    if not (math.isfinite(float(text)) and 0 <= float(text) <= _LARGEST):
        raise ValueError
    return float(text)


def _one_of(words: tuple[str, ...]) -> Callable[[str, int], str]:
    def read(text: str, _: int) -> str:
        if text not in words:
            raise ValueError
        return text

    return read


_READERS: Final[dict[str, tuple[str, Callable[[str, int], object], str]]] = {
    **{name: (name, _text, f"at most {_LONGEST_TEXT} characters") for name in TEXTS},
    "outcome": ("outcomes", _one_of(OUTCOMES), "one of the outcomes"),
    "warning": ("warning", _one_of(WARNINGS), "one of the warnings"),
    "failed": ("failed", _truth, "true or false"),
    "min_attempts": ("min_attempts", _whole, "a whole number"),
    "min_duration_ms": ("min_duration_ms", _number, "a number of milliseconds"),
    "since": ("since_ns", moment, "a time such as -1h, -7d or 2026-05-01T12:00:00Z"),
    "until": ("until_ns", moment, "a time such as -1h, -7d or 2026-05-01T12:00:00Z"),
}
