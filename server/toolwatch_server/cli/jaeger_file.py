"""A trace in Jaeger's JSON as one of OTLP/JSON: the way back of domain/export_jaeger.py."""

import json
from typing import Any, Final

from toolwatch_server.domain.export_jaeger import KINDS, STATUSES

Json = dict[str, Any]
_KIND_NUMBERS: Final = {name: number for number, name in KINDS.items()}
_STATUS_NUMBERS: Final = {name: number for number, name in STATUSES.items()}
_VALUES: Final = {"bool": "boolValue", "int64": "intValue", "float64": "doubleValue", "binary": "bytesValue"}
# Jaeger has no lists: it keeps them as JSON text, and these are lists in OTLP.
_LISTS: Final = frozenset(
    {
        "gen_ai.response.finish_reasons",
        "toolwatch.arguments.injected",
        "toolwatch.calls",
        "toolwatch.missing_hooks",
    }
)
_ABOUT: Final = frozenset(
    {
        "span.kind",
        "otel.scope.name",
        "otel.scope.version",
        "otel.status_code",
        "otel.status_description",
        "error",
    }
)


def otlp_of_jaeger(body: bytes) -> list[bytes]:
    """A ResourceSpans for each span. Raises ValueError where it is no trace of Jaeger's."""
    try:
        trace = json.loads(body)
        processes = trace.get("processes") or {}
        return [json.dumps(_resource_spans(span, processes)).encode() for span in trace["spans"]]
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"a trace is not Jaeger's: {error}") from None


def _resource_spans(span: Json, processes: Json) -> Json:
    process = span.get("process") or processes.get(str(span.get("processID")), {})
    tags = {tag["key"]: tag["value"] for tag in span.get("tags") or ()}
    resource = [
        {"key": "service.name", "value": {"stringValue": process.get("serviceName", "")}},
        *map(_attribute, process.get("tags") or ()),
    ]
    scope = {"name": tags.get("otel.scope.name") or "", "version": tags.get("otel.scope.version", "")}
    return {
        "resource": {"attributes": resource},
        "scopeSpans": [{"scope": scope, "spans": [_span(span, tags)]}],
    }


def _span(span: Json, tags: Json) -> Json:
    start_us = int(span["startTime"])
    return {
        "traceId": _hex(span["traceID"], 32),
        "spanId": _hex(span["spanID"], 16),
        "parentSpanId": _parent(span),
        "name": span["operationName"],
        "kind": _KIND_NUMBERS.get(str(tags.get("span.kind")), 1),
        "startTimeUnixNano": str(start_us * 1_000),
        "endTimeUnixNano": str((start_us + int(span["duration"])) * 1_000),
        "attributes": [_attribute(tag) for tag in span.get("tags") or () if tag["key"] not in _ABOUT],
        "events": [_event(log) for log in span.get("logs") or ()],
        "status": _status(tags),
    }


def _status(tags: Json) -> Json:
    code = _STATUS_NUMBERS.get(
        str(tags.get("otel.status_code")), 2 if tags.get("error") in (True, "true") else 0
    )
    return {"code": code, "message": tags.get("otel.status_description", "")}


def _parent(span: Json) -> str:
    references = span.get("references") or ()
    same = (
        r["spanID"] for r in references if r.get("refType") == "CHILD_OF" and r["traceID"] == span["traceID"]
    )
    found = next(same, span.get("parentSpanID") or "")
    return _hex(found, 16) if found else ""


def _hex(id_: str, digits: int) -> str:
    """Jaeger leaves zeros at the beginning of an id out."""
    return id_.rjust(digits, "0")


def _event(log: Json) -> Json:
    fields = log.get("fields") or ()
    named = next((field["value"] for field in fields if field["key"] == "event"), "")
    return {
        "timeUnixNano": str(int(log["timestamp"]) * 1_000),
        "name": str(named),
        "attributes": [_attribute(field) for field in fields if field["key"] != "event"],
    }


def _attribute(tag: Json) -> Json:
    key, value = tag["key"], tag["value"]
    kind = _VALUES.get(tag.get("type", "string"))
    if kind is None and key in _LISTS:
        return {"key": key, "value": {"arrayValue": {"values": _texts(str(value))}}}
    if kind == "intValue":
        value = str(value)
    return {"key": key, "value": {kind or "stringValue": value if kind else str(value)}}


def _texts(text: str) -> list[Json]:
    try:
        items = json.loads(text)
    except ValueError:
        items = [text]
    return [{"stringValue": str(item)} for item in (items if isinstance(items, list) else [items])]
