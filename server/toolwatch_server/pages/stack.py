"""A Python traceback as a chain of exceptions, with the user's own frames told from those of libraries."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from toolwatch_web.models.call import Frame, FrameRun, Raised

_FRAME: Final = re.compile(r'\s*File "(?P<file>[^"]+)", line (?P<line>\d+)(?:, in (?P<function>.+))?')
_HEADER: Final = "Traceback (most recent call last):"
_RELATIONS: Final = {
    "The above exception was the direct cause of the following exception:": "raised from the one above",
    "During handling of the above exception, another exception occurred:": "raised while handling it",
}
_PACKAGE: Final = re.compile(r"(?:site|dist)-packages[/\\]([^/\\.]+)")
_STANDARD: Final = re.compile(r"[/\\]lib[/\\]python3[^/\\]*[/\\]|^<frozen")


def read(stack: str) -> tuple[Raised, ...]:
    """Oldest first. Empty where the text is no Python traceback."""
    if _HEADER not in stack:
        return ()
    relation: str | None = None
    chain: list[Raised] = []
    block: list[str] = []
    for line in stack.splitlines():
        said = _RELATIONS.get(line.strip())
        if said is None:
            block.append(line)
            continue
        chain.append(_raised(block, relation))
        block, relation = [], said
    return (*chain, _raised(block, relation))


def _raised(block: Sequence[str], relation: str | None) -> Raised:
    frames: list[Frame] = []
    heading: list[str] = []
    for line in block:
        if match := _FRAME.match(line):
            frames.append(
                Frame(file=match["file"], line=int(match["line"]), function=match["function"] or "", code="")
            )
            heading = []
        elif line.startswith("    ") and frames and not heading:
            frames[-1] = _with_code(frames[-1], line.strip())
        elif line.strip() and line.strip() != _HEADER:
            heading.append(line)
    return Raised(relation=relation, heading="\n".join(heading).strip(), runs=tuple(_runs(frames)))


def _with_code(frame: Frame, code: str) -> Frame:
    """The first line below a frame is its code; lines of ~~^^ marks are no code."""
    if frame.code or not code.strip("~^ "):
        return frame
    return Frame(file=frame.file, line=frame.line, function=frame.function, code=code)


def _runs(frames: Sequence[Frame]) -> Iterator[FrameRun]:
    for is_library, some in groupby(frames, key=lambda frame: bool(library_of(frame.file))):
        run = tuple(some)
        names = dict.fromkeys(library_of(frame.file) for frame in run) if is_library else {}
        yield FrameRun(frames=run, libraries=tuple(name for name in names if name))


def library_of(file: str) -> str | None:
    """The package a file belongs to; None for the user's own code."""
    if package := _PACKAGE.search(file):
        return package[1]
    return "Python" if _STANDARD.search(file) else None
