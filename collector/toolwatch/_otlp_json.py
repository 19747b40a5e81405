"""One span as an OTLP/JSON request: small, quick to build, and complete in itself."""

import json
from collections.abc import Mapping, Sequence

from opentelemetry.sdk.resources import Resource
from opentelemetry.util.types import AttributeValue

from toolwatch._spans import SCOPE, OpenSpan, SpanData


class Envelope:
    """Everything around a span that stays the same for a whole process."""

    def __init__(self, resource: Resource) -> None:
        body = {
            "resourceSpans": [{
                "resource": {"attributes": _pairs(resource.attributes)},
                "scopeSpans": [{"scope": {"name": SCOPE.name, "version": SCOPE.version}, "spans": ["|"]}],
            }]
        }  # fmt: skip
        self._before, self._after = (part.encode() for part in json.dumps(body).split('"|"'))

    def around(self, span: OpenSpan, data: SpanData) -> bytes:
        """A span without events, as an ExportTraceServiceRequest in JSON."""
        text = json.dumps({
            "traceId": f"{span.context.trace_id:032x}",
            "spanId": f"{span.context.span_id:016x}",
            "parentSpanId": f"{span.parent.span_id:016x}" if span.parent is not None else "",
            "name": data.name,
            "kind": data.kind.value + 1,
            "startTimeUnixNano": str(span.start_ns),
            "endTimeUnixNano": str(data.end_ns),
            "attributes": _pairs(data.attributes),
        }, ensure_ascii=False)  # fmt: skip
        return b"".join((self._before, text.encode("utf-8", "replace"), self._after))


def _pairs(attributes: Mapping[str, AttributeValue]) -> list[dict[str, object]]:
    return [{"key": name, "value": _value(value)} for name, value in attributes.items()]


def _value(value: object) -> dict[str, object]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return {"arrayValue": {"values": [_value(item) for item in value]}}
    return {"stringValue": str(value)}
