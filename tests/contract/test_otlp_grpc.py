"""What a sender may rely on that speaks OTLP/gRPC."""

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from tests.live import Live, free_port, live
from tests.otlp import a_span, a_tool_span, ids, request

BOUND = 1_000_000


class Sender:
    """A gRPC channel to a server, over which raw bytes go as they are."""

    def __init__(self, port: int) -> None:
        self._channel = grpc.insecure_channel(f"127.0.0.1:{port}", [("grpc.max_send_message_length", -1)])

    def send(self, body: bytes, signal: str = "trace.v1.Trace", **options: Any) -> bytes:
        method = f"/opentelemetry.proto.collector.{signal}Service/Export"
        answer: bytes = self._channel.unary_unary(method)(body, timeout=20, **options)
        return answer

    def refused(self, body: bytes, **options: Any) -> tuple[grpc.StatusCode, str, int | None]:
        """The code, the sentence, and after how many seconds to try again."""
        with pytest.raises(grpc.RpcError) as caught:
            self.send(body, **options)
        error: Any = caught.value
        for name, value in error.trailing_metadata() or ():
            if name == "grpc-status-details-bin":
                status, retry = Status.FromString(value), RetryInfo()
                assert status.message == error.details()
                if status.details and status.details[0].Unpack(retry):
                    return error.code(), error.details(), retry.retry_delay.seconds
        return error.code(), error.details(), None

    def close(self) -> None:
        self._channel.close()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., tuple[Live, Sender]]]:
    opened: list[Any] = []

    def start(**settings: Any) -> tuple[Live, Sender]:
        port = free_port()
        context = live(tmp_path, grpc_port=port, **settings)
        opened.append(context)
        server = context.__enter__()
        sender = Sender(port)
        opened.append(sender)
        return server, sender

    yield start
    for thing in reversed(opened):
        thing.close() if isinstance(thing, Sender) else thing.__exit__(None, None, None)


Serve = Callable[..., tuple[Live, Sender]]


def test_the_official_exporter_delivers(tmp_path: Path) -> None:
    port = free_port()
    with live(tmp_path, grpc_port=port) as server:
        exporter = OTLPSpanExporter(endpoint=f"http://127.0.0.1:{port}", compression=grpc.Compression.Gzip)
        provider = TracerProvider(resource=Resource.create({"service.name": "shop"}))
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "pay",
            "gen_ai.tool.call.id": "call_official",
        }
        with provider.get_tracer("shop").start_as_current_span("execute_tool pay", attributes=attributes):
            pass
        provider.shutdown()

        (call,) = server.calls(tool_call_id="call_official")
    assert (call["tool"], call["service"]) == ("pay", "shop")


@pytest.mark.parametrize(
    "compression", [grpc.Compression.NoCompression, grpc.Compression.Gzip, grpc.Compression.Deflate], ids=str
)
def test_spans_are_in_the_database_when_the_answer_comes(serve: Serve, compression: grpc.Compression) -> None:
    server, sender = serve()

    answer = sender.send(request(a_tool_span(tool_call_id="call_grpc")), compression=compression)

    assert ExportTraceServiceResponse.FromString(answer) == ExportTraceServiceResponse()
    assert [call["tool_call_id"] for call in server.calls()] == ["call_grpc"]


def test_one_bad_span_is_refused_alone(serve: Serve) -> None:
    server, sender = serve()

    answer = sender.send(request(a_tool_span(**ids(1)), a_span(trace_id="00", name="lame")))

    said = ExportTraceServiceResponse.FromString(answer).partial_success
    assert said.rejected_spans == 1
    assert "span 2 ('lame')" in said.error_message
    assert len(server.calls()) == 1


def test_a_text_that_is_not_unicode_does_not_take_its_batch_with_it(serve: Serve) -> None:
    server, sender = serve()

    sender.send(request(a_tool_span(tool="caf__")).replace(b"caf__", b"caf\xff\xfe"))

    assert [call["tool"] for call in server.calls()] == ["caf\ufffd\ufffd"]


def test_what_is_not_otlp_is_an_invalid_argument(serve: Serve) -> None:
    _, sender = serve()

    code, sentence, retry_s = sender.refused(b"\x0a\xff\xff\xff")

    assert (code, retry_s) == (grpc.StatusCode.INVALID_ARGUMENT, None)
    assert "not an OTLP" in sentence


def test_logs_are_taken_and_metrics_ignored_and_counted(serve: Serve) -> None:
    server, sender = serve()
    log = LogRecord(time_unix_nano=1, body=AnyValue(string_value="hello"))
    logs = ExportLogsServiceRequest(resource_logs=[ResourceLogs(scope_logs=[ScopeLogs(log_records=[log])])])

    sender.send(logs.SerializeToString(), signal="logs.v1.Logs")
    sender.send(ExportMetricsServiceRequest().SerializeToString(), signal="metrics.v1.Metrics")

    status = server.status()
    assert (status["stored"], status["ignored"]) == (1, 1)


def test_a_bomb_is_refused_for_good(serve: Serve) -> None:
    _, sender = serve(max_body_bytes=BOUND)

    code, sentence, retry_s = sender.refused(b"\x0a" * (50 * BOUND), compression=grpc.Compression.Gzip)

    assert (code, retry_s) == (grpc.StatusCode.RESOURCE_EXHAUSTED, None)
    assert f"larger than {BOUND} bytes" in sentence


def test_a_message_over_the_bound_is_refused_for_good(serve: Serve) -> None:
    server, sender = serve(max_body_bytes=BOUND)

    code, _, retry_s = sender.refused(b"\x0a" * (BOUND + 1))

    assert (code, retry_s) == (grpc.StatusCode.RESOURCE_EXHAUSTED, None)
    sender.send(request(a_tool_span()))
    assert len(server.calls()) == 1


def test_broken_gzip_is_an_invalid_argument(serve: Serve) -> None:
    _, sender = serve()

    code, sentence, _ = sender.refused(gzip.compress(b"x" * 1000)[:-9])

    assert code == grpc.StatusCode.INVALID_ARGUMENT
    assert "gzip" in sentence


def test_a_full_house_says_when_to_come_back(serve: Serve) -> None:
    server, sender = serve(max_body_bytes=2_000, queue_bytes=2_000)
    packed = request(a_tool_span(more={"long": "x" * 1_750}))

    # Packed and unpacked together it needs more room than there is.
    code, _, retry_s = sender.refused(packed, compression=grpc.Compression.Gzip)

    assert (code, retry_s) == (grpc.StatusCode.RESOURCE_EXHAUSTED, 1)
    assert server.status()["turned_away"] == 1
    assert server.status()["queue_bytes"] == 0


@pytest.mark.parametrize(
    ("metadata", "code"),
    [
        ([], grpc.StatusCode.UNAUTHENTICATED),
        ([("authorization", "Bearer wrong")], grpc.StatusCode.PERMISSION_DENIED),
    ],
)
def test_without_the_key_nothing_is_taken(serve: Serve, metadata: Any, code: grpc.StatusCode) -> None:
    server, sender = serve(api_key="right")

    found, _, retry_s = sender.refused(request(a_tool_span()), metadata=metadata)

    assert (found, retry_s) == (code, None)
    answer = server.http.get("/api/v1/calls", headers={"x-api-key": "right"})
    assert answer.json()["calls"] == []


@pytest.mark.parametrize("metadata", [[("authorization", "Bearer right")], [("x-api-key", "right")]])
def test_the_key_opens(serve: Serve, metadata: Any) -> None:
    _, sender = serve(api_key="right")

    sender.send(request(a_tool_span()), metadata=metadata)
