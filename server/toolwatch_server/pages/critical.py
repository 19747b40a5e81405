"""What made a trace as long as it is: from its end backwards, always what ended last before. Pure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from toolwatch_server.pages.timeline import Item


@dataclass(frozen=True, slots=True, kw_only=True)
class Critical:
    """ids are id() of the items on the path; shares is (label, own nanoseconds on it), longest first."""

    ids: frozenset[int]
    shares: tuple[tuple[str, int], ...]


def critical_path(roots: Sequence[Item], start_ns: int, end_ns: int) -> Critical:
    """Time that no shown line accounts for belongs to the line above it, at the top to nobody."""
    on: set[int] = set()
    own: Counter[str] = Counter()
    waiting: list[tuple[Item | None, Sequence[Item], int, int]] = [(None, roots, start_ns, end_ns)]
    while waiting:
        item, inside, begin, end = waiting.pop()
        chosen = _chosen(inside, begin, end)
        if item is not None:
            on.add(id(item))
            own[item.label] += end - begin - sum(last - first for _, first, last in chosen)
        waiting.extend((child, child.inside, first, last) for child, first, last in chosen)
    return Critical(ids=frozenset(on), shares=tuple(own.most_common()))


def _chosen(items: Sequence[Item], begin: int, end: int) -> list[tuple[Item, int, int]]:
    """From the end backwards the items that did not overlap with the one chosen before."""
    found: list[tuple[Item, int, int]] = []
    cursor = end
    for item in sorted(items, key=lambda item: item.end_ns, reverse=True):
        last = min(item.end_ns, end)
        first = max(item.start_ns, begin)
        if first < last <= cursor:
            found.append((item, first, last))
            cursor = first
    return found
