"""rules.json as it is: patterns and words, shared with the Go module."""

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def table() -> dict[str, Any]:
    text = files("toolwatch.redaction").joinpath("rules.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


@cache
def words(name: str) -> frozenset[str]:
    """One of the lists of words, for example the nouns that stand for a secret."""
    return frozenset(table()["words"][name])
