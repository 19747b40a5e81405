"""One record cut out of its request as a request of its own: protobuf bytes, with fields unknown to us kept.

The envelope (resource and scope) is encoded once and joined to each record by hand: in protobuf, the
concatenation of two encodings is the encoding of both.
"""

from typing import TypeVar

from google.protobuf.message import Message

from toolwatch_server.ingest.otlp.mend import varint

M = TypeVar("M", bound=Message)

# Field 2 is scope_spans in ResourceSpans, spans in ScopeSpans, and likewise for logs.
_REPEATED = b"\x12"


def without(message: M, inner: str) -> M:
    """A copy of the message that lacks its repeated inner field."""
    shell = type(message)()
    shell.CopyFrom(message)
    shell.ClearField(inner)
    return shell


def wrap(resource: bytes, scope: bytes, record: Message) -> bytes:
    """A ResourceSpans or ResourceLogs that holds the one record."""
    body = record.SerializeToString()
    scoped = scope + _REPEATED + varint(len(body)) + body
    return resource + _REPEATED + varint(len(scoped)) + scoped
