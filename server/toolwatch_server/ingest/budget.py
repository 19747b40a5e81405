"""How many bytes of requests may be in the house at once: read, decoded, or waiting for the database."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from toolwatch_server.errors import Busy

if TYPE_CHECKING:
    from concurrent.futures import Future


class Lease:
    """What one request takes; it grows while the request is read, and is given back as a whole."""

    def __init__(self, budget: "Budget") -> None:
        self._budget = budget
        self.bytes = 0
        self.until: Future[Any] | None = None

    def keep_until(self, saved: "Future[Any] | None") -> None:
        """Records stay in memory until they are saved, also when nobody waits for the answer any more."""
        self.until = saved

    def grow(self, by_bytes: int) -> None:
        """Raises Busy when there is no room."""
        self._budget.take(by_bytes)
        self.bytes += by_bytes


class Budget:
    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self.taken_bytes = 0

    @contextmanager
    def lease(self) -> Iterator[Lease]:
        lease = Lease(self)
        try:
            yield lease
        finally:
            if lease.until is None:
                self._give_back(lease)
            else:
                lease.until.add_done_callback(lambda _: self._give_back(lease))

    def _give_back(self, lease: Lease) -> None:
        with self._lock:
            self.taken_bytes -= lease.bytes

    def take(self, by_bytes: int) -> None:
        with self._lock:
            if self.taken_bytes + by_bytes > self._max_bytes:
                raise Busy("Too much is waiting for the database already. Try again in a moment.")
            self.taken_bytes += by_bytes
