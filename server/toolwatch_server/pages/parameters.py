"""Whole numbers and words in the query string of a page."""

from collections.abc import Collection

from fastapi import Request

from toolwatch_server.errors import BadFilter

_LARGEST = 2**63 - 1


def whole(request: Request, name: str, *, default: int) -> int:
    """Raises BadFilter for anything but a whole number from 0 on."""
    text = request.query_params.get(name, str(default))
    if not (text.isdecimal() and text.isascii() and len(text) < 20 and int(text) <= _LARGEST):
        raise BadFilter(f"{name} cannot be {text[:80]!r}.", field=name, allowed="a whole number, 0 or more")
    return int(text)


def word(request: Request, name: str, words: Collection[str], *, default: str) -> str:
    """Raises BadFilter for any other word."""
    text = request.query_params.get(name, default)
    if text not in words:
        raise BadFilter(f"{name} cannot be {text[:80]!r}.", field=name, allowed=tuple(words))
    return text
