"""Redacted protobuf messages as plain Python."""

import math
from collections.abc import Iterable

from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1 import trace_pb2

from toolwatch_server.domain.span import Attributes, Event, LogRecord, Span, Value


def span_of(span: trace_pb2.Span, resource: Attributes, scope: InstrumentationScope) -> Span:
    return Span(
        trace_id=span.trace_id.hex(),
        span_id=span.span_id.hex(),
        parent_span_id=_id(span.parent_span_id),
        name=span.name,
        kind=span.kind,
        start_ns=span.start_time_unix_nano,
        end_ns=span.end_time_unix_nano,
        status_code=span.status.code,
        status_message=span.status.message,
        attributes=pairs(span.attributes),
        events=tuple(
            Event(name=e.name, time_ns=e.time_unix_nano, attributes=pairs(e.attributes)) for e in span.events
        ),
        resource=resource,
        scope_name=scope.name,
        scope_version=scope.version,
    )


def log_of(log: logs_pb2.LogRecord, resource: Attributes, scope: InstrumentationScope) -> LogRecord:
    attributes = pairs(log.attributes)
    named = attributes.get("event.name")  # where senders put it before the field existed
    return LogRecord(
        trace_id=_id(log.trace_id),
        span_id=_id(log.span_id),
        event_name=log.event_name or (named if isinstance(named, str) else ""),
        time_ns=log.time_unix_nano or log.observed_time_unix_nano,
        body=value(log.body),
        attributes=attributes,
        resource=resource,
        scope_name=scope.name,
    )


def resource_of(resource: Resource) -> Attributes:
    return pairs(resource.attributes)


def pairs(given: Iterable[KeyValue]) -> dict[str, Value]:
    return {pair.key: value(pair.value) for pair in given}


def value(given: AnyValue) -> Value:
    """An unset value is None. NaN and the infinities become texts: JSON has no word for them."""
    kind = given.WhichOneof("value")
    if kind is None:
        return None
    if kind == "array_value":
        return [value(item) for item in given.array_value.values]
    if kind == "kvlist_value":
        return pairs(given.kvlist_value.values)
    held: str | bool | int | float | bytes = getattr(given, kind)
    return str(held) if isinstance(held, float) and not math.isfinite(held) else held


def _id(raw: bytes) -> str:
    """ "" for none, and for the all-zero id, which means none."""
    return raw.hex() if raw.strip(b"\0") else ""
