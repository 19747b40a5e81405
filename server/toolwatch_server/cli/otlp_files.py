"""Files of OTLP and of Jaeger's JSON as requests of a bearable size.

Understood: a request in protobuf, with log records beside the spans as `toolwatch export` writes it; the
files of the OpenTelemetry Collector's file exporter (a JSON request a line, or protobuf with the length
before each); one JSON document, OTLP's or Jaeger's; each also packed by gzip.
"""

import gzip
import io
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import IO, Final, NamedTuple

import msgspec
from google.protobuf.message import DecodeError
from opentelemetry.proto.logs.v1.logs_pb2 import ResourceLogs
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans

from toolwatch_server.cli.jaeger_file import otlp_of_jaeger
from toolwatch_server.errors import ToolwatchError
from toolwatch_server.ingest.otlp.export import LOGS_FIELD, SPANS_FIELD, framed
from toolwatch_server.ingest.otlp.media import JSON, PROTOBUF

REQUEST_BYTES: Final = 2_000_000  # a server takes much more, but this one is told of progress more often
_LENGTH_BYTES: Final = 4  # before each message of the Collector's protobuf files
_GZIP: Final = b"\x1f\x8b"
TRACES: Final = "/v1/traces"
LOGS: Final = "/v1/logs"


class Request(NamedTuple):
    path: str
    body: bytes
    media: str


class Document(msgspec.Struct, rename={"spans": "resourceSpans", "logs": "resourceLogs"}):
    spans: list[msgspec.Raw] | None = None
    logs: list[msgspec.Raw] | None = None
    data: list[msgspec.Raw] | None = None  # Jaeger's traces


def requests_of(path: Path) -> Iterator[tuple[Request, int]]:
    """Each with how far into the file one is. Raises ToolwatchError for what is none of the above."""
    try:
        with path.open("rb") as file:
            packed = file.read(2) == _GZIP
            file.seek(0)
            plain: IO[bytes] = io.BufferedReader(gzip.GzipFile(fileobj=file)) if packed else file
            for request in _requests(plain):
                yield request, file.tell()
    except (OSError, EOFError) as error:
        raise ToolwatchError(f"Cannot read {path}: {getattr(error, 'strerror', None) or error}.") from None
    except (ValueError, msgspec.DecodeError) as error:
        raise ToolwatchError(f"{path} is not an OTLP or Jaeger file: {error}.") from None


def _requests(file: IO[bytes]) -> Iterator[Request]:
    first = file.read(1)
    while first in (b" ", b"\t", b"\r"):  # a line break is the first byte of a request in protobuf
        first = file.read(1)
    if first in (b"{", b""):
        yield from _of_json(first, file)
    elif first == b"\0":
        yield from _of_messages(first, file)
    else:
        yield from _grouped(_fields(first, file))


def _of_json(first: bytes, file: IO[bytes]) -> Iterator[Request]:
    """A document a line, or one document over many lines."""
    line = first + file.readline()
    try:
        document: Document | None = msgspec.json.decode(line, type=Document) if line.strip() else None
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        document, file = msgspec.json.decode(line + file.read(), type=Document), io.BytesIO()
    if document is not None:
        yield from _of_document(document)
    for line in file:
        if line.strip():
            yield from _of_document(msgspec.json.decode(line, type=Document))


def _of_document(document: Document) -> Iterator[Request]:
    if document.spans is None and document.logs is None and document.data is None:
        raise ValueError("a document has neither resourceSpans nor resourceLogs nor data")
    jaeger = (span for trace in document.data or () for span in otlp_of_jaeger(bytes(trace)))
    for name, path, items in (
        (b"resourceSpans", TRACES, chain(map(bytes, document.spans or ()), jaeger)),
        (b"resourceLogs", LOGS, map(bytes, document.logs or ())),
    ):
        for some in _bearable(items):
            yield Request(path, b'{"%s":[%s]}' % (name, b",".join(some)), JSON)


def _of_messages(first: bytes, file: IO[bytes]) -> Iterator[Request]:
    head = first + file.read(_LENGTH_BYTES - 1)
    while head:
        length = int.from_bytes(head, "big")
        message = file.read(length)
        if len(head) < _LENGTH_BYTES or len(message) < length:
            raise ValueError("it is cut off")
        yield from _grouped(_fields(b"", io.BytesIO(message)))
        head = file.read(_LENGTH_BYTES)


def _grouped(fields: Iterable[tuple[int, bytes]]) -> Iterator[Request]:
    """Pieces of one kind that follow one another, together."""
    waiting: list[bytes] = []
    path, size = TRACES, 0
    for number, content in fields:
        found = LOGS if number == LOGS_FIELD or _are_logs(content) else TRACES
        if waiting and (found != path or size > REQUEST_BYTES):
            yield Request(path, b"".join(waiting), PROTOBUF)
            waiting, size = [], 0
        path, size = found, size + len(content)
        waiting.append(framed(content, SPANS_FIELD))
    if waiting:
        yield Request(path, b"".join(waiting), PROTOBUF)


def _are_logs(content: bytes) -> bool:
    """Spans and log records lie in messages of the same form; only a span begins with an id of 16 bytes."""
    try:
        scopes = ResourceSpans.FromString(content).scope_spans
    except DecodeError:
        return _parse_as_logs(content)
    records = [record for scope in scopes for record in scope.spans]
    return bool(records) and not any(len(record.trace_id) == 16 for record in records)


def _parse_as_logs(content: bytes) -> bool:
    try:
        ResourceLogs.FromString(content)
    except DecodeError:
        return False  # neither: the server mends it, or says what is wrong
    return True


def _fields(first: bytes, file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """The fields of a message in protobuf, which for a request are all of the kind that has a length."""
    while True:
        tag = _varint(first, file)
        first = b""
        if tag is None:
            return
        number, kind = tag >> 3, tag & 7
        length = _varint(b"", file)
        if kind != 2 or length is None or number not in (SPANS_FIELD, LOGS_FIELD):
            raise ValueError("not an OTLP request")
        content = file.read(length)
        if len(content) < length:
            raise ValueError("it is cut off")
        yield number, content


def _varint(first: bytes, file: IO[bytes]) -> int | None:
    number = shift = 0
    while byte := first or file.read(1):
        first = b""
        number |= (byte[0] & 0x7F) << shift
        shift += 7
        if byte[0] < 0x80:
            return number
        if shift > 63:
            raise ValueError("not an OTLP request")
    if shift:
        raise ValueError("it is cut off, or not an OTLP request")
    return None


def _bearable(items: Iterable[bytes]) -> Iterator[list[bytes]]:
    some: list[bytes] = []
    size = 0
    for item in items:
        some.append(item)
        size += len(item)
        if size > REQUEST_BYTES:
            yield some
            some, size = [], 0
    if some:
        yield some
