"""What we answer to senders: OTLP responses and google.rpc.Status, in the encoding of the request."""

import json
from http import HTTPStatus
from typing import Final

from google.protobuf.duration_pb2 import Duration
from google.rpc import code_pb2
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from toolwatch_server.errors import Later, ToolwatchError
from toolwatch_server.ingest.otlp.media import PROTOBUF

_RPC_CODES: Final[dict[HTTPStatus, int]] = {
    HTTPStatus.BAD_REQUEST: code_pb2.INVALID_ARGUMENT,
    HTTPStatus.UNAUTHORIZED: code_pb2.UNAUTHENTICATED,
    HTTPStatus.FORBIDDEN: code_pb2.PERMISSION_DENIED,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: code_pb2.RESOURCE_EXHAUSTED,
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: code_pb2.INVALID_ARGUMENT,
    HTTPStatus.TOO_MANY_REQUESTS: code_pb2.RESOURCE_EXHAUSTED,
    HTTPStatus.SERVICE_UNAVAILABLE: code_pb2.UNAVAILABLE,
}


def traces(media: str, refused: int, message: str) -> bytes:
    if media == PROTOBUF:
        answer = ExportTraceServiceResponse()
        if refused or message:
            answer.partial_success.rejected_spans = refused
            answer.partial_success.error_message = message
        return answer.SerializeToString()
    return _json_answer("rejectedSpans", refused, message)


def logs(media: str, refused: int, message: str) -> bytes:
    if media == PROTOBUF:
        answer = ExportLogsServiceResponse()
        if refused or message:
            answer.partial_success.rejected_log_records = refused
            answer.partial_success.error_message = message
        return answer.SerializeToString()
    return _json_answer("rejectedLogRecords", refused, message)


def metrics(media: str, _refused: int, _message: str) -> bytes:
    return ExportMetricsServiceResponse().SerializeToString() if media == PROTOBUF else b"{}"


def failure(media: str, status: HTTPStatus, message: str) -> bytes:
    code = rpc_code(status)
    if media == PROTOBUF:
        return bytes(Status(code=code, message=message).SerializeToString())
    return json.dumps({"code": code, "message": message}).encode()


def rpc_code(status: HTTPStatus) -> int:
    code: int = _RPC_CODES.get(status, code_pb2.INTERNAL)
    return code


def details(error: ToolwatchError) -> bytes:
    """What gRPC carries beside its code; without RetryInfo, senders give up on RESOURCE_EXHAUSTED."""
    status = Status(code=rpc_code(error.status), message=error.message)
    if isinstance(error, Later):
        delay = Duration(seconds=error.after_s)
        status.details.add().Pack(RetryInfo(retry_delay=delay))
    return bytes(status.SerializeToString())


def _json_answer(count_name: str, refused: int, message: str) -> bytes:
    if not refused and not message:
        return b"{}"
    return json.dumps({"partialSuccess": {count_name: str(refused), "errorMessage": message}}).encode()
