"""Send to an OTLP/gRPC destination."""

from typing import Any, Final

import grpc
from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from toolwatch_server.forward.destinations import Destination
from toolwatch_server.forward.verdict import Later, Never, Taken, Verdict

METHOD: Final = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
RETRYABLE: Final = frozenset(
    {
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.ABORTED,
        grpc.StatusCode.OUT_OF_RANGE,
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DATA_LOSS,
    }
)
IN_PARTS: Final = frozenset({grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.RESOURCE_EXHAUSTED})


class OverGrpc:
    def __init__(self, destination: Destination) -> None:
        scheme, _, address = destination.endpoint.rstrip("/").partition("://")
        if scheme == "grpcs":
            self._channel = grpc.secure_channel(address, _credentials(destination))
        else:
            self._channel = grpc.insecure_channel(address)
        self._export = self._channel.unary_unary(METHOD)
        self._metadata = tuple((name.lower(), value) for name, value in destination.headers.items())
        self._timeout_s = destination.timeout_s

    def send(self, body: bytes) -> Verdict:
        try:
            answer = self._export(
                body, timeout=self._timeout_s, metadata=self._metadata, compression=grpc.Compression.Gzip
            )
        except grpc.RpcError as error:
            return _verdict(error)
        said = ExportTraceServiceResponse.FromString(answer).partial_success
        return Taken(said.rejected_spans, said.error_message)

    def close(self) -> None:
        self._channel.close()


def _credentials(destination: Destination) -> Any:
    def content(path: Any) -> bytes | None:
        return None if path is None else path.read_bytes()

    return grpc.ssl_channel_credentials(
        content(destination.ca_file), content(destination.key_file), content(destination.cert_file)
    )


def _verdict(error: Any) -> Verdict:
    code, reason = error.code(), f"gRPC {error.code().name} {error.details() or ''}".rstrip()
    after_s = _after_s(error)
    if code in RETRYABLE or (code == grpc.StatusCode.RESOURCE_EXHAUSTED and after_s is not None):
        return Later(reason, after_s)
    return Never(reason, in_parts=code in IN_PARTS)


def _after_s(error: Any) -> float | None:
    for name, value in error.trailing_metadata() or ():
        if name == "grpc-status-details-bin":
            return _retry_delay_s(value)
    return None


def _retry_delay_s(details: bytes) -> float | None:
    try:
        status = Status.FromString(details)
    except DecodeError:
        return None
    retry = RetryInfo()
    if any(detail.Unpack(retry) for detail in status.details):
        return float(retry.retry_delay.seconds + retry.retry_delay.nanos / 1e9)
    return None
