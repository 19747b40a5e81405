"""What every handler is handed: a reader of the database and the time."""

import time
from collections.abc import Iterator
from typing import Annotated, TypeAlias

from fastapi import Depends, Request

from toolwatch_server.storage.engine import Reader


def _reader(request: Request) -> Iterator[Reader]:
    with request.app.state.open_reader() as reader:
        yield reader


def _now_ns() -> int:
    return time.time_ns()


Database: TypeAlias = Annotated[Reader, Depends(_reader)]
Now: TypeAlias = Annotated[int, Depends(_now_ns)]
