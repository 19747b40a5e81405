"""Every recorded payload of another SDK, through the real ingest and store, against what really happened.

Whole, span by span and shuffled it gives the same calls: arrival plays no part.
"""

import random
import shutil
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import select

from tests.conftest import Clock, EmptyUrl
from tests.judge import CORPUS, NAMES, judge
from toolwatch.redaction import Redactor
from toolwatch_server.domain.call import Call
from toolwatch_server.domain.record import Record
from toolwatch_server.ingest.dialects import read_log, read_span
from toolwatch_server.ingest.otlp.records import decode_logs, decode_traces
from toolwatch_server.ingest.otlp.scrub import Scrubber
from toolwatch_server.ingest.redact import TextRedactor
from toolwatch_server.storage.engine import open_database
from toolwatch_server.storage.queries.load_calls import load_calls
from toolwatch_server.storage.store import Store
from toolwatch_server.storage.tables import calls as calls_table

PROTOBUF, JSON = "application/x-protobuf", "application/json"
SCRUBBER = Scrubber(TextRedactor(Redactor.default()), 1_000_000)
Batches = list[list[Record]]

# Facts that the payload holds somewhere, but not where this call could take them from.
NOT_SAID = {
    "crewai-traceloop-0.62.4": {
        "call_raise_1 charge_card: error type unknown": "the model is told the message only",
        "call_bad_1 add: error type unknown": "the model is told the message only",
    },
    "langchain-langfuse-5.0.4": {
        "call_raise_1 charge_card: error type unknown": "the run crashed, and Langfuse writes no types",
    },
    "openai-agents-logfire-5.4.0": {
        "call_raise_1 charge_card: error type unknown": "the SDK redacts the error by default",
    },
}


def records(name: str) -> list[Record]:
    """As the pipeline makes them."""
    found: list[Record] = []
    for path in sorted(CORPUS.glob(f"{name}.*")):
        if path.name.endswith(".truth.json"):
            continue
        body, media = path.read_bytes(), JSON if path.suffix == ".json" else PROTOBUF
        if path.name.endswith(".logs.binpb"):
            logs = decode_logs(body, media, SCRUBBER).logs
            found += [Record(received_ns=1, span=None, raw=raw, reading=read_log(log)) for log, raw in logs]
        else:
            spans = decode_traces(body, media, SCRUBBER).spans
            found += [Record(received_ns=1, span=s, raw=raw, reading=read_span(s)) for s, raw in spans]
    return found


def delivered(url: str, batches: Sequence[Sequence[Record]]) -> list[Call]:
    database = open_database(url)
    try:
        store = Store(database, clock=Clock())
        for batch in batches:
            store.save(batch)
        with database.read() as db:
            keys = db.execute(select(calls_table.c.key).order_by(calls_table.c.key)).scalars().all()
            return list(load_calls(db, keys))
    finally:
        database.close()


def whole(found: Sequence[Record]) -> Batches:
    return [list(found)]


def one_by_one(found: Sequence[Record]) -> Batches:
    return [[record] for record in found]


def backwards(found: Sequence[Record]) -> Batches:
    return [[record] for record in reversed(found)]


def shuffled(found: Sequence[Record]) -> Batches:
    mixed = list(found)
    random.Random(7).shuffle(mixed)
    return [mixed[i : i + 3] for i in range(0, len(mixed), 3)]


@pytest.fixture
def sqlite_url(migrated_sqlite: Path, tmp_path: Path) -> EmptyUrl:
    """Gives an up-to-date SQLite database without any call, as often as it is asked."""
    numbers = count(1)
    return lambda: f"sqlite:///{shutil.copy(migrated_sqlite, tmp_path / f'{next(numbers)}.db')}"


@pytest.mark.parametrize("name", NAMES)
def test_what_a_payload_says_is_shown_and_nothing_else(name: str, sqlite_url: EmptyUrl) -> None:
    score = judge(name, delivered(sqlite_url(), whole(records(name))))

    assert score.wrong == []
    assert score.unsaid == [f"{name}: {what}" for what in NOT_SAID.get(name, {})]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("delivery", [one_by_one, backwards, shuffled])
def test_the_order_of_arrival_changes_nothing(
    name: str, delivery: Callable[[Sequence[Record]], Batches], sqlite_url: EmptyUrl
) -> None:
    found = records(name)

    assert delivered(sqlite_url(), delivery(found)) == delivered(sqlite_url(), whole(found))


@pytest.mark.parametrize(
    "name", ["langchain-openinference-hitl-0.1.80", "handloop-openai-v2-2.1b0", "mcp-python-sdk-2.3.0"]
)
def test_every_database_links_the_same(name: str, emptied_url: EmptyUrl) -> None:
    found = records(name)

    calls = delivered(emptied_url(), shuffled(found))

    assert judge(name, calls).wrong == []
    assert delivered(emptied_url(), whole(found)) == calls


@pytest.mark.parametrize("name", ["langchain-openinference-hitl-0.1.80", "google-adk-openinference-1.0.5"])
def test_a_payload_that_is_sent_again_changes_nothing(name: str, sqlite_url: EmptyUrl) -> None:
    found = records(name)

    assert delivered(sqlite_url(), [found, found]) == delivered(sqlite_url(), [found])
