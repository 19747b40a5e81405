"""Whole traces as OTLP, as Jaeger's JSON and as Chrome trace events."""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from toolwatch.conventions import RECORD, RECORD_ALIVE, RECORD_STARTED
from toolwatch_server.api.to_json import plain
from toolwatch_server.domain.export_jaeger import Processes, jaeger_span
from toolwatch_server.domain.export_perfetto import Lanes, chrome_event, name_of_trace
from toolwatch_server.export.source import Source
from toolwatch_server.ingest.otlp.export import (
    LOGS_FIELD,
    SPANS_FIELD,
    framed,
    logs_json,
    span_of_raw,
    spans_json,
)

_ANNOUNCEMENTS: Final = (RECORD_STARTED, RECORD_ALIVE)


def as_otlp_protobuf(source: Source) -> Iterator[bytes]:
    for trace_id in source.traces():
        yield from (framed(raw, SPANS_FIELD) for raw in source.spans(trace_id))
        yield from (framed(raw, LOGS_FIELD) for raw in source.logs(trace_id))


def as_otlp_json(source: Source) -> Iterator[str]:
    """resourceLogs stand beside resourceSpans: whoever wants spans only passes over them."""
    traces = list(source.traces())
    yield '{"resourceSpans":['
    yield from _joined(spans_json(raw) for trace_id in traces for raw in source.spans(trace_id))
    yield '],"resourceLogs":['
    yield from _joined(logs_json(raw) for trace_id in traces for raw in source.logs(trace_id))
    yield "]}\n"


def as_jaeger(source: Source) -> Iterator[str]:
    yield '{"data":['
    for number, trace_id in enumerate(source.traces()):
        processes = Processes()
        yield ("," if number else "") + f'{{"traceID":{json.dumps(trace_id)},"spans":['
        spans = (jaeger_span(span_of_raw(raw), processes) for raw in source.spans(trace_id))
        yield from _joined(map(_json, spans))
        yield f'],"processes":{_json(processes.told)},"warnings":null}}'
    yield '],"total":0,"limit":0,"offset":0,"errors":null}\n'


def as_perfetto(source: Source) -> Iterator[str]:
    """One process a trace. Records that only announce a start are left out: they have no length."""
    yield '{"displayTimeUnit":"ms","traceEvents":['
    events = (
        event for pid, trace_id in enumerate(source.traces(), 1) for event in _events(source, pid, trace_id)
    )
    yield from _joined(map(_json, events))
    yield "]}\n"


def _events(source: Source, pid: int, trace_id: str) -> Iterator[dict[str, Any]]:
    lanes = Lanes()
    yield name_of_trace(pid, trace_id)
    for span in map(span_of_raw, source.spans(trace_id)):
        if span.attributes.get(RECORD) not in _ANNOUNCEMENTS:
            yield chrome_event(span, pid=pid, tid=lanes.place(span), args=plain(span.attributes))


def _joined(items: Iterable[str]) -> Iterator[str]:
    for number, item in enumerate(items):
        yield f",{item}" if number else item


_json: Final[Callable[[Any], str]] = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
