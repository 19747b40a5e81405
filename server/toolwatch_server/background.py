"""What the server does by itself from time to time."""

import threading
from collections.abc import Callable
from typing import Protocol

import structlog

from toolwatch_server.errors import ToolwatchError

log = structlog.get_logger(__name__)


class Job(Protocol):
    def start(self) -> None: ...

    def close(self) -> None: ...


class Every:
    """Calls work again and again on a thread of its own; what fails is said and tried the next time."""

    def __init__(self, seconds: float, work: Callable[[], object], doing: str) -> None:
        self._seconds = seconds
        self._work = work
        self._doing = doing
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"toolwatch: {doing}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(self._seconds):
            try:
                self._work()
            except ToolwatchError as error:
                log.warning(f"could not {self._doing}", error=error.message)
