"""How many bytes of requests may be in the house at once: read, decoded, or waiting for the database."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from toolwatch_server.errors import Busy


class Lease:
    """What one request takes; it grows while the request is read, and is given back as a whole."""

    def __init__(self, budget: "Budget") -> None:
        self._budget = budget
        self.bytes = 0

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
            with self._lock:
                self.taken_bytes -= lease.bytes

    def take(self, by_bytes: int) -> None:
        with self._lock:
            if self.taken_bytes + by_bytes > self._max_bytes:
                raise Busy("Too much is waiting for the database already. Try again in a moment.")
            self.taken_bytes += by_bytes
