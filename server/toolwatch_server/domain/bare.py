"""A fact without its texts: what happened stays, what was said goes."""

from dataclasses import fields, is_dataclass, replace
from typing import Any, Final, TypeVar

T = TypeVar("T")

_TEXTS: Final = frozenset(
    {"arguments", "raw", "validated", "result", "content", "interrupt", "resume", "stack", "received"}
)


def bare(value: T) -> T:
    """The same with None in the place of arguments, results and answers; messages of errors stay."""
    if not is_dataclass(value) or isinstance(value, type):
        return value
    changes: dict[str, Any] = {}
    for field in fields(value):
        found = getattr(value, field.name)
        if field.name in _TEXTS and (field.default is None or found is not None):
            changes[field.name] = None
        elif isinstance(found, tuple):
            changes[field.name] = tuple(map(bare, found))
        elif is_dataclass(found):
            changes[field.name] = bare(found)
    return replace(value, **changes)
