"""Retention as a background job, and what it has done so far."""

import threading
import time
from typing import Final

import structlog

from toolwatch_server.domain.keeping import Kept, Pruned
from toolwatch_server.errors import ToolwatchError
from toolwatch_server.storage.retention import Retention

log = structlog.get_logger(__name__)

EVERY_S: Final = 60.0


class Keeper:
    def __init__(self, retention: Retention) -> None:
        self._retention = retention
        self._kept = Kept(rules=retention.rules)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="toolwatch: retention", daemon=True)

    def start(self) -> None:
        if self._retention.rules:
            self._thread.start()

    def close(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def status(self) -> Kept:
        return self._kept

    def work(self) -> None:
        error, pruned = None, Pruned()
        try:
            pruned = self._retention.prune()
        except ToolwatchError as failure:
            error = failure.message
            log.warning("could not delete what is too old or too much", error=error)
        self._kept = Kept(
            rules=self._kept.rules, pruned=self._kept.pruned + pruned, last_run_ns=time.time_ns(), error=error
        )

    def _run(self) -> None:
        wait_s = 0.0
        while not self._stop.wait(wait_s):
            self.work()
            wait_s = EVERY_S
