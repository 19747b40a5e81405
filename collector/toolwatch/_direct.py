"""The direct line: a record that must outlive its process is in the kernel's hands before the caller goes on.

One keep-alive connection. The calling thread writes a complete request with one system call and never
blocks; the exporting thread connects and reads the answers, seldom, because each of its wake-ups would cost
the host time. Whatever cannot be written, is refused or stays unanswered travels again in an ordinary batch.
A server that receives a record twice knows it by its span id.
"""

import collections
import contextlib
import os
import select
import socket
import ssl
import threading
import time
from collections.abc import Callable
from typing import Final

from toolwatch._http import Address, tls_context

CONNECT_S: Final = 5.0
RETRY_S: Final = 1.0  # an address where nobody listens is not worth a storm of attempts
FIRST_CALL_S: Final = 0.2  # how long the first record of a process may wait for a connection under way
ANSWER_S: Final = 10.0
IDLE_S: Final = 60.0  # without records for that long, a closed connection is not opened again
PIPELINE: Final = 512  # answers due, after which a record takes the slow way
HELD_S: Final = 0.15  # less than the 200 ms for which the kernel may hold back what is marked MSG_MORE
LOOPBACK_BYTES: Final = 16_000  # segments of at least this size are those of the loopback interface
REFUSALS: Final = 3  # after so many in a row the line is given up


class DirectLine:
    """send() and wanted() are for any thread; the others for the exporting thread alone."""

    def __init__(self, address: Address) -> None:
        self._address = address
        lines = "".join(f"{name}: {value}\r\n" for name, value in address.headers.items())
        self._head = f"POST {address.path} HTTP/1.1\r\n{lines}Content-Length: ".encode("latin-1")
        self._patience = FIRST_CALL_S
        self._refused = 0
        self._write = _write if address.tls else _writer()
        self.restart()

    def restart(self) -> None:
        """A fresh line without a connection; for the start and for a forked child."""
        self._lock = threading.Lock()
        self._tried = threading.Event()
        self._retry_s = 0.0
        self._socket: socket.socket | None = None
        self._buffer = bytearray()
        self._sent: collections.deque[tuple[bytes, float]] = collections.deque()
        self._lost: list[bytes] = []
        self._room_bytes = 0  # how much may be held back together; 0: nothing
        self._held_since_s = 0.0
        self._held_bytes = 0
        self._used_s = time.monotonic()

    def send(self, record: bytes, body: bytes) -> bool:
        """Whether the record is on its way. False: the caller keeps it."""
        self._used_s = now_s = time.monotonic()
        if self._socket is None:
            if not self._patience or self._refused >= REFUSALS:
                return False
            patience, self._patience = self._patience, 0.0
            self._tried.wait(patience)
        request = b"%b%d\r\n\r\n%b" % (self._head, len(body), body)
        with self._lock:
            more = self._may_wait(len(request), now_s)
            line = self._socket
            if line is None or len(self._sent) >= PIPELINE:
                return False
            if self._write(line, request, more) != len(request):
                self._hang_up()
                return False
            self._sent.append((record, now_s))
            return True

    def _may_wait(self, size_bytes: int, now_s: float) -> bool:
        """Whether the kernel may hold the request back, so that the receiver wakes for several at once.

        When a process dies, the kernel delivers what it holds back, unless an answer lies unread. So nothing
        is held back while an answer may come: all that is unanswered must be held back together. Called with
        the lock held; reads the answers when it has to know.
        """
        if self._sent:
            self._held_bytes += size_bytes
            if now_s - self._held_since_s < HELD_S and self._held_bytes < self._room_bytes:
                return True
            if self._socket is not None:
                self._receive(self._socket)
        self._held_since_s, self._held_bytes = now_s, size_bytes
        held = not self._sent and size_bytes < self._room_bytes
        if not held:
            self._held_bytes = self._room_bytes  # it goes out at once, and its answer may come at any time
        return held

    def wanted(self) -> bool:
        """Whether a connection should be opened: records are coming, and the last attempt was long ago."""
        due = self._socket is None and time.monotonic() >= self._retry_s
        return due and self.used_lately() and self._refused < REFUSALS

    def used_lately(self) -> bool:
        return time.monotonic() - self._used_s < IDLE_S

    def expect(self) -> None:
        """Records may come soon."""
        self._used_s = time.monotonic()

    @property
    def connected(self) -> bool:
        return self._socket is not None

    def waiting(self) -> bool:
        """Whether an answer is still due."""
        return bool(self._sent)

    def connect(self) -> None:
        try:
            line = socket.create_connection((self._address.host, self._address.port), CONNECT_S)
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._address.tls:
                line = tls_context().wrap_socket(line, server_hostname=self._address.host)
            line.setblocking(False)
        except OSError:
            self._retry_s = time.monotonic() + RETRY_S
        else:
            with self._lock:
                self._socket, self._buffer = line, bytearray()
                self._room_bytes = self._room_of(line)
        self._tried.set()

    def _room_of(self, line: socket.socket) -> int:
        if self._write is _write or not hasattr(socket, "MSG_MORE"):
            return 0
        segment_bytes = line.getsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG)
        return segment_bytes if segment_bytes >= LOOPBACK_BYTES else 0

    def tend(self) -> list[bytes]:
        """Reads the answers that have come; gives back what has to be sent again."""
        with self._lock:
            line = self._socket
            if line is not None:
                self._receive(line)
                if self._sent and time.monotonic() - self._sent[0][1] > ANSWER_S:
                    self._hang_up()
            lost, self._lost = self._lost, []
            return lost

    def settle(self, deadline_s: float) -> None:
        """Until every answer has come, or the time is over."""
        with self._lock:
            if self._socket is not None and self._sent:  # setting this once more sends what is held back
                self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while self._sent and (left_s := deadline_s - time.monotonic()) > 0:
            line = self._socket
            if line is None:
                return
            with contextlib.suppress(OSError, ValueError):
                select.select([line], [], [], min(left_s, 0.1))
            with self._lock:
                if self._socket is line:
                    self._receive(line)

    def close(self) -> None:
        with self._lock:
            self._hang_up()

    def _receive(self, line: socket.socket) -> None:
        """Called with the lock held."""
        try:
            chunk = line.recv(65_536)
        except (BlockingIOError, InterruptedError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return
        except (OSError, ValueError):
            self._hang_up()
            return
        if not chunk or not self._take(chunk):
            self._hang_up()

    def _take(self, chunk: bytes) -> bool:
        """Whether the connection is of further use."""
        self._buffer += chunk
        while (answer := _answer(self._buffer)) is not None:
            status, stays = answer
            record = self._sent.popleft()[0] if self._sent else None
            taken = 200 <= status < 300
            if record is not None and not taken:
                self._lost.append(record)
            self._refused = 0 if taken else self._refused + 1
            if not stays or self._refused >= REFUSALS:
                return False
        return True

    def _hang_up(self) -> None:
        """Called with the lock held. What stayed without an answer is lost."""
        line, self._socket = self._socket, None
        self._lost += [record for record, _ in self._sent]
        self._sent.clear()
        if line is not None:
            line.close()

    def drop_inherited(self) -> None:
        """In a forked child: let go of the parent's connection without saying goodbye on it."""
        line = self._socket
        self.restart()
        if line is not None:
            os.close(line.detach())


Write = Callable[[socket.socket, bytes, bool], int]


def _writer() -> Write:
    """The C library's send() without giving up the interpreter's lock, where it can be had.

    The socket never blocks, so the call is short. The methods of Python's sockets hand the interpreter to
    the next waiting thread, which in a batch of parallel calls costs the host ten times the call itself.
    """
    try:
        import ctypes

        send = ctypes.PyDLL(None).send
        send.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int)
        send.restype = ctypes.c_ssize_t
        now = socket.MSG_NOSIGNAL | socket.MSG_DONTWAIT
        later = now | getattr(socket, "MSG_MORE", 0)
    except (ImportError, OSError, TypeError, AttributeError):  # Windows, or no ctypes
        return _write
    return lambda line, request, more: int(send(line.fileno(), request, len(request), later if more else now))


def _write(line: socket.socket, request: bytes, more: bool) -> int:
    try:
        return line.send(request)
    except OSError:  # would block, broken, or TLS that wants something first
        return 0


def _answer(buffer: bytearray) -> tuple[int, bool] | None:
    """Takes one complete answer off the buffer: its status, and whether the connection stays."""
    end = buffer.find(b"\r\n\r\n")
    if end < 0:
        return None
    head = bytes(buffer[: end + 2]).lower()
    body = end + 4
    if b"\r\ntransfer-encoding: chunked\r\n" in head:
        last = buffer.find(b"0\r\n\r\n", body)
        if last < 0:
            return None
        body = last + 5
    else:
        body += int(_header(head, b"content-length") or b"0")
        if len(buffer) < body:
            return None
    del buffer[:body]
    return int(head[9:12]), _header(head, b"connection") != b"close"


def _header(head: bytes, name: bytes) -> bytes:
    place = head.find(b"\r\n" + name + b":")
    return head[place + len(name) + 3 : head.index(b"\r\n", place + 2)].strip() if place >= 0 else b""
