"""A JSON value as a bounded tree to look at, each field beside what is wrong with it.

Strings stay strings, whatever they contain; one that reads as a list or an object gets a second view.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

MAX_DEPTH: Final = 6
MAX_CHILDREN: Final = 50
MAX_STRING_CHARS: Final = 2_000
# What redaction leaves in place of a secret: [rule-name], perhaps with a fingerprint.
_MARK: Final = re.compile(
    r"(\[(?:redaction failed|[a-z][a-z0-9]*(?:-[a-z0-9]+)+(?::(?:[0-9a-f]{6}){1,2})?)\])"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of text; rule is set where something was redacted."""

    text: str
    redacted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    field: str
    reason: str
    expected: str | None = None
    received: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """kind: object, array, string, number, literal or missing. hidden counts the children not shown."""

    key: str | None
    kind: str
    pieces: tuple[Piece, ...] = ()
    children: tuple["Node", ...] = ()
    hidden: int = 0
    cut: bool = False
    looks_like: "Node | None" = None
    problems: tuple[Problem, ...] = ()

    @property
    def troubled(self) -> bool:
        return bool(self.problems) or any(child.troubled for child in self.children)


def pieces(text: str) -> tuple[Piece, ...]:
    """Text split at the marks that redaction left."""
    parts = _MARK.split(text)
    return tuple(Piece(text=part, redacted=index % 2 == 1) for index, part in enumerate(parts) if part)


@dataclass(frozen=True, slots=True)
class _Spot:
    """Where in the value we are, what is known to be wrong in it, and how much deeper to look."""

    path: str
    problems: Sequence[Problem]
    depth: int

    def below(self, name: str) -> "_Spot":
        return _Spot(f"{self.path}.{name}" if self.path else name, self.problems, self.depth - 1)

    def own(self) -> tuple[Problem, ...]:
        return tuple(problem for problem in self.problems if self.path and problem.field == self.path)

    def next_names(self) -> set[str]:
        """The names, one step below, on the way to every field with a problem."""
        prefix = f"{self.path}." if self.path else ""
        fields = [p.field for p in self.problems if p.field.startswith(prefix)]
        return {field[len(prefix) :].split(".", 1)[0] for field in fields} - {""}


def tree(value: object, problems: Sequence[Problem] = ()) -> Node:
    """The value, with a ghost for each field that a problem names and the value lacks."""
    return _node(None, value, _Spot("", problems, MAX_DEPTH))


def _node(key: str | None, value: object, spot: _Spot) -> Node:
    if isinstance(value, Mapping):
        node = _object(key, value, spot)
    elif isinstance(value, list | tuple):
        node = _container(key, "array", [(str(index), item) for index, item in enumerate(value)], spot)
    elif isinstance(value, str):
        node = _string(key, value, spot.depth)
    else:
        kind = "number" if isinstance(value, int | float) and not isinstance(value, bool) else "literal"
        node = Node(key=key, kind=kind, pieces=(Piece(text=json.dumps(value, default=str)),))
    return replace(node, problems=spot.own())


def _object(key: str | None, value: Mapping[str, object], spot: _Spot) -> Node:
    node = _container(key, "object", [(str(name), item) for name, item in value.items()], spot)
    missing = sorted(name for name in spot.next_names() if name not in value)
    return replace(node, children=(*node.children, *(_ghost(name, spot.below(name)) for name in missing)))


def _container(key: str | None, kind: str, items: list[tuple[str, object]], spot: _Spot) -> Node:
    if spot.depth == 0:
        return Node(key=key, kind=kind, hidden=len(items))
    shown = tuple(_node(name, item, spot.below(name)) for name, item in items[:MAX_CHILDREN])
    return Node(key=key, kind=kind, children=shown, hidden=len(items) - len(shown))


def _string(key: str | None, value: str, depth: int) -> Node:
    shown = value[:MAX_STRING_CHARS]
    return Node(
        key=key,
        kind="string",
        pieces=pieces(json.dumps(shown, ensure_ascii=False)),
        cut=len(shown) < len(value),
        looks_like=_looks_like(value, depth) if len(shown) == len(value) else None,
    )


def _looks_like(text: str, depth: int) -> Node | None:
    if depth == 0 or text.strip()[:1] not in ("{", "["):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return _node(None, value, _Spot("", (), depth - 1))


def _ghost(name: str, spot: _Spot) -> Node:
    inside = tuple(p for p in spot.problems if p.field == spot.path or p.field.startswith(f"{spot.path}."))
    return Node(key=name, kind="missing", problems=inside)
