"""A line to a PostgreSQL that can be cut, and made to hang."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from sqlalchemy import make_url


class Line:
    """While it is cut nobody gets through, and whoever was is thrown out."""

    def __init__(self, target: tuple[str, int]) -> None:
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._open = True
        self._flowing = threading.Event()
        self._flowing.set()
        self._sockets: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        self._open = False
        for one in self._sockets:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        self._sockets.clear()

    def mend(self) -> None:
        self._open = True

    def hang(self) -> None:
        self._flowing.clear()

    def flow(self) -> None:
        self._flowing.set()

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.flow()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            if not self._open:
                near.close()
                continue
            far = socket.create_connection(self._target)
            self._sockets += [near, far]
            for here, there in ((near, far), (far, near)):
                threading.Thread(target=self._pump, args=(here, there), daemon=True).start()

    def _pump(self, here: socket.socket, there: socket.socket) -> None:
        with suppress(OSError):
            while data := here.recv(65_536):
                self._flowing.wait(60)
                there.sendall(data)
        for one in (here, there):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


@contextmanager
def line_to(database_url: str) -> Iterator[tuple[Line, str]]:
    """The line, and the URL of the same database behind it."""
    url = make_url(database_url)
    line = Line((url.host or "127.0.0.1", url.port or 5432))
    try:
        yield line, url.set(host="127.0.0.1", port=line.port).render_as_string(hide_password=False)
    finally:
        line.close()
