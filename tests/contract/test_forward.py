"""What is stored is passed on: to whom it should, once, and when the destination can take it."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTracePartialSuccess,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from prometheus_client import CollectorRegistry

from tests import otlp
from tests.conftest import Clock
from tests.live import free_port, live, wait_until
from tests.otlp_sink import Sink, sink
from toolwatch.redaction import Redactor
from toolwatch_server.forward.counts import Counts
from toolwatch_server.forward.destinations import Destination, destinations
from toolwatch_server.forward.forwarder import connect, routes_to
from toolwatch_server.forward.worker import GIVE_UP_AFTER_NS, LOOK_EVERY_S, Worker
from toolwatch_server.ingest.counts import Counts as IngestCounts
from toolwatch_server.ingest.otlp.scrub import Scrubber
from toolwatch_server.ingest.pipeline import Pipeline
from toolwatch_server.ingest.redact import TextRedactor
from toolwatch_server.ingest.writer import Writer
from toolwatch_server.storage.engine import Database
from toolwatch_server.storage.outbox import FAILURE_WITHIN_NS, LEASE_NS, Outbox
from toolwatch_server.storage.store import Store


@pytest.fixture
def there() -> Iterator[Sink]:
    with sink() as found:
        yield found


class House:
    """A store that takes requests, and a worker that is told when to work."""

    def __init__(self, database: Database, clock: Clock, **to: Any) -> None:
        self.destinations = (Destination(name="there", **to),)
        self._clock = clock
        self._database = database
        self.store = Store(database, clock=clock, routes=routes_to(self.destinations))
        self.worker = self.a_worker()

    def a_worker(self) -> Worker:
        outbox, counts = Outbox(self._database, self._clock), Counts(CollectorRegistry())
        return Worker(self.destinations[0], outbox, counts, connect, self._clock)

    def take(self, *spans: Span, **fields: Any) -> None:
        writer = Writer(self.store.save)
        scrubber = Scrubber(TextRedactor(Redactor.default()), 1_000_000)
        pipeline = Pipeline(scrubber, writer, IngestCounts(), self._clock)
        writer.start()
        taken = pipeline.take_traces(otlp.request(*spans, **fields), otlp.PROTOBUF)
        assert taken.saved is not None
        taken.saved.result(10)
        writer.close()


MakeHouse = Callable[..., House]


@pytest.fixture
def house(database: Database, clock: Clock, there: Sink) -> MakeHouse:
    def make(**to: Any) -> House:
        return House(database, clock, **{"endpoint": there.address, **to})

    return make


def spans(*numbers: int, **fields: Any) -> list[Span]:
    return [otlp.a_tool_span(tool_call_id=f"c{n}", **otlp.ids(n), **fields) for n in numbers]


def ids(*numbers: int) -> list[str]:
    return [f"{n:016x}" for n in numbers]


def test_spans_arrive_once_and_redacted(house: MakeHouse, there: Sink) -> None:
    here = house(headers={"x-team": "red"})
    secret = f"sk-proj-{'a1B2' * 12}"
    here.take(*spans(1, 2, more={"gen_ai.tool.call.arguments": json.dumps({"api_key": secret})}))
    here.take(*spans(1, 2))

    assert here.worker.work() == 0
    assert here.worker.work() == LOOK_EVERY_S

    assert there.span_ids == ids(1, 2)
    assert secret not in str(there.spans)
    path, headers = there.requests[0]
    assert path == "/v1/traces"
    assert (headers["x-team"], headers["content-encoding"]) == ("red", "gzip")
    assert (here.worker.status().sent, here.worker.status().waiting) == (2, 0)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_busy_destination_is_asked_again_when_it_says(
    house: MakeHouse, there: Sink, clock: Clock, status: int
) -> None:
    there.answers = [(status, {"retry-after": "30"}, b"not now")]
    here = house()
    here.take(*spans(1))

    assert here.worker.work() == 30
    assert here.worker.status().waiting == 1
    assert here.worker.status().error == f"HTTP {status} not now"
    assert here.worker.work() == LOOK_EVERY_S  # not before its time
    clock.advance(30)
    here.worker.work()

    assert there.span_ids == ids(1)
    assert (here.worker.status().sent, here.worker.status().error) == (1, None)


def test_an_outage_loses_nothing_even_over_a_restart(database: Database, clock: Clock) -> None:
    here = House(database, clock, endpoint=f"http://127.0.0.1:{free_port()}")
    here.take(*spans(1, 2))
    assert 0.5 <= here.worker.work() <= 1

    with sink() as there:
        again = House(database, clock, endpoint=there.address)
        clock.advance(2)
        again.worker.work()
        assert there.span_ids == ids(1, 2)


def test_what_a_killed_worker_held_is_sent_by_the_next(house: MakeHouse, there: Sink, clock: Clock) -> None:
    here = house()
    here.take(*spans(1))
    outbox = here.worker._outbox
    assert outbox.claim("there") is not None
    assert outbox.claim("there") is None

    clock.advance(LEASE_NS / 1e9)
    here.worker.work()

    assert there.span_ids == ids(1)


def test_a_span_that_is_refused_is_refused_alone(house: MakeHouse, there: Sink) -> None:
    there.poison = "poison"
    here = house()
    bad = otlp.a_span(name="poison", **otlp.ids(9))
    here.take(*spans(1, 2, 3), bad, *spans(4))

    here.worker.work()

    assert there.span_ids == ids(1, 2, 3, 4)
    status = here.worker.status()
    assert (status.sent, status.refused, status.waiting) == (4, 1, 0)
    assert status.error == "HTTP 400 poison"


def test_refusals_that_asking_again_cannot_help_are_counted(house: MakeHouse, there: Sink) -> None:
    there.answers = [(401, {}, b"who are you?")]
    here = house()
    here.take(*spans(1, 2))

    here.worker.work()

    status = here.worker.status()
    assert (status.sent, status.refused, status.waiting) == (0, 2, 0)
    assert status.error == "HTTP 401 who are you?"


def test_partial_success_is_counted(house: MakeHouse, there: Sink) -> None:
    partial = ExportTracePartialSuccess(rejected_spans=1, error_message="too old")
    there.answers = [(200, {}, ExportTraceServiceResponse(partial_success=partial).SerializeToString())]
    here = house()
    here.take(*spans(1, 2))

    here.worker.work()

    status = here.worker.status()
    assert (status.sent, status.refused, status.error) == (1, 1, "too old")


def test_what_waits_for_a_day_is_given_up_and_counted(house: MakeHouse, there: Sink, clock: Clock) -> None:
    here = house()
    here.take(*spans(1, 2))
    clock.advance(GIVE_UP_AFTER_NS / 1e9 + 1)

    here.worker.work()

    status = here.worker.status()
    assert (status.given_up, status.waiting, there.spans) == (2, 0, [])


def test_a_deleted_trace_is_not_passed_on(house: MakeHouse, there: Sink) -> None:
    here = house()
    here.take(*spans(1, 2))
    here.store.delete_trace(f"{1:032x}")

    here.worker.work()

    assert there.span_ids == ids(2)
    assert here.worker.status().given_up == 1


def test_one_service_may_go_to_a_place_of_its_own(house: MakeHouse, there: Sink) -> None:
    here = house(only={"service": "shop"})
    here.take(*spans(1), service="shop")
    here.take(*spans(2), service="bank")

    here.worker.work()

    assert there.span_ids == ids(1)


def test_of_failures_the_whole_trace_goes_also_what_came_before(
    house: MakeHouse, there: Sink, clock: Clock
) -> None:
    here = house(only="failures")
    trace = f"{7:032x}"
    here.take(otlp.a_span(trace_id=trace, span_id=f"{1:016x}", name="agent"), *spans(2))
    assert here.worker.work() == LOOK_EVERY_S

    here.take(otlp.a_tool_span(trace_id=trace, span_id=f"{3:016x}", failed="no"))
    clock.advance(60)
    here.worker.work()
    assert there.span_ids == ids(1, 3)

    clock.advance(FAILURE_WITHIN_NS / 1e9 + 1)
    here.worker.work()
    assert (there.span_ids, here.worker.status().waiting) == (ids(1, 3), 0)


@pytest.mark.parametrize("scheme", ["http", "grpc"])
def test_another_toolwatch_shows_the_same_calls(tmp_path: Path, scheme: str) -> None:
    grpc_port = free_port()
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    with live(tmp_path / "there", grpc_port=grpc_port, api_key="key") as there:
        port = there.port if scheme == "http" else grpc_port
        to = {"name": "there", "endpoint": f"{scheme}://127.0.0.1:{port}", "headers": {"X-Api-Key": "key"}}
        with live(tmp_path / "here", forward=json.dumps([to])) as here:
            here.send(otlp.request(*spans(1, 2)))
            wait_until(lambda: here.status()["forwarding"][0]["sent"] == 2)
            status = here.status()
            figures = here.http.get("/metrics").text
        there.http.headers["x-api-key"] = "key"
        assert {call["tool_call_id"] for call in there.calls()} == {"c1", "c2"}
    assert status["forwarded"] == 2
    assert 'toolwatch_forwarded_spans_total{destination="there",result="sent"} 2.0' in figures
    assert 'toolwatch_forward_waiting_spans{destination="there"} 0.0' in figures


def test_a_destination_that_hangs_does_not_slow_ingest(tmp_path: Path, there: Sink) -> None:
    there.open.clear()
    to = {"name": "there", "endpoint": there.address, "timeout_s": 60}
    with live(tmp_path, forward=json.dumps([to])) as here:
        for number in range(1, 6):
            assert here.send(otlp.request(*spans(number))).status_code == 200
        assert len(here.calls()) == 5
        assert here.status()["forwarding"][0]["sent"] == 0
        there.open.set()
        wait_until(lambda: here.status()["forwarding"][0]["sent"] == 5)
    assert there.span_ids == ids(1, 2, 3, 4, 5)


def test_headers_are_nowhere_to_be_seen(tmp_path: Path, there: Sink) -> None:
    to = {"name": "there", "endpoint": there.address, "headers": {"authorization": "sesame-4711"}}
    with live(tmp_path, forward=json.dumps([to])) as here:
        for path in ("/settings", "/status", "/api/v1/status", "/metrics"):
            assert "sesame-4711" not in here.http.get(path).text
    assert "sesame-4711" not in repr(destinations(json.dumps([to])))
