"""Whole calls for the JSON list."""

from collections.abc import Sequence

from toolwatch_server.domain.call import Call
from toolwatch_server.storage.engine import Reader
from toolwatch_server.storage.queries._calls import assembled


def load_calls(db: Reader, keys: Sequence[str]) -> tuple[Call, ...]:
    """In the order of keys; a key that is not there (any more) is left out."""
    return tuple(assembled(db, keys).values())
