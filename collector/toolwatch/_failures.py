"""An exception as plain data: its type, its text, its stack with the chained ones."""

import pathlib
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from toolwatch._capture import window

CHAIN: Final = 8
FRAMES: Final = 40
MESSAGE_CHARS: Final = 16_384
STACK_CHARS: Final = 32_768
_OWN_FILES: Final = str(pathlib.Path(__file__).parent)
_BUILTIN: Final = frozenset({
    BaseException.__str__, KeyError.__str__, OSError.__str__, SyntaxError.__str__, UnicodeDecodeError.__str__,
})  # fmt: skip
_PLAIN: Final = (str, int, float, bool, bytes, type(None))


@dataclass(frozen=True, slots=True)
class Failure:
    type: str
    message: str
    links: tuple[
        tuple[str, traceback.StackSummary, str], ...
    ]  # how it is linked, frames, last line; cause first

    def stack(self) -> str:
        """Like Python prints it, without our own frames. Reads source files: not for the host's thread."""
        parts = []
        for link, frames, line in self.links:
            kept = [frame for frame in frames if not frame.filename.startswith(_OWN_FILES)]
            parts.append(
                f"{link}Traceback (most recent call last):\n{''.join(traceback.format_list(kept))}{line}\n"
            )
        return window("".join(parts))


def failure_of(error: BaseException) -> Failure:
    chain = list(reversed(list(_chain(error))))
    return Failure(
        type=type(error).__name__,
        message=message_of(error),
        links=tuple((link, _frames(link_error), _last_line(link_error)) for link, link_error in chain),
    )


def message_of(error: BaseException) -> str:
    """``str(error)``, unless that would run the code of an object inside it."""
    kind = type(error)
    if kind.__str__ in _BUILTIN and not all(type(arg) in _PLAIN for arg in error.args):
        return window(
            " ".join(arg if type(arg) is str else f"<{type(arg).__qualname__}>" for arg in error.args)
        )
    try:
        return window(str.__str__(str(error)))
    except Exception as fault:
        return f"<{kind.__name__} whose text could not be read: {type(fault).__name__}>"


def _chain(error: BaseException) -> Iterator[tuple[str, BaseException]]:
    """The error, its cause, the cause of that, each with the words that link it to the one before."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen and len(seen) < CHAIN:
        seen.add(id(current))
        cause, context = current.__cause__, current.__context__
        if cause is not None:
            yield "\nThe above exception was the direct cause of the following exception:\n\n", current
            current = cause
        elif context is not None and not current.__suppress_context__:
            yield "\nDuring handling of the above exception, another exception occurred:\n\n", current
            current = context
        else:
            yield "", current
            return


def _frames(error: BaseException) -> traceback.StackSummary:
    walk = traceback.walk_tb(error.__traceback__)
    return traceback.StackSummary.extract(walk, limit=-FRAMES, lookup_lines=False)


def _last_line(error: BaseException) -> str:
    notes = [note for note in getattr(error, "__notes__", ()) if type(note) is str]
    members = error.exceptions[:5] if isinstance(error, BaseExceptionGroup) else ()
    inner = [f"  + {type(member).__name__}: {message_of(member)}" for member in members]
    return "\n".join([f"{type(error).__name__}: {message_of(error)}", *notes, *inner])
