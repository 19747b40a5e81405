"""The way out: a bounded queue, one thread that renders and sends, and the direct line for starts."""

import collections
import os
import threading
import time
from collections.abc import Callable, Mapping
from typing import Final

from opentelemetry.sdk.resources import Resource
from opentelemetry.trace import SpanContext

from toolwatch._direct import Address, DirectLine
from toolwatch._guard import guarded, say_once
from toolwatch._http import Fate, Poster
from toolwatch._otlp import Envelope, span_bytes
from toolwatch._spans import Ids, OpenSpan, Render, open_own

QUEUE: Final = 4096  # records; each holds at most a few texts of bounded length
BATCH: Final = 256
BATCH_BYTES: Final = 1_000_000
POLITE: Final = (
    8  # after so many records our thread lets others go first: it would keep the interpreter for long
)
DELAY_S: Final = 0.5
BACKOFF_S: Final = (1.0, 2.0, 5.0, 10.0, 30.0)
EXIT_S: Final = 5.0
EXIT_UNREACHABLE_S: Final = 0.5  # when the last attempt to send failed, an exit does not wait long

Item = bytes | Callable[[], bytes]  # a record as it is sent, or what makes one
Report = Callable[[int], None]


class Pipeline:
    """Sends to one endpoint. Never blocks the host, except once for a first connection (see DirectLine)."""

    def __init__(
        self, url: str, headers: Mapping[str, str], resource: Callable[[], Resource], report: Report
    ) -> None:
        self._url, self._headers = url, dict(headers)
        self._make_resource, self._report = resource, report
        self._ids = Ids()
        address = Address.of(url, self._headers)
        self._line = DirectLine(address, self._hand_back) if address is not None else None
        self._reset()
        self.warm()

    def _reset(self) -> None:
        self._resource = self._make_resource()
        self._envelope = Envelope(self._resource)
        self._queue: collections.deque[Item] = collections.deque()
        self._held: list[bytes] = []  # rendered, sending failed, will be sent again
        self._condition = threading.Condition()
        self._sending = threading.Lock()
        self._poster = Poster(self._url, self._headers)
        self._failures = 0
        self._dropped = 0
        self._urgent = False
        self._idle = False  # the thread sleeps until somebody wakes it
        self._closed = False
        self._thread: threading.Thread | None = None
        self._pid = os.getpid()

    def after_fork(self) -> None:
        """In the child: what was queued is the parent's to send; connections and threads are new."""
        self._ids.reseed()
        self._reset()
        if self._line is not None:
            self._line.drop_inherited()

    def open(self, name: str, parent: SpanContext | None, start_ns: int | None = None) -> OpenSpan:
        return open_own(self._ids, parent, start_ns)

    def close(self, span: OpenSpan, render: Render) -> None:
        self._put(lambda: span_bytes(span, render()), urgent=False)

    def announce(self, span: OpenSpan, render: Render) -> None:
        record = span_bytes(span, render())
        if self._line is None or not self._line.send(record, self._envelope.around((record,))):
            self._put(record, urgent=True)

    def warm(self) -> None:
        if self._line is not None:
            self._line.warm()

    def _hand_back(self, record: bytes) -> None:
        self._put(record, urgent=True)

    def _put(self, item: Item, *, urgent: bool) -> None:
        if self._closed:
            return
        if len(self._queue) >= QUEUE:
            self._dropped += 1
            return
        self._queue.append(item)
        if self._thread is None or not self._thread.is_alive():
            self._start()
        if self._idle or ((urgent or len(self._queue) == QUEUE // 4) and not self._urgent):
            with self._condition:
                self._urgent = urgent or self._urgent
                self._condition.notify()

    def _start(self) -> None:
        with self._condition:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._work, name="toolwatch-export", daemon=True)
                self._thread.start()

    def _work(self) -> None:
        pid = os.getpid()
        while not self._closed and os.getpid() == pid:
            with self._condition:
                if not self._urgent:
                    self._condition.wait(self._pause_s())
                self._idle = self._urgent = False
            if self.send_all() and self._dropped:
                dropped, self._dropped = self._dropped, 0
                self._report(dropped)

    def _pause_s(self) -> float | None:
        """Called with the condition held. None: until woken."""
        if self._failures:
            return BACKOFF_S[min(self._failures, len(BACKOFF_S)) - 1]
        self._idle = True  # before the look at the queue: whoever adds to it after that look wakes us
        if not self._queue:
            return None
        self._idle = False
        return DELAY_S

    @guarded
    def send_all(self, deadline_s: float | None = None) -> bool:
        """Sends until nothing is left; whether that worked."""
        with self._sending:
            while self._queue or self._held:
                if deadline_s is not None and time.monotonic() > deadline_s:
                    return False
                if not self._send(self._held or self._batch()):
                    return False
            return True

    def _batch(self) -> list[bytes]:
        batch: list[bytes] = []
        size = 0
        while self._queue and len(batch) < BATCH and size < BATCH_BYTES:
            item = self._queue.popleft()
            record = item if isinstance(item, bytes) else _made(item)
            if record is None:
                self._dropped += 1
                continue
            batch.append(record)
            size += len(record)
            if len(batch) % POLITE == 0:
                time.sleep(0)
        return batch

    def _send(self, batch: list[bytes]) -> bool:
        """Whether to go on with the next batch."""
        self._held = batch
        fate = self._poster.post(self._envelope.around(batch)) if batch else Fate.TAKEN
        if fate is Fate.LATER:
            self._failures += 1
            say_once(
                "toolwatch: %s cannot be reached or is busy; %d records are kept meanwhile", self._url, QUEUE
            )
            return False
        self._held, self._failures = [], 0
        if fate is Fate.TOO_LARGE and len(batch) > 1:
            middle = len(batch) // 2
            return self._send(batch[:middle]) and self._send(batch[middle:])
        if fate is not Fate.TAKEN:
            self._dropped += len(batch)
            say_once("toolwatch: %s refused records", self._url)
        return True

    def flush(self, timeout_s: float) -> bool:
        """Whether everything recorded so far has been delivered within the time."""
        deadline_s = time.monotonic() + timeout_s
        while self._line is not None and self._line.waiting() and time.monotonic() < deadline_s:
            time.sleep(0.002)
        done: list[bool | None] = []
        send = threading.Thread(target=lambda: done.append(self.send_all(deadline_s)), name="toolwatch-flush")
        send.daemon = True
        send.start()
        send.join(max(deadline_s - time.monotonic(), 0.0))
        return done == [True] and not (self._line is not None and self._line.waiting())

    def shutdown(self) -> None:
        self.flush(EXIT_UNREACHABLE_S if self._failures else EXIT_S)
        self._closed = True
        with self._condition:
            self._urgent = True
            self._condition.notify_all()


@guarded
def _made(item: Callable[[], bytes]) -> bytes:
    return item()
