"""A corpus through the whole product: afterwards no secret rests anywhere, and what is needed survives."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import toolwatch
from tests import postgres
from tests.leaks import foreign, ours, places
from tests.leaks.corpus import Needles, Row, rows
from tests.otlp import PROTOBUF
from tests.scenarios.product import Product, serving
from tests.scenarios.relay import Relay

PARTS_SHOWN = 40  # every so many calls is looked at on all pages; lists and tables hold all of them


@dataclass(frozen=True, slots=True)
class Shown:
    """A server that was sent the whole corpus."""

    rows: list[Row]
    server: Product
    sent: list[bytes]  # by our collector
    calls: list[Any]
    needles: Needles
    database_url: str
    log: Path

    def leaks(self, looked_at: Iterable[tuple[str, bytes]]) -> dict[str, list[str]]:
        return {where: leak for where, data in looked_at if (leak := self.needles.found_in(data))}

    def by_id(self) -> dict[str, Any]:
        return {call["tool_call_id"]: call for call in self.calls}


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def database_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path_factory.mktemp('leaks') / 'calls.db'}"
        return
    with postgres.new_database(request.getfixturevalue("postgresql_server")) as url:
        yield url


@pytest.fixture(scope="module")
def shown(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    found = rows()
    texts = [row.text for row in found]
    log = tmp_path_factory.mktemp("leaks") / "server.log"
    with serving(database_url, log) as server, Relay(server.url) as relay:
        toolwatch.instrument(endpoint=relay.url, service_name=f"service {texts[0]}")
        try:
            ours.run_all(texts)
            assert toolwatch.flush(60.0)
        finally:
            toolwatch.uninstrument()
        headers = {"content-type": PROTOBUF}
        assert server.post("/v1/traces", foreign.traces(texts), headers) == 200
        assert server.post("/v1/logs", foreign.logs(texts), headers) == 200
        sent = [body for _, _, body in relay.kept]
        yield Shown(found, server, sent, list(_listed(server)), Needles(found), database_url, log)


def _listed(server: Product) -> Iterator[Any]:
    query: dict[str, Any] = {"limit": 500}
    while True:
        page = server.get("/api/v1/calls", **query)
        yield from page["calls"]
        if page["next_cursor"] is None:
            return
        query["cursor"] = page["next_cursor"]


def test_every_call_arrived(shown: Shown) -> None:
    wanted = {id_ for n in range(len(shown.rows)) for id_ in (*ours.call_ids(n), foreign.call_id(n))}
    assert wanted <= {call["tool_call_id"] for call in shown.calls}


def test_no_secret_leaves_our_own_collector(shown: Shown) -> None:
    import gzip

    bodies = [gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body for body in shown.sent]
    assert [leak for body in bodies for leak in shown.needles.found_in(body)][:5] == []


def test_no_secret_is_in_any_answer_or_page_or_export(shown: Shown) -> None:
    assert [leak for call in shown.calls for leak in shown.needles.found_in(str(call))][:5] == []
    some = shown.calls[::PARTS_SHOWN]
    assert shown.leaks(places.answers(shown.server, some)) == {}


def test_no_secret_is_in_the_database(shown: Shown) -> None:
    assert shown.leaks(places.kept(shown.database_url)) == {}


def test_no_search_for_a_secret_finds_a_call_and_no_log_line_repeats_it(shown: Shown) -> None:
    secrets = [s for row in shown.rows for s in row.secrets if len(s) >= 10][::5]
    hits = [s for s in secrets if shown.server.get("/api/v1/calls", q=s)["calls"]]
    for secret in secrets[:5]:
        shown.server.http.get("/api/v1/calls", params={"q": secret, "limit": secret, secret: secret})
        shown.server.http.get(f"/{secret}", params={"token": secret})
        shown.server.http.get("/find", params={"q": secret})
    assert hits == []
    assert shown.needles.found_in(shown.log.read_bytes()) == []


def test_at_least_99_percent_of_what_must_survive_survives(shown: Shown) -> None:
    calls = shown.by_id()
    kept = [
        (keep, text)
        for number, row in enumerate(shown.rows)
        for keep in row.keep
        for text in told(calls, number)
        if keep not in text
    ]
    wanted = sum(len(row.keep) for row in shown.rows) * len(told(calls, 0))
    assert len(kept) <= wanted / 100, kept[:10]


def test_at_most_2_percent_of_harmless_texts_are_touched(shown: Shown) -> None:
    calls = shown.by_id()
    harmless = [(number, row.text) for number, row in enumerate(shown.rows) if not row.secrets]
    touched = [(text, said) for number, text in harmless for said in told(calls, number) if said != text]
    assert len(touched) <= 0.02 * len(harmless) * len(told(calls, 0)), touched[:10]


def told(calls: dict[str, Any], number: int) -> list[str]:
    """What is shown of a text in each of the places where one looks for it."""
    raises, tells = (calls[id_] for id_ in ours.call_ids(number))
    other = calls[foreign.call_id(number)]
    return [
        raises["arguments"]["value"]["note"],
        raises["error"]["message"],
        tells["answer"]["content"],
        other["arguments"]["value"]["note"],
        other["error"]["message"],
    ]
