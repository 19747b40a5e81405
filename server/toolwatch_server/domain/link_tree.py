"""The spans of a trace as a tree, and what is inherited down it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from toolwatch_server.domain.clues import Clue
from toolwatch_server.domain.facts import Origin
from toolwatch_server.domain.link_model import Path

_DEEPEST: Final = 200
INHERITED: Final = (
    "thread_id",
    "run_id",
    "agent",
    "framework",
    "node",
    "service",
    "environment",
    "instance_id",
)


@dataclass(frozen=True, slots=True)
class Tree:
    """clues are oldest first, each with what its ancestors know."""

    clues: tuple[Clue, ...]
    parents: Mapping[str, str]
    by_span: Mapping[str, tuple[Clue, ...]]

    @classmethod
    def of(cls, clues: Iterable[Clue], parents: Mapping[str, str]) -> "Tree":
        known = dict(parents)
        for clue in clues:
            if clue.parent_span_id:
                known.setdefault(clue.span_id, clue.parent_span_id)
        ordered = sorted(clues, key=lambda c: (c.start_ns, c.span_id, c.source))
        bare = cls(tuple(ordered), known, _by_span(ordered))
        full = _with_thread([_inherited(clue, bare) for clue in ordered])
        return cls(tuple(full), known, _by_span(full))

    def ancestors(self, span_id: str) -> Iterator[str]:
        """Nearest first; a parent that has not arrived is the last."""
        seen = {span_id}
        for _ in range(_DEEPEST):
            span_id = self.parents.get(span_id, "")
            if not span_id or span_id in seen:
                return
            seen.add(span_id)
            yield span_id

    def path(self, span_id: str) -> Path:
        return (*reversed(list(self.ancestors(span_id))), span_id)


def common(a: Path, b: Path) -> int:
    """How many ancestors two spans share: the more, the closer."""
    shared = 0
    for one, other in zip(a, b, strict=False):
        if one != other:
            break
        shared += 1
    return shared


def _by_span(clues: Iterable[Clue]) -> dict[str, tuple[Clue, ...]]:
    found: dict[str, list[Clue]] = defaultdict(list)
    for clue in clues:
        found[clue.span_id].append(clue)
    return {span_id: tuple(listed) for span_id, listed in found.items()}


def _inherited(clue: Clue, tree: Tree) -> Clue:
    origin = clue.origin
    for span_id in (clue.span_id, *tree.ancestors(clue.span_id)):
        for above in tree.by_span.get(span_id, ()):
            origin = _completed(origin, above.origin)
    return clue if origin is clue.origin else replace(clue, origin=origin)


def _completed(origin: Origin, above: Origin) -> Origin:
    gaps = {
        name: value
        for name in INHERITED
        if getattr(origin, name) is None and (value := getattr(above, name)) is not None
    }
    return replace(origin, **gaps) if gaps else origin


def _with_thread(clues: list[Clue]) -> list[Clue]:
    """A conversation that only siblings name holds for the whole trace, if they all name the same."""
    threads = {clue.origin.thread_id for clue in clues} - {None}
    if len(threads) != 1:
        return clues
    (thread,) = threads
    return [
        clue if clue.origin.thread_id else replace(clue, origin=replace(clue.origin, thread_id=thread))
        for clue in clues
    ]
