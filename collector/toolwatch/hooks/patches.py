"""Puts a plain function in the place of another, and takes it out again when it is still ours to take out."""

from collections.abc import Callable
from typing import Any

from toolwatch._guard import say_once

Make = Callable[[Callable[..., Any]], Callable[..., Any]]

_applied: list[tuple[Any, str, Any, Any]] = []  # owner, name, original, ours
_missing: list[str] = []


def patch(owner: Any, name: str, make: Make) -> bool:
    """owner is a class or a module. A missing name costs detail and is remembered."""
    original = owner.__dict__.get(name)
    if not callable(original):
        label = f"{owner.__module__}.{owner.__qualname__}" if isinstance(owner, type) else owner.__name__
        _missing.append(f"{label}.{name}")
        say_once("toolwatch: this version has no %s.%s; calls are seen with less detail", label, name)
        return False
    ours = make(original)
    _applied.append((owner, name, original, ours))
    setattr(owner, name, ours)
    return True


def take_missing() -> tuple[str, ...]:
    found = tuple(_missing)
    _missing.clear()
    return found


def remove_patches() -> None:
    while _applied:
        owner, name, original, ours = _applied.pop()
        if owner.__dict__.get(name) is ours:
            setattr(owner, name, original)
