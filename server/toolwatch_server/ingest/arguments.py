"""The arguments of a tool, out of what instrumentations put around them."""

from collections.abc import Mapping
from typing import Any, Final

from toolwatch_server.ingest.values import unpacked

# Around keyword arguments: how a decorated Python function, or a framework's own wrapper, was called.
AROUND: Final = frozenset({"args", "kwargs", "sanitize_inputs_outputs", "self"})


def unwrapped(value: Any) -> tuple[Any, bool]:
    """The arguments, and whether they are the value of the only argument without its name."""
    found = unpacked(value)
    if isinstance(found, Mapping):
        if isinstance(found.get("kwargs"), Mapping) and found.keys() <= AROUND:
            return _called_with(found.get("args"), found["kwargs"])
        return value, False
    if found is None:
        return None, False
    return value, True


def _called_with(args: Any, kwargs: Mapping[str, Any]) -> tuple[Any, bool]:
    if kwargs or not isinstance(args, list | tuple) or not args:
        return dict(kwargs), False
    if len(args) == 1:
        return args[0], not isinstance(args[0], Mapping)
    return list(args), False
