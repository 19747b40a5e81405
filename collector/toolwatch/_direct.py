"""The direct line: a record that must outlive its process is in the kernel's hands before the caller goes on.

One keep-alive connection. The calling thread writes a complete request without blocking; a background thread
connects and reads the answers. Whatever cannot be written, is refused or stays unanswered is handed back, to
travel in an ordinary batch. A server that receives a record twice knows it by its span id.
"""

import base64
import collections
import contextlib
import os
import select
import socket
import ssl
import threading
import time
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from toolwatch._http import MEDIA, setting

CONNECT_S: Final = 5.0
FIRST_CALL_S: Final = 0.2  # how long the first record of a process may wait for a connection under way
ANSWER_S: Final = 10.0
IDLE_S: Final = 60.0  # without records for that long, a closed connection is not opened again
PIPELINE: Final = 64
GATHER_S: Final = (
    0.02  # answers are read in handfuls: a wake-up of our thread for each would cost the host time
)
REFUSALS: Final = 3  # after so many in a row the line is given up

HandBack = Callable[[bytes], None]


@dataclass(frozen=True, slots=True)
class Address:
    host: str
    port: int
    tls: bool
    head: bytes

    @classmethod
    def of(cls, url: str, headers: Mapping[str, str]) -> "Address | None":
        """None where a direct line is not possible: a proxy, or an address that is not HTTP."""
        parts = urlsplit(url)
        if (
            parts.scheme not in {"http", "https"}
            or not parts.hostname
            or _proxied(parts.scheme, parts.netloc)
        ):
            return None
        tls = parts.scheme == "https"
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        sent = {"Host": parts.netloc.rpartition("@")[2], "Content-Type": MEDIA, **headers}
        if parts.username and "authorization" not in {name.lower() for name in sent}:
            login = f"{parts.username}:{parts.password or ''}".encode()
            sent["Authorization"] = f"Basic {base64.b64encode(login).decode()}"
        lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        head = f"POST {path} HTTP/1.1\r\n{lines}Content-Length: ".encode("latin-1")
        return cls(parts.hostname, parts.port or (443 if tls else 80), tls, head)


class DirectLine:
    """Thread-safe. hand_back(record) is called for every record that did not arrive for sure."""

    def __init__(self, address: Address, hand_back: HandBack) -> None:
        self._address = address
        self._hand_back = hand_back
        self._patience = FIRST_CALL_S
        self._refused = 0
        self.restart()

    def restart(self) -> None:
        """A fresh line without a connection; for the start and for a forked child."""
        self._lock = threading.Lock()
        self._wanted = threading.Event()
        self._ready = threading.Event()
        self._socket: socket.socket | None = None
        self._sent: collections.deque[tuple[bytes, float]] = collections.deque()
        self._used_s = time.monotonic()
        self._pid = os.getpid()
        self._thread: threading.Thread | None = None

    def warm(self) -> None:
        """Records may come soon: connect in the background unless connected."""
        self._used_s = time.monotonic()
        if self._socket is not None or self._refused >= REFUSALS:
            return
        if self._thread is None or not self._thread.is_alive():
            self._start()
        self._wanted.set()

    def _start(self) -> None:
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._work, name="toolwatch-direct", daemon=True)
                self._thread.start()

    def send(self, record: bytes, body: bytes) -> bool:
        """Whether the record is on its way. False: the caller keeps it."""
        self.warm()
        if self._socket is None and self._patience and self._refused < REFUSALS:
            patience, self._patience = self._patience, 0.0
            self._ready.wait(patience)
        request = b"%b%d\r\n\r\n%b" % (self._address.head, len(body), body)
        with self._lock:
            line = self._socket
            if line is None or len(self._sent) >= PIPELINE:
                return False
            now_s = time.monotonic()
            if _write(line, request) != len(request):
                self._hang_up()
                return False
            self._sent.append((record, now_s))
            return True

    def waiting(self) -> bool:
        """Whether an answer is still due."""
        return bool(self._sent)

    def _work(self) -> None:
        pid = self._pid
        while os.getpid() == pid:
            self._wanted.wait()
            self._wanted.clear()
            if self._refused >= REFUSALS:
                return
            self._ready.clear()
            line = self._connect()
            if line is None:
                continue
            self._read(line)
            if time.monotonic() - self._used_s < IDLE_S:
                self._wanted.set()

    def _connect(self) -> socket.socket | None:
        try:
            line = socket.create_connection((self._address.host, self._address.port), CONNECT_S)
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._address.tls:
                context = ssl.create_default_context(cafile=setting("CERTIFICATE"))
                line = context.wrap_socket(line, server_hostname=self._address.host)
            line.setblocking(False)
        except OSError:
            self._ready.set()
            time.sleep(1.0)  # an address where nobody listens is not worth a storm of attempts
            return None
        with self._lock:
            self._socket = line
        self._ready.set()
        return line

    def _read(self, line: socket.socket) -> None:
        """Reads answers until the connection ends; then hands back what stayed without one."""
        buffer = bytearray()
        while self._socket is line:
            try:
                readable = select.select([line], [], [], 1.0)[0]
                if readable:
                    time.sleep(GATHER_S)
                with self._lock:
                    chunk = line.recv(65_536) if readable else None
            except (BlockingIOError, ssl.SSLWantReadError):
                continue
            except (OSError, ValueError):
                break
            if chunk == b"" or (chunk and not self._take(buffer, chunk)) or self._overdue():
                break
        with self._lock:
            if self._socket is line:
                self._hang_up()
            lost, self._sent = list(self._sent), collections.deque()
        line.close()
        for record, _ in lost:
            self._hand_back(record)

    def _take(self, buffer: bytearray, chunk: bytes) -> bool:
        """Whether the connection is of further use."""
        buffer += chunk
        while (answer := _answer(buffer)) is not None:
            status, stays = answer
            record = self._sent.popleft()[0] if self._sent else None
            if record is not None and not 200 <= status < 300:
                self._hand_back(record)
            self._refused = 0 if 200 <= status < 300 else self._refused + 1
            if not stays or self._refused >= REFUSALS:
                return False
        return True

    def _overdue(self) -> bool:
        return bool(self._sent) and time.monotonic() - self._sent[0][1] > ANSWER_S

    def _hang_up(self) -> None:
        line, self._socket = self._socket, None
        if line is not None:
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)

    def drop_inherited(self) -> None:
        """In a forked child: let go of the parent's connection without saying goodbye on it."""
        line = self._socket
        self.restart()
        if line is not None:
            os.close(line.detach())


def _write(line: socket.socket, request: bytes) -> int:
    """Not with MSG_MORE: what the kernel holds back is lost when a process dies with unread answers."""
    try:
        return line.send(request)
    except OSError:  # would block, broken, or TLS that wants something first
        return 0


def _answer(buffer: bytearray) -> tuple[int, bool] | None:
    """Takes one complete answer off the buffer: its status, and whether the connection stays."""
    end = buffer.find(b"\r\n\r\n")
    if end < 0:
        return None
    lines = bytes(buffer[:end]).decode("latin-1").split("\r\n")
    headers = {
        name.strip().lower(): value.strip().lower()
        for name, _, value in (h.partition(":") for h in lines[1:])
    }
    body = end + 4
    if "chunked" in headers.get("transfer-encoding", ""):
        last = buffer.find(b"0\r\n\r\n", body)
        if last < 0:
            return None
        body = last + 5
    else:
        body += int(headers.get("content-length", "0"))
        if len(buffer) < body:
            return None
    del buffer[:body]
    return int(lines[0].split(" ")[1]), headers.get("connection") != "close"


def _proxied(scheme: str, netloc: str) -> bool:
    return scheme in urllib.request.getproxies() and not urllib.request.proxy_bypass(netloc)
