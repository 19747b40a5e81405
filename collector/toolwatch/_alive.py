"""Signs of life: while a call is in flight, one small record every five seconds names it."""

import threading
from collections.abc import Callable
from typing import Final

INTERVAL_S: Final = 5.0
LINGER: Final = 12  # intervals without a call in flight after which the thread ends

Emit = Callable[[tuple[str, ...]], None]


class Alive:
    """Knows which calls are in flight. emit(keys) is called every INTERVAL_S while there are any."""

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self.after_fork()

    def after_fork(self) -> None:
        self._keys: dict[int, str] = {}
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def enter(self, span_id: int, key: str) -> None:
        self._keys[span_id] = key
        if self._thread is None:
            with self._lock:
                self._start()

    def _start(self) -> None:
        if self._thread is None and not self._stopped.is_set():
            self._thread = threading.Thread(target=self._work, name="toolwatch-alive", daemon=True)
            self._thread.start()

    def leave(self, span_id: int) -> None:
        self._keys.pop(span_id, None)

    def stop(self) -> None:
        self._stopped.set()

    def _work(self) -> None:
        quiet = 0
        while quiet < LINGER and not self._stopped.wait(INTERVAL_S):
            keys = tuple(dict.fromkeys(self._keys.copy().values()))
            quiet = 0 if keys else quiet + 1
            if keys:
                self._emit(keys)
        self._thread = None
