"""Send to an OTLP/HTTP destination."""

import gzip
import ssl
import time
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import urlsplit

import httpx2 as httpx
from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from toolwatch_server.forward.destinations import Destination
from toolwatch_server.forward.verdict import Later, Never, Taken, Verdict

RETRYABLE: Final = frozenset({429, 502, 503, 504})
IN_PARTS: Final = frozenset({400, 413, 422})
_SAID_MAX: Final = 200


class OverHttp:
    def __init__(self, destination: Destination) -> None:
        address = destination.endpoint
        # As for OTEL_EXPORTER_OTLP_ENDPOINT: an address without a path is that of the whole server.
        self._url = address.rstrip("/") + "/v1/traces" if urlsplit(address).path in ("", "/") else address
        headers = {
            **destination.headers,
            "content-type": "application/x-protobuf",
            "content-encoding": "gzip",
        }
        self._http = httpx.Client(headers=headers, timeout=destination.timeout_s, verify=_tls(destination))

    def send(self, body: bytes) -> Verdict:
        try:
            answer = self._http.post(self._url, content=gzip.compress(body, 1))
        except httpx.HTTPError as error:
            return Later(f"{type(error).__name__}: {error}".rstrip(": "))
        if answer.is_success:
            return _taken(answer)
        reason = f"HTTP {answer.status_code} {_said(answer)}".rstrip()
        if answer.status_code in RETRYABLE:
            return Later(reason, _after_s(answer.headers.get("retry-after", "")))
        return Never(reason, in_parts=answer.status_code in IN_PARTS)

    def close(self) -> None:
        self._http.close()


def _tls(destination: Destination) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=destination.ca_file)
    if destination.cert_file is not None:
        context.load_cert_chain(destination.cert_file, destination.key_file)
    return context


def _taken(answer: httpx.Response) -> Taken:
    try:
        said = ExportTraceServiceResponse.FromString(answer.content).partial_success
    except DecodeError:  # some answer with JSON or plain words; what they took, they took
        return Taken()
    return Taken(said.rejected_spans, said.error_message)


def _said(answer: httpx.Response) -> str:
    """Only what people can read; an answer in protobuf is none of it."""
    text = answer.content[:_SAID_MAX].decode("utf-8", "replace")
    return "".join(character if character.isprintable() else " " for character in text).strip()


def _after_s(header: str) -> float | None:
    """Retry-After is a number of seconds or a date."""
    if header.isdecimal():
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except ValueError:
        return None
