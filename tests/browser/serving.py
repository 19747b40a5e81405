"""The real application on a free port, in a thread of this process."""

import threading
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from tests.browser.seed import Story
from toolwatch_server.app import create_app
from toolwatch_server.settings import load

STARTS_WITHIN_S = 30


@dataclass
class Server:
    url: str

    def send(self, *stories: Story) -> None:
        for story in stories:
            headers = {"content-type": "application/json"}
            request = urllib.request.Request(f"{self.url}/v1/traces", data=story.body(), headers=headers)
            with urllib.request.urlopen(request) as answer:
                assert answer.status == 200


class Serving:
    """A context in which a server keeps its calls in folder. Debug mode shows the gallery."""

    def __init__(self, folder: Path, **settings: str) -> None:
        app = create_app(
            load({}, database_url=f"sqlite:///{folder / 'calls.db'}", port=0, grpc_port=0, **settings)
        )
        app.debug = True
        self._server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error"))
        self._thread = threading.Thread(target=self._server.run, daemon=True)

    def __enter__(self) -> Server:
        self._thread.start()
        until = time.monotonic() + STARTS_WITHIN_S
        while not self._server.started:
            assert time.monotonic() < until, "the server did not start"
            time.sleep(0.02)
        port = self._server.servers[0].sockets[0].getsockname()[1]
        return Server(f"http://127.0.0.1:{port}")

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(timeout=STARTS_WITHIN_S)
