from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.resources import Resource

from toolwatch._otlp import Envelope, span_bytes
from toolwatch._spans import Ids, SpanData, open_own

texts = st.text(st.characters(codec="utf-8"))
values = (
    texts
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.lists(texts).map(tuple)
)


def decoded(data: SpanData) -> tuple[Span, ExportTraceServiceRequest]:
    parent = Ids().context(None)
    body = Envelope(Resource({"service.name": "s"})).around((span_bytes(open_own(Ids(), parent, 5), data),))
    request = ExportTraceServiceRequest.FromString(body)
    return request.resource_spans[0].scope_spans[0].spans[0], request


@given(texts, st.dictionaries(texts, values, max_size=8), st.integers(0, 2**63))
def test_protobuf_reads_what_we_write(name: str, attributes: dict[str, object], end_ns: int) -> None:
    span, request = decoded(SpanData(name, attributes, end_ns))  # type: ignore[arg-type]

    assert (span.name, span.end_time_unix_nano, span.start_time_unix_nano) == (name, end_ns, 5)
    assert {pair.key for pair in span.attributes} == set(attributes)
    for pair in span.attributes:
        kind = pair.value.WhichOneof("value") or ""
        got = getattr(pair.value, kind)
        told = attributes[pair.key]
        assert (tuple(item.string_value for item in got.values) if kind == "array_value" else got) == told
    assert request.resource_spans[0].scope_spans[0].scope.name == "toolwatch"


def test_a_failure_is_an_event_and_a_status() -> None:
    span, _ = decoded(SpanData("n", {}, 9, failure=("KeyError", "'id'", "stack"), failed=True))

    assert span.events[0].name == "exception"
    assert [pair.value.string_value for pair in span.events[0].attributes] == ["KeyError", "'id'", "stack"]
    assert (span.status.code, span.status.message) == (2, "'id'")
