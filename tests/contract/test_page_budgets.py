"""What a page may ask of the database: a fixed number of statements, however much is stored."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import event

from tests.browser.seed import Story
from tests.browser.stories import everything
from tests.live import Live, live

BUDGETS = {
    "/": 12,
    "/calls": 6,
    "/calls?failed=true&tool=charge_card&q=gateway": 6,
    "/parts/more-rows": 3,
    "/parts/live-rows?oldest=1": 3,
    "/find?q=nothing": 5,
    "/tools": 4,
    "/tools/count_up": 12,
    "/errors": 4,
    "/status": 5,
    "/traces/TRACE": 14,
    "/threads/many-1": 14,
    "/calls/KEY": 16,
}


def many(calls: int, at_ns: int) -> Story:
    story = Story("many", at_ns, thread="many-1")
    for n in range(calls):
        story.attempt(f"many_{n:03}", "count_up", n * 10, n * 10 + 5, 1, result=str(n), arguments={"n": n})
    return story.end(calls * 10)


@pytest.fixture(scope="module")
def costs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, tuple[int, int]]]:
    """For each page the statements with three calls of a tool, and those with three hundred."""
    at_ns = time.time_ns() - 3_600_000_000_000
    with live(tmp_path_factory.mktemp("budgets")) as server:
        for story in (*everything(time.time_ns()), many(3, at_ns)):
            assert server.send(story.body(), "application/json").status_code == 200
        few = {path: cost(server, path) for path in BUDGETS}
        assert server.send(many(300, at_ns).body(), "application/json").status_code == 200
        yield {path: (few[path], cost(server, path)) for path in BUDGETS}


def cost(server: Live, path: str) -> int:
    story = many(0, 0)
    address = path.replace("TRACE", story.trace_id).replace("KEY", story.key("many_001"))
    with counted(server) as statements:
        answer = server.http.get(address, headers={"accept": "text/html"})
    assert answer.status_code == 200, answer.text
    return len(statements)


@contextmanager
def counted(server: Live) -> Iterator[list[str]]:
    engine = server.app.state.open_reader.__self__.readers
    statements: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        statements.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield statements
    finally:
        event.remove(engine, "before_cursor_execute", note)


@pytest.mark.parametrize("path", BUDGETS)
def test_a_page_asks_no_more_when_more_is_stored(costs: dict[str, tuple[int, int]], path: str) -> None:
    few, many_ = costs[path]

    assert many_ <= few


@pytest.mark.parametrize("path", BUDGETS)
def test_a_page_keeps_to_its_budget(costs: dict[str, tuple[int, int]], path: str) -> None:
    assert max(costs[path]) <= BUDGETS[path]
