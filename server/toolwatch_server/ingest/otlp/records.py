"""From decoded requests to redacted records: what the rest of the write path works with."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from google.protobuf.message import Message
from opentelemetry.proto.logs.v1.logs_pb2 import ResourceLogs, ScopeLogs
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans

from toolwatch_server.domain.span import Attributes, LogRecord, Span
from toolwatch_server.ingest.otlp import decode
from toolwatch_server.ingest.otlp.check import Refusals, log_fault, span_fault
from toolwatch_server.ingest.otlp.plain import log_of, resource_of, span_of
from toolwatch_server.ingest.otlp.raw import without, wrap
from toolwatch_server.ingest.otlp.scrub import Marks, Scrubber, note


@dataclass(slots=True)
class Decoded:
    """What one request holds. raw is OTLP protobuf of the one record, redacted."""

    refusals: Refusals
    spans: list[tuple[Span, bytes]] = field(default_factory=list)
    logs: list[tuple[LogRecord, bytes]] = field(default_factory=list)
    marks: Marks = field(default_factory=Marks)


def decode_traces(body: bytes, media: str, scrubber: Scrubber) -> Decoded:
    """Raises Undecodable."""
    decoded = Decoded(Refusals("span"))
    number = 0
    for resource_spans in decode.traces(body, media).resource_spans:
        its = scrubber.of(resource_spans.resource)
        for scope_spans, cut_out, resource, shared in _scopes(resource_spans, "scope_spans", "spans", its):
            assert isinstance(scope_spans, ScopeSpans)  # noqa: S101  # the name of the field says so
            decoded.marks += shared
            for span in scope_spans.spans:
                number += 1
                own = its.scrub(span)
                decoded.marks += own
                if fault := span_fault(span):
                    decoded.refusals.add(number, span.name, fault)
                    continue
                note(span, own)
                decoded.spans.append((span_of(span, resource, scope_spans.scope), cut_out(span)))
    return decoded


def decode_logs(body: bytes, media: str, scrubber: Scrubber) -> Decoded:
    """Raises Undecodable."""
    decoded = Decoded(Refusals("log record"))
    number = 0
    for resource_logs in decode.logs(body, media).resource_logs:
        its = scrubber.of(resource_logs.resource)
        for scope_logs, cut_out, resource, shared in _scopes(resource_logs, "scope_logs", "log_records", its):
            assert isinstance(scope_logs, ScopeLogs)  # noqa: S101  # the name of the field says so
            decoded.marks += shared
            for log in scope_logs.log_records:
                number += 1
                own = its.scrub(log)
                decoded.marks += own
                if fault := log_fault(log):
                    decoded.refusals.add(number, log.event_name, fault)
                    continue
                note(log, own)
                decoded.logs.append((log_of(log, resource, scope_logs.scope), cut_out(log)))
    return decoded


def _scopes(
    parent: ResourceSpans | ResourceLogs, scopes: str, records: str, scrubber: Scrubber
) -> Iterator[tuple[ScopeSpans | ScopeLogs, Callable[[Message], bytes], Attributes, Marks]]:
    """Each scope, a function that cuts one of its records out, the resource, and what was hidden in both."""
    outer = without(parent, scopes)
    marks = scrubber.scrub(outer)
    resource, outer_bytes = resource_of(outer.resource), outer.SerializeToString()
    for scoped in getattr(parent, scopes):
        inner = without(scoped, records)
        marks += scrubber.scrub(inner)
        scoped.scope.CopyFrom(inner.scope)

        def cut_out(record: Message, inner_bytes: bytes = inner.SerializeToString()) -> bytes:
            return wrap(outer_bytes, inner_bytes, record)

        yield scoped, cut_out, resource, marks
        marks = Marks()
