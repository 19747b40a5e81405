"""Results that are odd, large or not text."""

import datetime as dt
import decimal
from typing import Any

from langchain_core.tools import tool

from tests.scenarios.programs.kit import HI, Config, ai, call, loop
from tests.scenarios.programs.outcome import Outcome, outcome, scenario


@scenario
def s19(config: Config | None = None) -> Outcome:
    """content + artifact."""

    @tool(response_format="content_and_artifact")
    def chart(n: int) -> tuple[str, dict[str, Any]]:
        """Chart."""
        return f"chart of {n} points", {"points": list(range(n))}

    g, m = loop([chart], ai(call("chart", {"n": 3}, "call_1")))
    return outcome(lambda: g.invoke(HI, config), model=m)


class _Opaque:
    pass


@scenario
def s20(config: Config | None = None) -> Outcome:
    """Results that are not JSON: object, NaN, Decimal, datetime, set, None, bytes."""
    values = {
        "object": _Opaque(),
        "nan": {"v": float("nan")},
        "decimal": {"v": decimal.Decimal("123.45")},
        "datetime": {"at": dt.datetime(2026, 1, 2, 3, 4)},  # noqa: DTZ001 - only its text counts
        "set": {1, 2},
        "none": None,
        "dict": {"city": "北京", "t": 23},
        "list": [1, "a"],
        "strs": ["a", "b"],
        "bytes": b"\x00\xff",
    }

    @tool
    def odd(kind: str) -> Any:
        """Returns odd things."""
        return values[kind]

    g, m = loop([odd], ai(*[call("odd", {"kind": k}, f"call_{k}") for k in values]))
    return outcome(lambda: g.invoke(HI, config), model=m)


@scenario
def s32a(config: Config | None = None) -> Outcome:
    """A 5 MB result."""

    @tool
    def dump(mb: int) -> str:
        """Dump."""
        return "x" * (mb * 1024 * 1024)

    g, m = loop([dump], ai(call("dump", {"mb": 5}, "call_1")))
    return outcome(lambda: g.invoke(HI, config), model=m)


@scenario
def s32b(config: Config | None = None) -> Outcome:
    """Multimodal content blocks (an image) as the result."""
    pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

    @tool
    def picture(x: int = 0) -> list[Any]:
        """Picture."""
        image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{pixel}"}}
        return [{"type": "text", "text": "here"}, image]

    g, m = loop([picture], ai(call("picture", {}, "call_1")))
    return outcome(lambda: g.invoke(HI, config), model=m)
