"""Bytes to protobuf messages, from either encoding of OTLP."""

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from toolwatch_server.errors import Undecodable
from toolwatch_server.ingest.otlp import from_json
from toolwatch_server.ingest.otlp.media import JSON
from toolwatch_server.ingest.otlp.mend import mend


def traces(body: bytes, media: str) -> ExportTraceServiceRequest:
    """Raises Undecodable."""
    if media == JSON:
        return from_json.traces(body)
    request = ExportTraceServiceRequest()
    _parse(request, body)
    return request


def logs(body: bytes, media: str) -> ExportLogsServiceRequest:
    """Raises Undecodable."""
    if media == JSON:
        return from_json.logs(body)
    request = ExportLogsServiceRequest()
    _parse(request, body)
    return request


def _parse(request: ExportTraceServiceRequest | ExportLogsServiceRequest, body: bytes) -> None:
    try:
        request.ParseFromString(body)
    except DecodeError:
        # One text that is not UTF-8 makes the library refuse the whole request; the rest of it is fine.
        try:
            request.ParseFromString(mend(body, request.DESCRIPTOR))
        except (DecodeError, ValueError, RecursionError) as error:
            raise Undecodable(
                f"The body is not an OTLP {request.DESCRIPTOR.name} in protobuf: {error}."
            ) from None
