"""The way out: a bounded queue, one thread that sends, and the direct line for starts."""

import collections
import os
import threading
import time
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Final

from opentelemetry import context
from opentelemetry.sdk.resources import Resource
from opentelemetry.trace import SpanContext

from toolwatch._direct import DirectLine
from toolwatch._guard import guarded, report, say_once
from toolwatch._http import Address, Fate, Poster
from toolwatch._otlp import Envelope, span_bytes
from toolwatch._spans import Ids, OpenSpan, Render, open_own

QUEUE: Final = 4096  # records; each holds at most a few texts of bounded length
BATCH: Final = 256
BATCH_BYTES: Final = 1_000_000
DELAY_S: Final = 0.25
WATCH_S: Final = 1.0  # how soon a lost connection is noticed between records
BACKOFF_S: Final = (1.0, 2.0, 5.0, 10.0, 30.0)
FORK_S: Final = 1.0
EXIT_S: Final = 5.0
EXIT_UNREACHABLE_S: Final = 0.5  # when nobody has ever answered, or the last attempt failed

Item = bytes | tuple[Callable[[], bytes], str | None]  # a record, or what makes one and a text in it
Clear = Callable[[Iterable[str]], None]
Report = Callable[[int], None]


class Pipeline:
    """Sends to one endpoint. Never blocks the host, except once for a first connection (see DirectLine)."""

    def __init__(
        self, address: Address, resource: Callable[[], Resource], clear: Clear, report_losses: Report
    ) -> None:
        self._address, self._make_resource = address, resource
        self._clear, self._report = clear, report_losses
        self._ids = Ids()
        self._line = DirectLine(address) if address.proxy is None else None
        self._reset()
        self._start()

    def _reset(self) -> None:
        self._envelope: Envelope | None = None
        self._queue: collections.deque[Item] = collections.deque()
        self._held: list[bytes] = []  # rendered, sending failed, will be sent again
        self._condition = threading.Condition()
        self._sending = threading.Lock()
        self._delicate = threading.Lock()  # held while a fork would do harm
        self._frozen = False
        self._poster = Poster(self._address)
        self._failures = 0
        self._dropped = 0
        self._urgent = False
        self._idle = False  # the thread sleeps until somebody wakes it
        self._closed = False
        self._asked = self._served = 0  # flushes
        self._deadline_s = 0.0
        self._thread: threading.Thread | None = None

    def before_fork(self) -> None:
        """Not while our thread matches patterns, imports modules or looks up names, if that ends soon."""
        self._frozen = self._delicate.acquire(timeout=FORK_S)

    def after_fork_in_parent(self) -> None:
        if self._frozen:
            self._delicate.release()

    def after_fork(self) -> None:
        """In the child: what was queued is the parent's to send; connections and threads are new."""
        self._ids.reseed()
        self._poster.close()
        if self._line is not None:
            self._line.drop_inherited()
        self._reset()

    def open(self, name: str, parent: SpanContext | None, start_ns: int | None = None) -> OpenSpan:
        return open_own(self._ids, parent, start_ns)

    def close(self, span: OpenSpan, render: Render, text: str | None = None) -> None:
        self._put((lambda: span_bytes(span, render()), text))

    def announce(self, span: OpenSpan, render: Render) -> None:
        begun = OpenSpan(span.span, self._ids.beside(span.context), span.context, span.start_ns)
        record = span_bytes(begun, render())
        if self._line is None or not self._line.send(record, self._around((record,))):
            self._put(record)
            if not self._failures:
                self._wake()

    def _around(self, records: Iterable[bytes]) -> bytes:
        """The envelope is made on first use, by our thread as a rule: its texts are redacted."""
        if self._envelope is None:
            self._envelope = Envelope(self._make_resource())
        return self._envelope.around(records)

    def warm(self) -> None:
        if self._line is None:
            return
        self._line.expect()
        if self._line.wanted():
            self._start()
            self._wake()

    # --- the queue

    def _put(self, item: Item) -> None:
        if self._closed:
            return
        if len(self._queue) >= QUEUE:
            self._dropped += 1
            return
        self._queue.append(item)
        if self._thread is None or not self._thread.is_alive():
            self._start()
        elif self._idle:
            self._wake(urgent=False)
        elif len(self._queue) == QUEUE // 4 and not self._failures:
            self._wake()

    def _wake(self, *, urgent: bool = True) -> None:
        with self._condition:
            self._urgent = urgent or self._urgent
            self._idle = False
            self._condition.notify_all()

    def _start(self) -> None:
        with self._condition:
            if not self._closed and (self._thread is None or not self._thread.is_alive()):
                thread = threading.Thread(target=self._work, name="toolwatch", daemon=True)
                try:
                    thread.start()
                except RuntimeError as fault:  # the interpreter is going down
                    report("starting a thread", fault)
                else:
                    self._thread = thread

    # --- the thread

    def _work(self) -> None:
        pid = os.getpid()
        context.attach(context.set_value(context._SUPPRESS_INSTRUMENTATION_KEY, True))
        with self._delicate:
            if self._line is not None:
                self._line.connect()
            self._around(())
        while not self._closed and os.getpid() == pid:
            asked = self._pause()
            self._round(self._deadline_s if asked > self._served else None)
            if asked > self._served:
                with self._condition:
                    self._served = asked
                    self._condition.notify_all()
        if os.getpid() == pid:
            self._hang_up()

    def _hang_up(self) -> None:
        self._poster.close()
        if self._line is not None:
            self._line.close()

    def _pause(self) -> int:
        """Waits until there is something to do; answers with the number of the last flush asked for."""
        with self._condition:
            self._idle = True  # before the look at the queue: whoever adds to it after that look wakes us
            self._idle = not self._pending()
            while self._idle and self._calm():
                self._condition.wait(WATCH_S if self._watches() else None)
                if self._watches():
                    break
            if self._calm() and self._pending():
                backoff_s = BACKOFF_S[min(self._failures, len(BACKOFF_S)) - 1]
                self._condition.wait(backoff_s if self._failures else DELAY_S)
            self._idle = self._urgent = False
            return self._asked

    def _calm(self) -> bool:
        return not (self._urgent or self._closed or self._asked > self._served)

    def _watches(self) -> bool:
        """Whether there is a connection whose end should be noticed."""
        return self._line is not None and self._line.used_lately()

    @guarded
    def _round(self, deadline_s: float | None) -> None:
        if self._line is not None:
            if self._line.wanted():
                self._line.connect()
            if deadline_s is not None:
                self._line.settle(deadline_s)
            self._queue.extendleft(reversed(self._line.tend()))
        if self.send_all(deadline_s) and self._dropped:
            dropped, self._dropped = self._dropped, 0
            self._report(dropped)

    def _pending(self) -> bool:
        return bool(self._queue or self._held or (self._line is not None and self._line.waiting()))

    @guarded
    def send_all(self, deadline_s: float | None = None) -> bool:
        """Sends until nothing is left; whether that worked."""
        with self._sending:
            while self._queue or self._held:
                if deadline_s is not None and time.monotonic() > deadline_s:
                    return False
                with self._delicate:
                    batch = self._held or self._batch()
                if not self._send(batch):
                    return False
            return True

    def _batch(self) -> list[bytes]:
        batch: list[bytes] = []
        size = 0
        self._look_ahead()
        while self._queue and len(batch) < BATCH and size < BATCH_BYTES:
            item = self._queue.popleft()
            record = item if isinstance(item, bytes) else _made(item[0])
            if record is None:
                self._dropped += 1
                continue
            batch.append(record)
            size += len(record)
        return batch

    @guarded
    def _look_ahead(self) -> None:
        coming = islice(tuple(self._queue), BATCH)
        self._clear(item[1] for item in coming if not isinstance(item, bytes) and item[1] is not None)

    def _send(self, batch: list[bytes]) -> bool:
        """Whether to go on with the next batch."""
        self._held = batch
        fate = self._poster.post(self._around(batch)) if batch else Fate.TAKEN
        place = f"{self._address.host}:{self._address.port}"
        if fate is Fate.LATER:
            self._failures += 1
            say_once(
                "toolwatch: %s cannot be reached or is busy; %d records are kept meanwhile", place, QUEUE
            )
            return False
        self._held, self._failures = [], 0
        if fate is Fate.TOO_LARGE and len(batch) > 1:
            middle = len(batch) // 2
            return self._send(batch[:middle]) and self._send(batch[middle:])
        if fate is not Fate.TAKEN:
            self._dropped += len(batch)
            say_once("toolwatch: %s refused records", place)
        return True

    # --- the end

    def flush(self, timeout_s: float) -> bool:
        """Whether everything recorded so far has been delivered within the time."""
        if not self._pending():
            return True
        deadline_s = time.monotonic() + timeout_s
        self._start()
        if self._thread is None or not self._thread.is_alive():
            self._round(deadline_s)
            return not self._pending()
        with self._condition:
            self._deadline_s = max(deadline_s, self._deadline_s)
            self._asked += 1
            asked = self._asked
            self._condition.notify_all()
            self._condition.wait_for(lambda: self._served >= asked, timeout_s)
            return self._served >= asked and not self._pending()

    def shutdown(self) -> None:
        reached = self._poster.reached or (self._line is not None and self._line.connected)
        self.flush(EXIT_S if reached and not self._failures else EXIT_UNREACHABLE_S)
        with self._condition:
            self._closed = True
            self._condition.notify_all()
        if self._thread is not None:
            self._thread.join(EXIT_UNREACHABLE_S)


@guarded
def _made(item: Callable[[], bytes]) -> bytes:
    return item()
