"""The list of calls and the look-up of an id. On SQLite and on PostgreSQL."""

from typing import Any

import pytest

from tests import builders as b
from tests.conftest import NOON_NS
from toolwatch_server.domain.call import Error
from toolwatch_server.domain.filters import CallFilter
from toolwatch_server.errors import BadFilter
from toolwatch_server.storage.engine import Database
from toolwatch_server.storage.queries.find import find
from toolwatch_server.storage.queries.list_calls import list_calls
from toolwatch_server.storage.store import Store

HOUR_NS = 3_600 * b.SECOND_NS


@pytest.fixture
def stored(store: Store, database: Database) -> Database:
    """Two calls of each kind that a filter tells apart: one that fits, one that does not."""
    plain = b.a_call("plain", tool_call_id="call_plain", request={"message_id": "m1", "group_id": "m1"})
    other = b.a_failure(
        "other",
        at_ns=NOON_NS + HOUR_NS,
        tool_call_id="call_other",
        tool="payment",
        error="psycopg.OperationalError",
        message="server closed the connection",
        lasted_ms=5_000,
        service="bank",
        environment="prod",
        thread_id="thread-2",
        trace_id="b" * 32,
        run_id="run-2",
    )
    origin = b.an_origin(trace_id="b" * 32, service="bank", thread_id="thread-2", run_id="run-2")
    error = Error(type="psycopg.OperationalError", message="server closed the connection")
    failed: dict[str, Any] = {"cause": "node_retry", "outcome": "tool_error", "result": None, "error": error}
    again = b.about("other", b.attempted(origin, at_ns=NOON_NS + 2 * HOUR_NS, **failed))
    store.save([*plain, *other, again])
    return database


def keys(database: Database, **asked: Any) -> list[str]:
    with database.read() as db:
        page = list_calls(db, CallFilter(**asked))
    assert page.total == len(page.rows)
    return [row.key for row in page.rows]


def test_the_newest_call_comes_first(stored: Database) -> None:
    assert keys(stored) == ["other", "plain"]


@pytest.mark.parametrize(
    "asked",
    [
        {"tool_call_id": "call_other"},
        {"tool": "payment"},
        {"outcomes": ("tool_error", "running")},
        {"failed": True},
        {"service": "bank"},
        {"environment": "prod"},
        {"thread_id": "thread-2"},
        {"trace_id": "b" * 32},
        {"run_id": "run-2"},
        {"error_type": "psycopg.OperationalError"},
        {"min_attempts": 2},
        {"min_duration_ms": 1_000},
        {"since_ns": NOON_NS + HOUR_NS},
        {"q": "closed"},
        {"tool": "payment", "failed": True, "q": "closed connection", "since_ns": NOON_NS, "min_attempts": 1},
    ],
    ids="+".join,
)
def test_every_filter_leaves_only_what_fits(stored: Database, asked: dict[str, Any]) -> None:
    assert keys(stored, **asked) == ["other"]


def test_the_end_of_a_window_is_not_part_of_it(stored: Database) -> None:
    assert keys(stored, until_ns=NOON_NS + HOUR_NS) == ["plain"]
    assert keys(stored, until_ns=NOON_NS + HOUR_NS + 1) == ["other", "plain"]


def test_failed_false_asks_for_the_others(stored: Database) -> None:
    assert keys(stored, failed=False) == ["plain"]


def test_a_warning_is_a_filter(store: Store, stored: Database) -> None:
    assert keys(stored, warning="executed_again_after_retry") == ["other"]


def test_filters_that_exclude_one_another_find_nothing(stored: Database) -> None:
    assert keys(stored, tool="payment", service="shop") == []


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("OperationalError", True),
        ("operationalerror", True),
        ("psycopg.OperationalError", True),
        ("psycopg Operational", True),
        ("perationalError", False),
        ("取消", True),
        ("订单", True),
        ("单订", False),
        ("订", True),
        ("東京タワー", True),
        ("call_ab12", True),
        ("ab12", True),
        ("naïve", True),
        ('"quoted" AND (NEAR *', False),
        ("quoted", True),
        ("a:b & !c | d <-> 'e", False),
        ("!!!", False),
        ("\x00", False),
    ],
)
def test_words_are_searched_alike_in_both_databases(
    store: Store, database: Database, words: str, found: bool
) -> None:
    text = '订单已经取消 東京タワー psycopg.OperationalError: call_ab12 naïve "quoted" \x00\ud800'
    store.save(
        [*b.a_call("k0", content=text), *b.a_call("k1", content="nothing of the kind", tool_call_id="x")]
    )

    assert keys(database, q=words) == (["k0"] if found else [])


def test_blank_words_narrow_nothing(stored: Database) -> None:
    assert keys(stored, q="  ") == ["other", "plain"]


def test_words_of_arguments_results_and_errors_are_found(store: Store, database: Database) -> None:
    store.save(
        b.a_refusal("k0", field="destination", reason="Field required", arguments='{"town": "Zürich"}')
    )

    for word in ("Zürich", "destination", "required", "ValidationError", "weather"):
        assert keys(database, q=word) == ["k0"]


def test_text_that_json_has_escaped_is_found(store: Store, database: Database) -> None:
    """Python writes JSON so unless told otherwise: in arguments, and in the results of many tools."""
    store.save(b.a_call("k0", arguments='{"note": "\\u8ba2\\u5355"}', content='{"state": "\\u53d6\\u6d88"}'))

    assert keys(database, q="订单") == keys(database, q="取消") == ["k0"]


def test_an_answer_that_comes_later_is_searched_too(store: Store, database: Database) -> None:
    *first, answer = b.a_call("k0", content="hailstorm", attempt={"result": None})
    store.save(first)
    assert keys(database, q="hailstorm") == []

    store.save([answer])

    assert keys(database, q="hailstorm") == ["k0"]


def test_paging_neither_skips_nor_repeats(store: Store, database: Database) -> None:
    """Many calls share a moment, and new ones arrive between two pages."""
    for n in range(60):
        store.save(b.a_call(f"k{n}", at_ns=NOON_NS + n // 7, tool_call_id=f"id{n}"))
    seen: list[str] = []
    cursor, pages = None, 0

    while pages == 0 or cursor is not None:
        with database.read() as db:
            page = list_calls(db, CallFilter(limit=9, cursor=cursor, tool="weather"))
        seen += [row.key for row in page.rows]
        cursor, pages = page.next_cursor, pages + 1
        store.save(b.a_call(f"new{pages}", at_ns=NOON_NS + 1_000 + pages, tool_call_id=f"new{pages}"))

    assert pages == 7
    assert sorted(seen) == sorted(f"k{n}" for n in range(60))


def test_the_last_page_has_no_cursor(stored: Database) -> None:
    with stored.read() as db:
        assert list_calls(db, CallFilter(limit=2)).next_cursor is None
        assert list_calls(db, CallFilter(limit=1)).next_cursor is not None


@pytest.mark.parametrize("cursor", ["", "x", "!!!!", "bm9uc2Vuc2U", "MS4", "99999999999999999999", "é"])
def test_a_cursor_of_ones_own_making_is_refused(stored: Database, cursor: str) -> None:
    with stored.read() as db, pytest.raises(BadFilter) as refusal:
        list_calls(db, CallFilter(cursor=cursor))
    assert refusal.value.field == "cursor"


def test_a_total_that_would_cost_too_much_is_not_counted(
    stored: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolwatch_server.storage.queries.list_calls.COUNTED_MAX", 1)
    with stored.read() as db:
        assert list_calls(db, CallFilter()).total is None
        assert list_calls(db, CallFilter(tool="payment")).total == 1


@pytest.mark.parametrize("id_", ["call_plain", " call_plain\n", "plain", "m1", "thread-1", b.TRACE, "run-1"])
def test_any_id_that_someone_pastes_leads_to_the_call(stored: Database, id_: str) -> None:
    with stored.read() as db:
        assert [row.key for row in find(db, id_)][-1:] == ["plain"]


def test_the_id_of_a_span_leads_to_its_call(store: Store, database: Database) -> None:
    records = b.a_call("k0")
    store.save([*records, *b.a_call("k1", tool_call_id="call_2")])

    for record in records:
        assert record.span is not None
        with database.read() as db:
            assert [row.key for row in find(db, record.span.span_id)] == ["k0"]


def test_a_tool_call_id_goes_before_any_other_kind_of_id(store: Store, database: Database) -> None:
    store.save([*b.a_call("k0", tool_call_id="x"), *b.a_call("k1", tool_call_id="y", thread_id="x")])

    with database.read() as db:
        assert [row.key for row in find(db, "x")] == ["k0"]


@pytest.mark.parametrize("id_", ["", " ", "nobody", "\x00", "%"])
def test_an_id_that_nobody_knows_leads_nowhere(stored: Database, id_: str) -> None:
    with stored.read() as db:
        assert find(db, id_) == ()
