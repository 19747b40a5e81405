"""/metrics: figures for Prometheus; in OpenMetrics, with examples that carry the id of a trace."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Final

import structlog
from fastapi import APIRouter, Request
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.samples import Exemplar
from starlette.responses import Response

from toolwatch_server.domain.tallies import BUCKETS_S, Tallies, Tally
from toolwatch_server.storage.engine import Reader
from toolwatch_server.storage.queries.tallies import tallies

log = structlog.get_logger(__name__)

_ENDS: Final = (*(f"{end:g}" for end in BUCKETS_S), "+Inf")
_NS_PER_S: Final = 1_000_000_000

OpenReader = Callable[[], AbstractContextManager[Reader]]


def routes(registry: CollectorRegistry, open_reader: OpenReader) -> APIRouter:
    router, everything = APIRouter(include_in_schema=False), _Everything(registry, open_reader)

    @router.get("/metrics")
    def metrics(request: Request) -> Response:
        encode, media_type = choose_encoder(request.headers.get("accept", ""))
        return Response(encode(everything), headers={"content-type": media_type})

    return router


class _Everything(CollectorRegistry):
    """What this process counts; and what the database counts, as long as it answers."""

    def __init__(self, own: CollectorRegistry, open_reader: OpenReader) -> None:
        super().__init__()
        self._own = own
        self._open_reader = open_reader

    def collect(self) -> Iterator[Metric]:
        yield from self._own.collect()
        try:
            with self._open_reader() as db:
                found = tallies(db)
        except Exception as error:
            log.warning("figures of calls are missing from /metrics", error=str(error))
            found = None
        answers = 0 if found is None else 1
        yield GaugeMetricFamily("toolwatch_database_up", "Whether the database answers.", value=answers)
        if found is not None:
            yield from _now(found)
            yield from _counted(found.counted)


def _now(found: Tallies) -> Iterator[Metric]:
    name = "toolwatch_tool_calls"
    yield GaugeMetricFamily(f"{name}_running", "Calls that are running.", value=found.running)
    yield GaugeMetricFamily(f"{name}_waiting", "Calls that wait for a person.", value=found.waiting)
    yield GaugeMetricFamily("toolwatch_database_bytes", "Size of the database.", value=found.size_bytes)


def _counted(rows: Iterable[Tally]) -> Iterator[Metric]:
    calls = CounterMetricFamily(
        "toolwatch_tool_calls",
        "Calls that have ended, by outcome.",
        labels=("tool", "service", "outcome"),
    )
    executions = CounterMetricFamily(
        "toolwatch_tool_executions", "How often the bodies of tools ran.", labels=("tool", "service")
    )
    durations = HistogramMetricFamily(
        "toolwatch_tool_call_duration_seconds",
        "How long calls ran; waiting for people is not in it.",
        labels=("tool", "service"),
    )
    by_outcome: dict[tuple[str, str, str], int] = defaultdict(int)
    by_pair: dict[tuple[str, str], list[Tally]] = defaultdict(list)
    for row in rows:
        by_outcome[row.tool, row.service, row.outcome] += row.calls
        by_pair[row.tool, row.service].append(row)
    for labels, number in by_outcome.items():
        calls.add_metric(labels, number)
    for pair, some in by_pair.items():
        executions.add_metric(pair, sum(row.executions for row in some))
        measured = [row for row in some if row.bucket >= 0]
        durations.add_metric(pair, _buckets(measured), sum(row.seconds for row in measured))
    yield from (calls, executions, durations)


def _buckets(rows: list[Tally]) -> list[tuple[str, float] | tuple[str, float, Exemplar]]:
    found: list[tuple[str, float] | tuple[str, float, Exemplar]] = []
    below = 0
    for number, end in enumerate(_ENDS):
        inside = [row for row in rows if row.bucket == number]
        below += sum(row.calls for row in inside)
        newest = max(inside, key=lambda row: row.example_ns, default=None)
        if newest is not None and newest.trace_id and newest.example_seconds is not None:
            found.append((end, below, _exemplar(newest.trace_id, newest.example_seconds, newest.example_ns)))
        else:
            found.append((end, below))
    return found


def _exemplar(trace_id: str, seconds: float, at_ns: int) -> Exemplar:
    return Exemplar({"trace_id": trace_id}, seconds, at_ns / _NS_PER_S)
