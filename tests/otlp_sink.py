"""A real OTLP/HTTP server that answers as a test tells it to."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

Answer = tuple[int, dict[str, str], bytes]
OK: Answer = (200, {}, b"")


@dataclass
class Sink:
    """answers are used up one by one; after them everything is taken, and the spans are kept."""

    answers: list[Answer] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    poison: str | None = None  # a request with a span of that name is refused for good
    open: threading.Event = field(default_factory=threading.Event)  # while it is not set, nothing is answered
    address: str = ""

    def answer(self, path: str, headers: dict[str, str], body: bytes) -> Answer:
        self.open.wait(30)
        self.requests.append((path, headers))
        given = self.answers.pop(0) if self.answers else OK
        message = ExportTraceServiceRequest.FromString(gzip.decompress(body))
        spans = [s for rs in message.resource_spans for ss in rs.scope_spans for s in ss.spans]
        if any(span.name == self.poison for span in spans):
            return 400, {}, b"poison"
        if given[0] == 200:
            self.spans += spans
        return given

    @property
    def span_ids(self) -> list[str]:
        return sorted(span.span_id.hex() for span in self.spans)


@contextmanager
def sink(*answers: Answer) -> Iterator[Sink]:
    found = Sink(list(answers))
    found.open.set()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            named = {name.lower(): value for name, value in self.headers.items()}
            status, headers, content = found.answer(self.path, named, body)
            self.send_response(status)
            for name, value in {**headers, "content-length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    found.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield found
    finally:
        found.open.set()
        server.shutdown()
        thread.join()
        server.server_close()
