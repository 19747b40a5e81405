"""A whole transaction: all of it, or nothing and a reason."""

from collections.abc import Callable
from typing import Final, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from toolwatch_server.errors import StorageDown
from toolwatch_server.storage.dialect import must_retry
from toolwatch_server.storage.engine import location

T = TypeVar("T")
_TRIES: Final = 5


def in_transaction(engine: Engine, work: Callable[[Connection], T]) -> T:
    """Committed when it returns. Raises StorageDown when the database does not answer."""
    for attempt in range(1, _TRIES + 1):
        try:
            with engine.begin() as db:
                return work(db)
        except DBAPIError as error:
            if not must_retry(error) or attempt == _TRIES:
                raise StorageDown(f"the database {location(engine.url)} failed: {error.orig}") from error
        except PoolTimeout as error:
            raise StorageDown(f"the database {location(engine.url)} is busy") from error
    raise AssertionError("the last try returns or raises")
