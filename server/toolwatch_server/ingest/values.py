"""Values that senders pack into texts: JSON, JSON of JSON, and, as a last resort, what Python prints."""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from toolwatch_server.domain.span import Value

NO_ID: Final = frozenset({"", "<not specified>", "null", "None", "undefined"})  # what SDKs write for none
_PRINTED_MAX: Final = 100_000


def clean_id(value: object) -> str | None:
    """A tool_call_id without the quotes of a JSON text around it."""
    if isinstance(value, str) and len(value) > 1 and value[0] == value[-1] == '"':
        value = unpacked(value)
    return value if isinstance(value, str) and value not in NO_ID else None


def as_text(value: object) -> str | None:
    """A text as it is, anything else as JSON."""
    if value is None or isinstance(value, str):
        return value
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError):
        return None


def name_of(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def unpacked(value: Any) -> Any:
    """The JSON value of a text that begins like one; anything else as it is."""
    if isinstance(value, str) and value[:1] in '{["':
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def mapping(value: Any) -> Mapping[str, Any]:
    """The JSON object that the value is or holds; an empty one when it is something else."""
    found = unpacked(value)
    return found if isinstance(found, Mapping) else {}


def maps(value: Any) -> Iterator[Mapping[str, Any]]:
    found = unpacked(value)
    if isinstance(found, list | tuple):
        yield from (item for item in found if isinstance(item, Mapping))


def plain_text(value: object) -> str | None:
    """A result as a person would read it: a JSON text without its quotes."""
    if isinstance(value, str) and len(value) > 1 and value[0] == value[-1] == '"':
        inner = unpacked(value)
        return inner if isinstance(inner, str) else value
    return as_text(value)


def printed(text: str, name: str) -> Any:
    """The value of `name=…` or `'name': …` in what Python prints for an object; None when not read.

    Only literals are read, nothing is run.
    """
    found = re.search(rf"(?:\b{re.escape(name)}=|['\"]{re.escape(name)}['\"]:\s*)", text[:_PRINTED_MAX])
    return None if found is None else _literal(text[found.end() : _PRINTED_MAX])


def _literal(text: str) -> Any:
    """The Python literal that a text begins with."""
    end = _end_of_literal(text)
    try:
        return ast.literal_eval(text[:end]) if end else None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


# A text in quotes, an opening or closing bracket, or a comma.
_TOKEN: Final = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|[()\[\]{},]", re.DOTALL)


def _end_of_literal(text: str) -> int:
    depth = 0
    for token in _TOKEN.finditer(text):
        if token[0] in ")]},":
            if depth == 0:
                return token.start()
            depth -= token[0] != ","
        depth += token[0] in "([{"
    return len(text)


def numbered(attributes: Mapping[str, Value], prefix: str) -> list[dict[str, Any]]:
    """Attributes spelled `prefix.0.name`, `prefix.1.name.2.other` as the list of objects that they spell."""
    tree: dict[str, Any] = {}
    for key, value in attributes.items():
        if key.startswith(prefix) and key[len(prefix) : len(prefix) + 1] == ".":
            _put(tree, key[len(prefix) + 1 :].split("."), value)
    found = _listed(tree)
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def _put(tree: dict[str, Any], path: list[str], value: Value) -> None:
    for name in path[:-1]:
        below = tree.setdefault(name, {})
        if not isinstance(below, dict):
            return
        tree = below
    tree.setdefault(path[-1], value)


def _listed(tree: Any) -> Any:
    if not isinstance(tree, dict):
        return tree
    if tree and all(name.isdigit() for name in tree):
        return [_listed(tree[name]) for name in sorted(tree, key=int)]
    return {name: _listed(value) for name, value in tree.items()}
