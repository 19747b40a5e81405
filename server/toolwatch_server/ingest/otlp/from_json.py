"""OTLP/JSON to protobuf messages.

protobuf's own JSON mapping is no use here: it takes ids for base64, where OTLP writes hex. 64-bit numbers
come as decimal texts or as numbers; unknown fields are ignored; null and absent are the default.
"""

import json
from collections.abc import Sequence
from typing import Any, Final, TypeVar

import msgspec
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1 import common_pb2 as common
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.resource.v1 import resource_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

from toolwatch_server.errors import Undecodable
from toolwatch_server.ingest.otlp import json_shapes as shape

Request = TypeVar("Request", shape.Traces, shape.Logs)

# protobuf reads no more than 100 levels, and each of ours takes three.
DEEPEST: Final = 28
TOO_DEEP: Final = "[nested too deeply]"

_TRACES = msgspec.json.Decoder(shape.Traces)
_LOGS = msgspec.json.Decoder(shape.Logs)


def traces(body: bytes) -> ExportTraceServiceRequest:
    """Raises Undecodable."""
    try:
        read = _read(body, _TRACES)
        return ExportTraceServiceRequest(
            resource_spans=[_resource_spans(r) for r in read.resource_spans or ()]
        )
    except (ValueError, TypeError) as error:
        raise Undecodable(f"The body is not OTLP/JSON traces: {error}.") from None


def logs(body: bytes) -> ExportLogsServiceRequest:
    """Raises Undecodable."""
    try:
        read = _read(body, _LOGS)
        return ExportLogsServiceRequest(resource_logs=[_resource_logs(r) for r in read.resource_logs or ()])
    except (ValueError, TypeError) as error:
        raise Undecodable(f"The body is not OTLP/JSON logs: {error}.") from None


def _read(body: bytes, decoder: "msgspec.json.Decoder[Request]") -> Request:
    try:
        return decoder.decode(body)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        # JavaScript writes half characters (a cut emoji) that strict readers refuse; the rest of it is fine.
        lenient = json.dumps(json.loads(body.decode("utf-8", "replace")), ensure_ascii=False)
        return decoder.decode(lenient.encode("utf-8", "replace"))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _resource_spans(r: shape.ResourceSpans) -> trace_pb2.ResourceSpans:
    return trace_pb2.ResourceSpans(
        resource=_resource(r.resource),
        scope_spans=[
            trace_pb2.ScopeSpans(
                scope=_scope(s.scope), spans=[_span(x) for x in s.spans or ()], schema_url=s.schema_url or ""
            )
            for s in r.scope_spans or ()
        ],
        schema_url=r.schema_url or "",
    )


def _resource_logs(r: shape.ResourceLogs) -> logs_pb2.ResourceLogs:
    return logs_pb2.ResourceLogs(
        resource=_resource(r.resource),
        scope_logs=[
            logs_pb2.ScopeLogs(
                scope=_scope(s.scope),
                log_records=[_log(x) for x in s.log_records or ()],
                schema_url=s.schema_url or "",
            )
            for s in r.scope_logs or ()
        ],
        schema_url=r.schema_url or "",
    )


def _resource(r: shape.Resource | None) -> resource_pb2.Resource | None:
    return None if r is None else resource_pb2.Resource(attributes=_pairs(r.attributes))


def _scope(s: shape.Scope | None) -> common.InstrumentationScope | None:
    if s is None:
        return None
    return common.InstrumentationScope(
        name=s.name or "", version=s.version or "", attributes=_pairs(s.attributes)
    )


def _span(s: shape.Span) -> trace_pb2.Span:
    return trace_pb2.Span(
        trace_id=_id(s.trace_id),
        span_id=_id(s.span_id),
        trace_state=s.trace_state or "",
        parent_span_id=_id(s.parent_span_id),
        flags=_number(s.flags, 2**32),
        name=s.name or "",
        kind=_number(s.kind, 2**31),  # type: ignore[arg-type]  # open enums: any number is kept
        start_time_unix_nano=_number(s.start_time_unix_nano),
        end_time_unix_nano=_number(s.end_time_unix_nano),
        attributes=_pairs(s.attributes),
        events=[_event(e) for e in s.events or ()],
        links=[_link(x) for x in s.links or ()],
        status=None if s.status is None else _status(s.status),
    )


def _status(s: shape.Status) -> trace_pb2.Status:
    return trace_pb2.Status(
        message=s.message or "",
        code=_number(s.code, 2**31),  # type: ignore[arg-type]  # open enums: any number is kept
    )


def _event(e: shape.Event) -> trace_pb2.Span.Event:
    return trace_pb2.Span.Event(
        time_unix_nano=_number(e.time_unix_nano), name=e.name or "", attributes=_pairs(e.attributes)
    )


def _link(x: shape.Link) -> trace_pb2.Span.Link:
    return trace_pb2.Span.Link(
        trace_id=_id(x.trace_id),
        span_id=_id(x.span_id),
        trace_state=x.trace_state or "",
        attributes=_pairs(x.attributes),
    )


def _log(x: shape.LogRecord) -> logs_pb2.LogRecord:
    return logs_pb2.LogRecord(
        time_unix_nano=_number(x.time_unix_nano),
        observed_time_unix_nano=_number(x.observed_time_unix_nano),
        severity_number=_number(x.severity_number, 2**31),  # type: ignore[arg-type]  # open enums
        severity_text=x.severity_text or "",
        body=None if x.body is None else _any(x.body),
        attributes=_pairs(x.attributes),
        flags=_number(x.flags, 2**32),
        trace_id=_id(x.trace_id),
        span_id=_id(x.span_id),
        event_name=x.event_name or "",
    )


def _pairs(pairs: Sequence[shape.KeyValue] | None, depth: int = 0) -> list[common.KeyValue]:
    return [
        common.KeyValue(key=p.key or "", value=None if p.value is None else _any(p.value, depth))
        for p in pairs or ()
    ]


def _any(v: shape.AnyValue, depth: int = 0) -> common.AnyValue:
    if depth > DEEPEST:
        return common.AnyValue(string_value=TOO_DEEP)
    if v.array_value is not None:
        values = [_any(item, depth + 1) for item in v.array_value.values or ()]
        return common.AnyValue(array_value=common.ArrayValue(values=values))
    if v.kvlist_value is not None:
        pairs = _pairs(v.kvlist_value.values, depth + 1)
        return common.AnyValue(kvlist_value=common.KeyValueList(values=pairs))
    if v.int_value is not None:
        return _integer(int(v.int_value))
    scalars: dict[str, Any] = {
        "string_value": v.string_value,
        "bool_value": v.bool_value,
        "double_value": None if v.double_value is None else float(v.double_value),
        "bytes_value": v.bytes_value,
    }
    return common.AnyValue(**{name: held for name, held in scalars.items() if held is not None})


def _integer(number: int) -> common.AnyValue:
    fits = -(2**63) <= number < 2**63
    return common.AnyValue(int_value=number) if fits else common.AnyValue(string_value=str(number))


def _id(text: str | None) -> bytes:
    try:
        return bytes.fromhex(text or "")
    except ValueError:
        return b"?"  # no id at all, so that this span is refused and not its whole request


def _number(value: int | str | None, below: int = 2**64) -> int:
    number = int(value or 0)
    return number if 0 <= number < below else below - 1  # an absurd time; that span is refused later
