"""What a validation error says about each field, as data."""

from typing import Any, Final

MAX_PROBLEMS: Final = 50
_JSON_TYPES: Final = {
    str: "string", bool: "boolean", int: "integer", float: "number", list: "array", tuple: "array",
    dict: "object", type(None): "null",
}  # fmt: skip


def problems_of(error: BaseException, full: bool) -> list[dict[str, str | None]]:
    """Shapes of docs/wire.md; without content the reason is the kind of error only."""
    source = error if hasattr(error, "errors") else error.__cause__
    listing = getattr(source, "errors", None)
    if not callable(listing):
        return []
    return [_problem(item, full) for item in listing()[:MAX_PROBLEMS]]


def _problem(item: dict[str, Any], full: bool) -> dict[str, str | None]:
    kind = str(item.get("type", ""))
    missing = kind in {"missing", "value_error.missing"}
    received = None if missing or "input" not in item else _json_type(item["input"])
    return {
        "field": ".".join(str(part) for part in item.get("loc", ())),
        "reason": str(item.get("msg", kind)) if full else kind,
        "expected": _expected(kind, item.get("ctx")),
        "received": received,
    }


def _expected(kind: str, limits: Any) -> str | None:
    for ending in ("_type", "_parsing", "_from_float"):
        if kind.endswith(ending):
            return kind.removesuffix(ending)
    if isinstance(limits, dict):
        plain = [f"{name} {value}" for name, value in limits.items() if isinstance(value, int | float | str)]
        return ", ".join(plain)[:200] or None
    return None


def _json_type(value: object) -> str:
    return _JSON_TYPES.get(type(value), type(value).__name__)
