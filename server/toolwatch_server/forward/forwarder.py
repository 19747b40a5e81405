"""All destinations together."""

from collections.abc import Sequence
from functools import partial
from math import nan

import structlog
from prometheus_client import CollectorRegistry, Gauge

from toolwatch_server.domain.forwarding import Forwarding
from toolwatch_server.forward.counts import Counts
from toolwatch_server.forward.destinations import Destination
from toolwatch_server.forward.over_http import OverHttp
from toolwatch_server.forward.worker import Sender, Worker
from toolwatch_server.storage.outbox import Outbox, Route

log = structlog.get_logger(__name__)


def routes_to(destinations: Sequence[Destination]) -> tuple[Route, ...]:
    return tuple(Route(to.name, service=to.service, failures=to.failures) for to in destinations)


class Forwarder:
    def __init__(
        self, destinations: Sequence[Destination], outbox: Outbox, registry: CollectorRegistry
    ) -> None:
        counts = Counts(registry)
        self._workers = [Worker(to, outbox, counts, connect) for to in destinations]
        waiting = Gauge(
            "toolwatch_forward_waiting_spans",
            "Spans that still have to be passed on.",
            ("destination",),
            registry=registry,
        )
        for to in destinations:
            counts.known(to.name)
            waiting.labels(to.name).set_function(partial(_waiting, outbox, to.name))

    def start(self) -> None:
        for worker in self._workers:
            worker.start()

    def close(self) -> None:
        for worker in self._workers:
            worker.close()

    def status(self) -> tuple[Forwarding, ...]:
        return tuple(worker.status() for worker in self._workers)


def _waiting(outbox: Outbox, name: str) -> float:
    try:
        return outbox.backlog(name).waiting
    except Exception as error:  # other figures must be shown all the same
        log.warning("the number of waiting spans is not known", destination=name, error=str(error))
        return nan


def connect(destination: Destination) -> Sender:
    if not destination.speaks_grpc:
        return OverHttp(destination)
    from toolwatch_server.forward.over_grpc import OverGrpc  # megabytes of memory that not everyone needs

    return OverGrpc(destination)
