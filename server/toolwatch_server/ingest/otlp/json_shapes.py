"""The shapes of OTLP/JSON, as far as we read them. Everything may be absent or null."""

import msgspec

Number = int | str


class Shape(msgspec.Struct, rename="camel"):
    pass


class AnyValue(Shape):
    string_value: str | None = None
    bool_value: bool | None = None
    int_value: Number | None = None
    double_value: float | Number | None = None
    array_value: "ArrayValue | None" = None
    kvlist_value: "KeyValueList | None" = None
    bytes_value: bytes | None = None  # base64


class KeyValue(Shape):
    key: str | None = None
    value: AnyValue | None = None


class ArrayValue(Shape):
    values: list[AnyValue] | None = None


class KeyValueList(Shape):
    values: list[KeyValue] | None = None


class Resource(Shape):
    attributes: list[KeyValue] | None = None


class Scope(Shape):
    name: str | None = None
    version: str | None = None
    attributes: list[KeyValue] | None = None


class Status(Shape):
    message: str | None = None
    code: Number | None = None


class Event(Shape):
    time_unix_nano: Number | None = None
    name: str | None = None
    attributes: list[KeyValue] | None = None


class Link(Shape):
    trace_id: str | None = None
    span_id: str | None = None
    trace_state: str | None = None
    attributes: list[KeyValue] | None = None


class Span(Shape):
    trace_id: str | None = None
    span_id: str | None = None
    trace_state: str | None = None
    parent_span_id: str | None = None
    flags: Number | None = None
    name: str | None = None
    kind: Number | None = None
    start_time_unix_nano: Number | None = None
    end_time_unix_nano: Number | None = None
    attributes: list[KeyValue] | None = None
    events: list[Event] | None = None
    links: list[Link] | None = None
    status: Status | None = None


class ScopeSpans(Shape):
    scope: Scope | None = None
    spans: list[Span] | None = None
    schema_url: str | None = None


class ResourceSpans(Shape):
    resource: Resource | None = None
    scope_spans: list[ScopeSpans] | None = None
    schema_url: str | None = None


class Traces(Shape):
    resource_spans: list[ResourceSpans] | None = None


class LogRecord(Shape):
    time_unix_nano: Number | None = None
    observed_time_unix_nano: Number | None = None
    severity_number: Number | None = None
    severity_text: str | None = None
    body: AnyValue | None = None
    attributes: list[KeyValue] | None = None
    flags: Number | None = None
    trace_id: str | None = None
    span_id: str | None = None
    event_name: str | None = None


class ScopeLogs(Shape):
    scope: Scope | None = None
    log_records: list[LogRecord] | None = None
    schema_url: str | None = None


class ResourceLogs(Shape):
    resource: Resource | None = None
    scope_logs: list[ScopeLogs] | None = None
    schema_url: str | None = None


class Logs(Shape):
    resource_logs: list[ResourceLogs] | None = None
