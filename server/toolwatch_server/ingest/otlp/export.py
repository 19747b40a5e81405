"""Kept records as OTLP again, in both encodings, and as spans."""

import base64
import json
from typing import Any, Final

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from opentelemetry.proto.logs.v1.logs_pb2 import ResourceLogs
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans

from toolwatch_server.domain.span import Span
from toolwatch_server.ingest.otlp.mend import varint
from toolwatch_server.ingest.otlp.plain import resource_of, span_of

SPANS_FIELD: Final = 1  # resource_spans in TracesData and in ExportTraceServiceRequest
# OTLP has no message that holds spans and log records; readers of OTLP pass over a field they do not know.
LOGS_FIELD: Final = 4317
_LENGTH_DELIMITED: Final = 2
_IDS: Final = frozenset({"traceId", "spanId", "parentSpanId"})


def span_of_raw(raw: bytes) -> Span:
    """The one span of a kept ResourceSpans."""
    kept = ResourceSpans.FromString(raw)
    scoped = kept.scope_spans[0]
    return span_of(scoped.spans[0], resource_of(kept.resource), scoped.scope)


def framed(raw: bytes, field: int) -> bytes:
    """One piece of a request in protobuf, byte for byte of what is kept; pieces joined are a request."""
    return varint(field << 3 | _LENGTH_DELIMITED) + varint(len(raw)) + raw


def spans_json(raw: bytes) -> str:
    """A ResourceSpans as OTLP/JSON: ids in hex, 64-bit numbers as texts, enums as numbers."""
    return _json(ResourceSpans.FromString(raw))


def logs_json(raw: bytes) -> str:
    """A ResourceLogs, likewise."""
    return _json(ResourceLogs.FromString(raw))


def _json(message: Message) -> str:
    return json.dumps(_with_hex_ids(MessageToDict(message, use_integers_for_enums=True)))


def _with_hex_ids(value: Any) -> Any:
    """protobuf's JSON mapping writes ids in base64. No attribute is touched: their names are values here."""
    if isinstance(value, list):
        return [_with_hex_ids(item) for item in value]
    if isinstance(value, dict):
        return {
            name: base64.b64decode(item).hex() if name in _IDS else _with_hex_ids(item)
            for name, item in value.items()
        }
    return value
