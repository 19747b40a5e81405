"""One thread that writes. Whatever arrives while it commits forms its next batch.

So a lone request never waits for company, and a crowd shares commits. A promise is kept at the commit, not
before.
"""

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final

import structlog

from toolwatch_server.domain.record import Record, Saved
from toolwatch_server.errors import Busy, Closing, StorageDown

log = structlog.get_logger(__name__)

MAX_BATCH_RECORDS: Final = 1000
MAX_WAITING: Final = 10_000  # requests; their bytes are bounded by the budget that they hold

Save = Callable[[Sequence[Record]], Saved]


@dataclass(frozen=True, slots=True)
class _Job:
    records: Sequence[Record]
    promise: "Future[Saved]"


class Writer:
    """save is called from one thread only, and must store all records it is given, or none."""

    def __init__(self, save: Save) -> None:
        self._save = save
        self._jobs: queue.Queue[_Job | None] = queue.Queue(MAX_WAITING)
        self._closing = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="toolwatch-writer", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def submit(self, records: Sequence[Record]) -> "Future[Saved]":
        """A promise that is kept at the commit. It fails as StorageDown, or as what save raised.

        In a batch of several requests, Saved counts those of the whole batch only for its first request.
        Raises Busy, Closing.
        """
        promise: Future[Saved] = Future()
        with self._closing:
            if self._closed:
                raise Closing("The server is shutting down.")
            try:
                self._jobs.put_nowait(_Job(records, promise))
            except queue.Full:
                raise Busy("Too many requests wait for the database. Try again in a moment.") from None
        return promise

    def waiting(self) -> int:
        """How many requests wait for their turn."""
        return self._jobs.qsize()

    def close(self, timeout_s: float = 30.0) -> bool:
        """Take nothing more, write what waits, and stop. False when that took too long."""
        with self._closing:
            if not self._closed:
                self._closed = True
                self._jobs.put(None)
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _work(self) -> None:
        last = False
        while not last:
            batch, last = self._next_batch()
            if batch:
                self._commit(batch)

    def _next_batch(self) -> tuple[list[_Job], bool]:
        job = self._jobs.get()
        batch: list[_Job] = []
        while job is not None:
            batch.append(job)
            if sum(len(j.records) for j in batch) >= MAX_BATCH_RECORDS:
                return batch, False
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                return batch, False
        return batch, True

    def _commit(self, batch: list[_Job]) -> None:
        try:
            saved = self._save([record for job in batch for record in job.records])
        except StorageDown as error:
            for job in batch:
                job.promise.set_exception(error)
        except Exception as error:
            if len(batch) == 1:
                log.exception("a request could not be saved")
                batch[0].promise.set_exception(error)
                return
            for job in batch:  # one request must not take the others down with it
                self._commit([job])
        else:
            nothing = Saved(stored=0, duplicates=0, touched=())
            for place, job in enumerate(batch):
                job.promise.set_result(saved if place == 0 else nothing)
