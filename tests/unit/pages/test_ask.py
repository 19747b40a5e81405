"""The query string of a list."""

import pytest
from starlette.datastructures import QueryParams

from tests.unit.pages.samples import NOON_NS
from toolwatch_server.domain.filters import CallFilter
from toolwatch_server.pages.ask import ask


def test_empty_fields_ask_nothing() -> None:
    asked = ask(QueryParams("tool=&outcome=&since=+&min_attempts="), NOON_NS)

    assert asked.filter == CallFilter()
    assert asked.said == ()


def test_every_kind_of_filter_is_understood() -> None:
    query = "outcome=ok&outcome=running&failed=false&min_attempts=2&min_duration_ms=1.5"
    query += "&since=-1h&until=2026-01-01T12:00:00Z&q=a+b"

    assert ask(QueryParams(query), NOON_NS).filter == CallFilter(
        outcomes=("ok", "running"),
        failed=False,
        min_attempts=2,
        min_duration_ms=1.5,
        since_ns=NOON_NS - 3_600_000_000_000,
        until_ns=NOON_NS,
        q="a b",
    )


@pytest.mark.parametrize(
    "query",
    [
        "outcome=fine",
        "warning=x",
        "failed=yes",
        "min_attempts=-1",
        "min_attempts=1e9999",
        "min_duration_ms=nan",
        "since=noon",
        "colour=red",
    ],
)
def test_what_is_not_understood_is_named_and_left_out(query: str) -> None:
    asked = ask(QueryParams(query + "&tool=pay"), NOON_NS)

    assert list(asked.problems) == [query.split("=", maxsplit=1)[0]]
    assert asked.filter == CallFilter(tool="pay")
