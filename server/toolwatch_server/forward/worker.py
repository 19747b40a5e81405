"""One thread for each destination: what hangs or refuses there disturbs neither ingest nor the others."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Protocol

import structlog

from toolwatch_server.domain.forwarding import Forwarding
from toolwatch_server.errors import ToolwatchError
from toolwatch_server.forward.backoff import Backoff
from toolwatch_server.forward.counts import Counts
from toolwatch_server.forward.destinations import Destination
from toolwatch_server.forward.verdict import Later, Never, Verdict
from toolwatch_server.ingest.otlp.mend import varint
from toolwatch_server.storage.outbox import Backlog, Batch, Outbox

log = structlog.get_logger(__name__)

LOOK_EVERY_S: Final = 1.0
EXPIRE_EVERY_S: Final = 60.0
GIVE_UP_AFTER_NS: Final = 24 * 3_600_000_000_000
REQUEST_BYTES: Final = 3_500_000  # gRPC receivers take 4 MB unless told otherwise
JOIN_S: Final = 2.0  # whoever hangs longer is left behind; what he holds is claimed again later
_RESOURCE_SPANS: Final = b"\x0a"

Raws = Sequence[bytes]


class Sender(Protocol):
    def send(self, body: bytes) -> Verdict: ...

    def close(self) -> None: ...


class Worker:
    def __init__(
        self,
        destination: Destination,
        outbox: Outbox,
        counts: Counts,
        connect: Callable[[Destination], Sender],
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._destination = destination
        self._outbox = outbox
        self._counts = counts
        self._sender = connect(destination)
        self._now_ns = now_ns
        self._backoff = Backoff()
        self._stop = threading.Event()
        self._thread = threading.Thread(
            target=self._run, name=f"toolwatch: forward to {self._name}", daemon=True
        )
        self._next_expiry_ns = 0
        self._last_sent_ns: int | None = None
        self._error: str | None = None
        self._complaint: str | None = None  # about the batch that is being sent

    @property
    def _name(self) -> str:
        return self._destination.name

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join(JOIN_S)

    def status(self) -> Forwarding:
        to = self._destination
        only = "failures" if to.failures else "everything" if to.service is None else f"service {to.service}"
        backlog = self._backlog()
        return Forwarding(
            name=to.name,
            endpoint=to.endpoint,
            only=only,
            waiting=backlog.waiting,
            oldest_ns=backlog.oldest_ns,
            last_sent_ns=self._last_sent_ns,
            error=self._error,
            **self._counts.of(to.name),
        )

    def _backlog(self) -> Backlog:
        return self._outbox.backlog(self._name)

    def _run(self) -> None:
        wait_s = 0.0
        while not self._stop.wait(wait_s):
            try:
                wait_s = self.work()
            except ToolwatchError as error:
                log.warning("cannot forward", destination=self._name, error=error.message)
                wait_s = LOOK_EVERY_S
            except Exception:
                log.exception("forwarding failed", destination=self._name)
                wait_s = LOOK_EVERY_S
        self._sender.close()

    def work(self) -> float:
        """Send one batch, if there is any. Returns how many seconds to wait."""
        self._expire()
        batch = self._outbox.claim(self._name)
        if batch is None:
            return LOOK_EVERY_S
        self._counts.deleted(self._name, batch.deleted)
        self._complaint = None
        for raws in _requests(batch.raws):
            if (later := self._send(raws)) is not None:
                return self._wait(batch, later)
        self._outbox.done(batch)
        self._error = self._complaint
        return 0.0

    def _send(self, raws: Raws) -> Later | None:
        """None when all is settled, for good or for bad."""
        verdict = self._sender.send(b"".join(_RESOURCE_SPANS + varint(len(raw)) + raw for raw in raws))
        if isinstance(verdict, Later):
            return verdict
        if isinstance(verdict, Never):
            return self._refused(raws, verdict)
        self._backoff.succeeded()
        self._last_sent_ns, self._complaint = self._now_ns(), verdict.message or self._complaint
        self._counts.sent(self._name, len(raws) - verdict.refused)
        self._counts.refused(self._name, verdict.refused)
        return None

    def _refused(self, raws: Raws, verdict: Never) -> Later | None:
        """One bad or huge span must not take the others with it."""
        if verdict.in_parts and len(raws) > 1:
            middle = len(raws) // 2
            return self._send(raws[:middle]) or self._send(raws[middle:])
        self._complaint = verdict.reason
        log.warning("refused for good", destination=self._name, spans=len(raws), reason=verdict.reason)
        self._counts.refused(self._name, len(raws))
        return None

    def _wait(self, batch: Batch, later: Later) -> float:
        wait_s = self._backoff.failed(later.after_s)
        if self._error is None:
            log.warning("cannot forward now", destination=self._name, reason=later.reason)
        self._error = later.reason
        self._outbox.postpone(batch, self._now_ns() + round(wait_s * 1e9))
        return wait_s

    def _expire(self) -> None:
        now_ns = self._now_ns()
        if now_ns >= self._next_expiry_ns:
            self._next_expiry_ns = now_ns + round(EXPIRE_EVERY_S * 1e9)
            self._counts.expired(self._name, self._outbox.expire(self._name, now_ns - GIVE_UP_AFTER_NS))


def _requests(raws: Raws) -> Iterator[Raws]:
    """As many spans in a request as it may hold; a single one may be larger."""
    some: list[bytes] = []
    size = 0
    for raw in raws:
        if some and size + len(raw) > REQUEST_BYTES:
            yield some
            some, size = [], 0
        some.append(raw)
        size += len(raw)
    if some:
        yield some
