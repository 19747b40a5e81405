"""One guard around all code of ours that runs inside the host's program.

A fault of ours costs one log line and the detail it was about. Errors of the host never pass through here,
and what is not an ``Exception`` (cancellation, interrupts, exits) is never held back.
"""

import functools
import logging
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

logger = logging.getLogger("toolwatch")
_reported: set[tuple[str, str]] = set()


def guarded(function: Callable[P, R]) -> Callable[P, R | None]:
    """The function, answering None where it would have raised an ``Exception``."""

    @functools.wraps(function)
    def safe(*args: P.args, **kwargs: P.kwargs) -> R | None:
        try:
            return function(*args, **kwargs)
        except Exception as fault:
            report(function.__qualname__, fault)
            return None

    return safe


def report(what: str, fault: Exception) -> None:
    """One log line for each kind of fault. Texts of exceptions may hold secrets and are left out."""
    kind = (what, type(fault).__name__)
    if kind in _reported:
        return
    _reported.add(kind)
    place = _place(fault)
    logger.warning("toolwatch: %s failed with %s at %s; a detail of a tool call is lost", *kind, place)


def say_once(message: str, *args: object) -> None:
    """A log line that is written once in the life of the process."""
    kind = (message, str(args))
    if kind not in _reported:
        _reported.add(kind)
        logger.warning(message, *args)


def _place(fault: Exception) -> str:
    trace = fault.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "an unknown place"
