"""Stands between a collector and a server: passes every request on, and keeps it to be sent again."""

import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

import httpx2

KEPT_HEADERS = ("content-type", "content-encoding")


class Relay:
    """`kept` holds (path, headers, body) of every request, in order of arrival; `url` is where to send to."""

    def __init__(self, target: str, port: int = 0) -> None:
        self.kept: list[tuple[str, dict[str, str], bytes]] = []
        self._client = httpx2.Client(base_url=target, timeout=30)
        self._server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        relay = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                headers = {name: self.headers[name] for name in KEPT_HEADERS if name in self.headers}
                relay.kept.append((self.path, headers, body))
                answer = relay._client.post(self.path, content=body, headers=headers)
                self.send_response(answer.status_code)
                self.send_header("content-type", answer.headers.get("content-type", "text/plain"))
                self.send_header("content-length", str(len(answer.content)))
                self.end_headers()
                with suppress(ConnectionError):  # the sender may be dead by now: that is what some are for
                    self.wfile.write(answer.content)

            def log_message(self, format: str, *args: Any) -> None:
                """Not on the terminal of the tests."""

        return Handler

    def __enter__(self) -> "Relay":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._client.close()
