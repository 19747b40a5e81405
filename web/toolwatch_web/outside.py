"""Links to other tools, from templates such as https://jaeger.example/trace/{trace_id}?from={start_ms}."""

import re
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import quote

PLACES: Final = (
    "trace_id", "span_id", "service", "environment", "thread_id", "run_id", "tool", "tool_call_id",
    "start_ms", "end_ms", "start_s", "end_s",
)  # fmt: skip
_PLACE: Final = re.compile(r"\{([a-z_]+)\}")
_MINUTE_NS: Final = 60_000_000_000


def read(text: str) -> tuple[tuple[str, str], ...]:
    """The (name, address) pairs of "name=https://… name=https://…". Raises ValueError with a sentence."""
    return tuple(map(_pair, text.split()))


def _pair(part: str) -> tuple[str, str]:
    name, _, address = part.partition("=")
    if not name or not re.match(r"https?://[^/\s{}]", address):
        raise ValueError(f"{part[:80]!r} has to be name=https://…")
    unknown = [place for place in _PLACE.findall(address) if place not in PLACES]
    if unknown:
        raise ValueError(f"there is no {{{unknown[0]}}}; there are {', '.join(PLACES)}")
    return name.replace("_", " "), address


def filled(
    templates: Sequence[tuple[str, str]], values: Mapping[str, str | None]
) -> tuple[tuple[str, str], ...]:
    """The links whose every place is known. Values are quoted, so that none can change where a link leads."""
    found = []
    for name, address in templates:
        wanted = _PLACE.findall(address)
        if all(values.get(place) for place in wanted):
            found.append((name, _PLACE.sub(lambda match: quote(values[match[1]] or "", safe=""), address)))
    return tuple(found)


def around(start_ns: int | None, end_ns: int | None) -> dict[str, str | None]:
    """The places for time: a minute before and after, because clocks differ."""
    if start_ns is None:
        return {}
    first, last = start_ns - _MINUTE_NS, (end_ns or start_ns) + _MINUTE_NS
    units = {"ms": 1_000_000, "s": 1_000_000_000}
    return {
        f"{name}_{unit}": str(ns // size)
        for unit, size in units.items()
        for name, ns in (("start", first), ("end", last))
    }
