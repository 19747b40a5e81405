"""OTLP requests with defaults: a test names only what it is about."""

import json
import time
from typing import Any

from httpx2 import Response
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span, Status

PROTOBUF = "application/x-protobuf"
JSON = "application/json"
TRACE_ID = "5b8efff798038103d269b633813fc60c"
SPAN_ID = "eee19b7ec3c1b174"


def value(given: Any) -> AnyValue:
    if isinstance(given, bool):
        return AnyValue(bool_value=given)
    if isinstance(given, str):
        return AnyValue(string_value=given)
    if isinstance(given, int):
        return AnyValue(int_value=given)
    if isinstance(given, float):
        return AnyValue(double_value=given)
    if isinstance(given, list):
        return AnyValue(array_value=ArrayValue(values=[value(item) for item in given]))
    return AnyValue(kvlist_value=KeyValueList(values=pairs(given)))


def pairs(attributes: dict[str, Any]) -> list[KeyValue]:
    return [KeyValue(key=name, value=value(given)) for name, given in attributes.items()]


def a_span(
    attributes: dict[str, Any] | None = None,
    *,
    trace_id: str = TRACE_ID,
    span_id: str = SPAN_ID,
    parent: str = "",
    name: str = "work",
    start_ns: int | None = None,
    end_ns: int | None = None,
    failed: str | None = None,
) -> Span:
    start_ns = time.time_ns() - 1_000_000 if start_ns is None else start_ns
    return Span(
        trace_id=bytes.fromhex(trace_id),
        span_id=bytes.fromhex(span_id),
        parent_span_id=bytes.fromhex(parent),
        name=name,
        kind=Span.SPAN_KIND_INTERNAL,
        start_time_unix_nano=start_ns,
        end_time_unix_nano=start_ns + 1_000_000 if end_ns is None else end_ns,
        attributes=pairs(attributes or {}),
        status=None if failed is None else Status(code=Status.STATUS_CODE_ERROR, message=failed),
    )


def a_tool_span(
    tool: str = "get_weather",
    tool_call_id: str | None = "call_1",
    *,
    more: dict[str, Any] | None = None,
    **fields: Any,
) -> Span:
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool, **(more or {})}
    if tool_call_id is not None:
        attributes["gen_ai.tool.call.id"] = tool_call_id
    return a_span(attributes, name=f"execute_tool {tool}", **fields)


def message(
    *spans: Span, service: str = "weather", resource: dict[str, Any] | None = None
) -> ExportTraceServiceRequest:
    scoped = ScopeSpans(spans=spans)
    described = Resource(attributes=pairs({"service.name": service, **(resource or {})}))
    return ExportTraceServiceRequest(resource_spans=[ResourceSpans(resource=described, scope_spans=[scoped])])


def request(*spans: Span, **fields: Any) -> bytes:
    return message(*spans, **fields).SerializeToString()


def ids(number: int) -> dict[str, Any]:
    """A trace and a span that no other test uses."""
    return {"trace_id": f"{number:032x}", "span_id": f"{number:016x}"}


def as_json(**span: Any) -> bytes:
    """A request of one tool span, in OTLP/JSON; fields as that spells them."""
    fields = {
        "traceId": TRACE_ID,
        "spanId": "00f067aa0ba902b7",
        "name": "execute_tool get_weather",
        "kind": 1,
        "startTimeUnixNano": str(time.time_ns()),
        "endTimeUnixNano": str(time.time_ns() + 1000),
        "attributes": [
            {"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
            {"key": "gen_ai.tool.name", "value": {"stringValue": "get_weather"}},
            {"key": "gen_ai.tool.call.id", "value": {"stringValue": "call_json"}},
        ],
    }
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [fields | span]}]}]}).encode()


def partial(answer: Response) -> tuple[int, str]:
    """How many spans an answer says were refused, and why."""
    assert answer.status_code == 200
    said = ExportTraceServiceResponse.FromString(answer.content).partial_success
    return said.rejected_spans, said.error_message
