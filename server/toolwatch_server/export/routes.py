"""/api/v1/…/export: a call, a trace, a thread or whatever fits a filter, as a file."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, NamedTuple

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response, StreamingResponse

from toolwatch_server.api.ask import FILTERS, Parameter, described, one_of, values, whole
from toolwatch_server.api.context import Ctx
from toolwatch_server.api.to_text import LEAST_CHARS
from toolwatch_server.domain.filters import CallFilter
from toolwatch_server.errors import NotFound
from toolwatch_server.export import source
from toolwatch_server.export.formats import FORMATS, OF_ONE_CALL, TEXT_CHARS, Format, Pieces
from toolwatch_server.export.source import Source

router = APIRouter(prefix="/api/v1", tags=["exports"])

CHUNK_BYTES: Final = 65_536
_MOST_CHARS: Final = 10_000_000
_UNFIT: Final = re.compile(r"[^A-Za-z0-9._-]+")
OPTIONS: Final = {
    "format": Parameter(
        name="format", sentence="What to write; json unless told.", read=one_of(tuple(FORMATS)),
        allowed=tuple(FORMATS),
    ),
    "max_chars": Parameter(
        name="max_chars",
        sentence=f"How long a text may be, in characters; {TEXT_CHARS} unless told.",
        read=whole(LEAST_CHARS, _MOST_CHARS),
        allowed=f"a whole number from {LEAST_CHARS} to {_MOST_CHARS}",
    ),
}  # fmt: skip
FILTERED: Final = FILTERS | OPTIONS


class Asked(NamedTuple):
    format: str
    max_chars: int
    filter: CallFilter


def _options(request: Request) -> Asked:
    return _read(request, OPTIONS)


def _filtered(request: Request) -> Asked:
    return _read(request, FILTERED)


def _read(request: Request, known: Mapping[str, Parameter]) -> Asked:
    """Raises BadFilter."""
    said: dict[str, Any] = values(request, known)
    format, max_chars = said.pop("format", "json"), said.pop("max_chars", TEXT_CHARS)
    return Asked(format, max_chars, CallFilter(**said))


Options = Annotated[Asked, Depends(_options)]


@router.get("/calls/export", openapi_extra=described(FILTERED))
def calls(asked: Annotated[Asked, Depends(_filtered)], ctx: Ctx) -> Response:
    """All calls that fit every filter, newest first; formats of traces hold whole traces."""
    return _download(source.of_filter(ctx.open_reader, asked.filter), FORMATS, asked, "calls")


@router.get("/calls/{key}/export", openapi_extra=described(OPTIONS))
def call(key: str, asked: Options, ctx: Ctx) -> Response:
    """One call; formats of traces hold every trace that speaks of it."""
    found = source.of_call(ctx.open_reader, key)
    if found is None:
        raise NotFound(f"There is no call with the key {key[:80]!r}.")
    one = next(found.calls())
    name = "-".join(part for part in (one.tool, one.tool_call_id or one.key) if part)
    return _download(found, OF_ONE_CALL, asked, name)


@router.get("/traces/{trace_id}/export", openapi_extra=described(OPTIONS))
def trace(trace_id: str, asked: Options, ctx: Ctx) -> Response:
    """One trace: every span of it, whether or not a call stands behind it."""
    found = source.of_trace(ctx.open_reader, trace_id)
    return _download(_known(found, "trace", trace_id), FORMATS, asked, f"trace-{trace_id}")


@router.get("/threads/{thread_id:path}/export", openapi_extra=described(OPTIONS))
def thread(thread_id: str, asked: Options, ctx: Ctx) -> Response:
    """One conversation, across all its runs."""
    found = source.of_thread(ctx.open_reader, thread_id)
    return _download(_known(found, "thread", thread_id), FORMATS, asked, f"thread-{thread_id}")


def _known(found: Source | None, what: str, id_: str) -> Source:
    if found is None:
        raise NotFound(f"There is no {what} with the id {id_[:80]!r}.")
    return found


def _download(found: Source, formats: Mapping[str, Format], asked: Asked, title: str) -> Response:
    format = formats[asked.format]
    pieces = format.write(found, asked.max_chars)
    how = "inline" if format.shown else "attachment"
    if asked.format == "pytest":
        title = f"test_{title}"  # so that pytest collects it
    name = f"{_UNFIT.sub('-', title)[:80].strip('-.') or 'toolwatch'}.{format.suffix}"
    headers = {"content-disposition": f'{how}; filename="{name}"'}
    return StreamingResponse(_in_chunks(pieces), media_type=format.media_type, headers=headers)


def _in_chunks(pieces: Pieces) -> Iterator[bytes]:
    """Spans are small, and each piece sent costs a switch of threads."""
    chunk = bytearray()
    for piece in pieces:
        chunk += piece.encode("utf-8", "replace") if isinstance(piece, str) else piece
        if len(chunk) >= CHUNK_BYTES:
            yield bytes(chunk)
            chunk.clear()
    yield bytes(chunk)
