import gzip
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

import toolwatch

if TYPE_CHECKING:
    from opentelemetry.proto.trace.v1.trace_pb2 import Span


class Receiver:
    """An OTLP/HTTP endpoint that keeps what it gets; answers with the next status of the list, else 200."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.resources: list[dict[str, Any]] = []
        self.statuses: list[int] = []
        self.changed = threading.Condition()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                status = receiver.take(body)
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def take(self, body: bytes) -> int:
        with self.changed:
            status = self.statuses.pop(0) if self.statuses else 200
            if status == 200:
                for part in ExportTraceServiceRequest.FromString(body).resource_spans:
                    self.resources.append(_values(part.resource.attributes))
                    self.spans += [span for scope in part.scope_spans for span in scope.spans]
            self.changed.notify_all()
            return status

    def records(self, kind: str) -> list[dict[str, Any]]:
        """Attributes of all spans of a kind, with their name, oldest first."""
        with self.changed:
            found = [{"name": s.name, **_values(s.attributes)} for s in self.spans]
        return [record for record in found if record.get("toolwatch.record") == kind]

    def wait_for(self, kind: str, count: int = 1) -> list[dict[str, Any]]:
        """Fails the test when the records have not come after ten seconds."""
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.records(kind)) >= count, timeout=10), self.spans
        return self.records(kind)

    def text(self) -> str:
        with self.changed:
            return "".join(str(span) for span in self.spans)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def _values(pairs: Any) -> dict[str, Any]:
    return {pair.key: _value(pair.value) for pair in pairs}


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(item) for item in value.array_value.values]
    return getattr(value, kind)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    found = Receiver()
    found.changed = threading.Condition(threading.RLock())
    yield found
    found.close()


@pytest.fixture
def watched(receiver: Receiver) -> Iterator[Receiver]:
    """This process is instrumented and sends to the receiver."""
    toolwatch.instrument(endpoint=receiver.url, service_name="tests")
    yield receiver
    toolwatch.uninstrument()
