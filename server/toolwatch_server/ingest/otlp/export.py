"""Kept records as OTLP again, in both encodings, and as spans."""

import base64
import json
from collections.abc import Iterable
from typing import Any, Final

from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans

from toolwatch_server.domain.span import Span
from toolwatch_server.ingest.otlp.mend import varint
from toolwatch_server.ingest.otlp.plain import resource_of, span_of

_IDS: Final = frozenset({"traceId", "spanId", "parentSpanId"})
_FIRST_FIELD: Final = b"\x0a"  # resource_spans in TracesData and in ExportTraceServiceRequest


def span_of_raw(raw: bytes) -> Span:
    """The one span of a kept ResourceSpans."""
    kept = ResourceSpans.FromString(raw)
    scoped = kept.scope_spans[0]
    return span_of(scoped.spans[0], resource_of(kept.resource), scoped.scope)


def as_protobuf(raws: Iterable[bytes]) -> bytes:
    """An ExportTraceServiceRequest, byte for byte of what is kept."""
    return b"".join(_FIRST_FIELD + varint(len(raw)) + raw for raw in raws)


def as_json(raws: Iterable[bytes]) -> bytes:
    """The same as OTLP/JSON: ids in hex, 64-bit numbers as texts, enums as numbers."""
    spans = [
        _with_hex_ids(MessageToDict(ResourceSpans.FromString(raw), use_integers_for_enums=True))
        for raw in raws
    ]
    return json.dumps({"resourceSpans": spans}).encode()


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
