"""The tree of a trace as lines: folded where the reader folded it, narrowed to what they look for. Pure."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from toolwatch_server.pages.timeline import Item

DEEPEST: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """inside counts what hangs directly below; where it is folded, everything below."""

    item: Item
    depth: int
    inside: int
    folded: bool
    found: bool
    critical: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """found counts the lines that hold the words; lines also has what they hang below. None: not asked."""

    lines: tuple[Shown, ...]
    total: int
    found: int | None


def outline(
    roots: Sequence[Item], *, folded: Collection[str] = (), words: str = "", critical: Collection[int] = ()
) -> Outline:
    """Depth first, by time. A search opens every fold."""
    kept = _holding(roots, words.casefold().split()) if words.strip() else None
    lines = tuple(_lines(roots, set() if kept is not None else folded, kept, critical))
    total = sum(1 for _ in every(roots))
    found = None if kept is None else sum(kept.values())
    return Outline(lines=lines, total=total, found=found)


def every(roots: Iterable[Item]) -> Iterator[Item]:
    waiting = list(roots)
    while waiting:
        item = waiting.pop()
        yield item
        waiting.extend(item.inside)


def _lines(
    roots: Sequence[Item], folded: Collection[str], kept: dict[int, bool] | None, critical: Collection[int]
) -> Iterator[Shown]:
    """No recursion: a chain of spans may be longer than Python's stack."""
    waiting = [(item, 0) for item in _latest_first(roots)]
    while waiting:
        item, depth = waiting.pop()
        if kept is not None and id(item) not in kept:
            continue
        is_folded = item.id in folded and bool(item.inside)
        yield Shown(
            item=item,
            depth=min(depth, DEEPEST),
            critical=id(item) in critical,
            inside=sum(1 for _ in every(item.inside)) if is_folded else len(item.inside),
            folded=is_folded,
            found=kept is not None and kept[id(item)],
        )
        if not is_folded:
            waiting.extend((inner, depth + 1) for inner in _latest_first(item.inside))


def _latest_first(items: Iterable[Item]) -> list[Item]:
    return sorted(items, key=lambda item: (item.start_ns, item.place), reverse=True)


def _holding(roots: Sequence[Item], words: Sequence[str]) -> dict[int, bool]:
    """Items that hold all the words (True), and those above them (False)."""
    above: dict[int, Item | None] = {id(item): None for item in roots}
    kept: dict[int, bool] = {}
    for item in every(roots):
        above |= {id(inner): item for inner in item.inside}
        if all(word in item.words for word in words):
            kept[id(item)] = True
            parent = above[id(item)]
            while parent is not None and id(parent) not in kept:
                kept[id(parent)] = False
                parent = above[id(parent)]
    return kept
