"""What the routes get from the application: a reader and the store."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request

from toolwatch_server.domain.forwarding import Forwarding
from toolwatch_server.domain.keeping import Kept
from toolwatch_server.domain.span import Span
from toolwatch_server.storage.engine import Reader


@dataclass(frozen=True, slots=True)
class Context:
    """Handed in by the composition root, as app.state.api."""

    open_reader: Callable[[], AbstractContextManager[Reader]]
    delete_trace: Callable[[str], int]
    decode: Callable[[bytes], Span]
    counts: Callable[[], Mapping[str, int]]
    queue_bytes: Callable[[], int]
    forwarding: Callable[[], Sequence[Forwarding]]
    kept: Callable[[], Kept]
    pin: Callable[[str], bool]
    unpin: Callable[[str], bool]
    version: str
    started_ns: int


def context(request: Request) -> Context:
    found: Any = request.app.state.api
    assert isinstance(found, Context)  # noqa: S101  # set by the composition root
    return found


Ctx = Annotated[Context, Depends(context)]


def reader(ctx: Ctx) -> Iterator[Reader]:
    with ctx.open_reader() as db:
        yield db


Db = Annotated[Reader, Depends(reader)]
