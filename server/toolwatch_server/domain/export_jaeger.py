"""Spans in Jaeger's JSON, as Jaeger's own interface writes and reads it. Times there are microseconds."""

import base64
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolwatch_server.domain.span import Attributes, Event, Span, Value

KINDS: Final = {1: "internal", 2: "server", 3: "client", 4: "producer", 5: "consumer"}
STATUSES: Final = {1: "OK", 2: "ERROR"}
Json = dict[str, Any]


class Processes:
    """Jaeger keeps resources beside the spans of a trace, under short names."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self.told: dict[str, Json] = {}

    def name_of(self, resource: Attributes) -> str:
        service = resource.get("service.name")
        process = {
            "serviceName": service if isinstance(service, str) else "unknown_service",
            "tags": [*_tags({k: v for k, v in resource.items() if k != "service.name"})],
        }
        name = self._names.setdefault(json.dumps(process, sort_keys=True), f"p{len(self._names) + 1}")
        self.told[name] = process
        return name


def jaeger_span(span: Span, processes: Processes) -> Json:
    start_us = span.start_ns // 1_000
    return {
        "traceID": span.trace_id,
        "spanID": span.span_id,
        "operationName": span.name,
        "references": _references(span),
        "startTime": start_us,
        "duration": max(0, span.end_ns // 1_000 - start_us) if span.end_ns else 0,
        "tags": [*_tags({**span.attributes, **_about(span)})],
        "logs": [_log(event) for event in span.events],
        "processID": processes.name_of(span.resource),
        "warnings": None,
    }


def _references(span: Span) -> list[Json]:
    if not span.parent_span_id:
        return []
    return [{"refType": "CHILD_OF", "traceID": span.trace_id, "spanID": span.parent_span_id}]


def _about(span: Span) -> dict[str, Value]:
    """What is no attribute in OpenTelemetry and a tag in Jaeger."""
    said: dict[str, Value] = {
        "span.kind": KINDS.get(span.kind),
        "otel.scope.name": span.scope_name or None,
        "otel.scope.version": span.scope_version or None,
        "otel.status_code": STATUSES.get(span.status_code),
        "otel.status_description": span.status_message or None,
        "error": True if span.status_code == 2 else None,
    }
    return {name: value for name, value in said.items() if value is not None}


def _log(event: Event) -> Json:
    return {
        "timestamp": event.time_ns // 1_000,
        "fields": [*_tags({"event": event.name, **event.attributes})],
    }


def _tags(attributes: Attributes) -> Iterator[Json]:
    for key, value in attributes.items():
        kind, written = _typed(value)
        yield {"key": key, "type": kind, "value": written}


def _typed(value: Value) -> tuple[str, Any]:
    """bool before int: in Python every bool is an int."""
    if isinstance(value, str):
        return "string", value
    if isinstance(value, bool):
        return "bool", value
    if isinstance(value, int):
        return "int64", value
    if isinstance(value, float):
        return "float64", value
    if isinstance(value, bytes):
        return "binary", base64.b64encode(value).decode()
    return "string", json.dumps(_plain(value), ensure_ascii=False)


def _plain(value: Value) -> Any:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, str | bool | int | float | None):
        return value
    return [_plain(item) for item in value]
