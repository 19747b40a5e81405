"""What an exception means. Classes of the frameworks are known by name: nothing of them is imported."""

import asyncio
from typing import Any


def _is_a(error: BaseException, name: str, package: str) -> bool:
    return any(kind.__name__ == name and kind.__module__.startswith(package) for kind in type(error).__mro__)


def is_interrupt(error: BaseException) -> bool:
    """A pause for a person: no error."""
    return _is_a(error, "GraphInterrupt", "langgraph")


def is_pass_through(error: BaseException) -> bool:
    """Control flow of LangGraph that is no error, such as a hand-off to the parent graph."""
    return _is_a(error, "GraphBubbleUp", "langgraph")


def is_hand_off(error: BaseException) -> bool:
    return _is_a(error, "ParentCommand", "langgraph")


def is_cancellation(error: BaseException) -> bool:
    return isinstance(error, asyncio.CancelledError | GeneratorExit)


def is_step_limit(error: BaseException) -> bool:
    return _is_a(error, "GraphRecursionError", "langgraph")


def is_validation(error: BaseException) -> bool:
    return _is_a(error, "ValidationError", "pydantic") or _is_a(error, "ToolInvocationError", "langgraph")


def pause_value(error: BaseException) -> Any:
    """What the person is asked; a list when several pauses came together."""
    found = error.args[0] if error.args else None
    pauses = list(found) if isinstance(found, list | tuple) else [found]
    values = [getattr(pause, "value", pause) for pause in pauses]
    return values[0] if len(values) == 1 else values
