"""A JSON value as a bounded tree to look at, each field beside what is wrong with it.

Strings stay strings, whatever they contain; one that reads as a list or an object gets a second view of its own.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

MAX_DEPTH: Final = 6
MAX_CHILDREN: Final = 50
MAX_STRING_CHARS: Final = 2_000
# What redaction leaves in place of a secret: [rule-name], perhaps with a fingerprint. Names of rules hold a hyphen.
_MARK: Final = re.compile(r"(\[(?:redaction failed|[a-z][a-z0-9]*(?:-[a-z0-9]+)+(?::[0-9a-f]{6})?)\])")


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
    """kind: object, array, string, number, literal or missing. hidden counts the children that are not shown."""

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


def tree(value: object, problems: Sequence[Problem] = ()) -> Node:
    """The value, with a ghost for each field that a problem names and the value lacks."""
    return _node(None, value, "", problems, MAX_DEPTH)


def _node(key: str | None, value: object, path: str, problems: Sequence[Problem], depth: int) -> Node:
    own = tuple(problem for problem in problems if problem.field == path and path)
    if isinstance(value, Mapping):
        return replace(_object(key, value, path, problems, depth), problems=own)
    if isinstance(value, list | tuple):
        named = [(str(index), item) for index, item in enumerate(value)]
        return replace(_container(key, "array", named, path, problems, depth), problems=own)
    if isinstance(value, str):
        return replace(_string(key, value, depth), problems=own)
    kind = "number" if isinstance(value, int | float) and not isinstance(value, bool) else "literal"
    return Node(key=key, kind=kind, pieces=(Piece(text=json.dumps(value, default=str)),), problems=own)


def _object(
    key: str | None, value: Mapping[str, object], path: str, problems: Sequence[Problem], depth: int
) -> Node:
    node = _container(
        key, "object", [(str(name), item) for name, item in value.items()], path, problems, depth
    )
    missing = {
        name for problem in problems if (name := _child_name(problem.field, path)) and name not in value
    }
    ghosts = [_ghost(name, _join(path, name), problems) for name in sorted(missing)]
    return replace(node, children=(*node.children, *ghosts))


def _container(
    key: str | None,
    kind: str,
    items: list[tuple[str, object]],
    path: str,
    problems: Sequence[Problem],
    depth: int,
) -> Node:
    if depth == 0:
        return Node(key=key, kind=kind, hidden=len(items))
    shown = [_node(name, item, _join(path, name), problems, depth - 1) for name, item in items[:MAX_CHILDREN]]
    return Node(key=key, kind=kind, children=tuple(shown), hidden=len(items) - len(shown))


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
    return _node(None, value, "", (), depth - 1)


def _ghost(name: str, path: str, problems: Sequence[Problem]) -> Node:
    own = tuple(p for p in problems if p.field == path or p.field.startswith(path + "."))
    return Node(key=name, kind="missing", problems=own)


def _child_name(field: str, path: str) -> str | None:
    """The step below path on the way to field; a numeric step means a list and is no missing field."""
    if path and not field.startswith(path + "."):
        return None
    rest = field[len(path) + 1 :] if path else field
    return rest.split(".", 1)[0] or None


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
