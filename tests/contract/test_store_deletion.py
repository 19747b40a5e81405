"""What is deleted is gone everywhere. On SQLite and on PostgreSQL."""

import shutil
from contextlib import closing
from pathlib import Path

from sqlalchemy import func, select, text

from tests import builders as b
from tests.conftest import NOON_NS
from toolwatch_server.domain.filters import CallFilter
from toolwatch_server.storage import tables
from toolwatch_server.storage.engine import Database, open_database
from toolwatch_server.storage.queries.find import find
from toolwatch_server.storage.queries.list_calls import list_calls
from toolwatch_server.storage.queries.load_calls import load_calls
from toolwatch_server.storage.store import Store

OTHER = "b" * 32


def rows_left(database: Database) -> dict[str, int]:
    """How many rows each table has, also the search index; the processes that sent are not of the trace."""
    with database.read() as db:
        counts = {
            table.name: db.execute(select(func.count()).select_from(table)).scalar_one()
            for table in tables.metadata.sorted_tables
            if table is not tables.instances
        }
        counts["search"] = db.execute(text("SELECT count(*) FROM search")).scalar_one()
    return {name: number for name, number in counts.items() if number}


def test_nothing_of_a_deleted_trace_is_left(store: Store, database: Database) -> None:
    store.save(
        [
            *b.a_refusal("k0", tool_call_id="id0"),
            *(record for n in range(3) for record in b.a_call(f"k{n + 1}", tool_call_id="id0")),
            b.an_orphan(),
            b.a_run(),
        ]
    )

    assert store.delete_trace(b.TRACE) == 14

    assert rows_left(database) == {}


def test_deleting_what_is_not_there_is_no_trouble(store: Store) -> None:
    assert store.delete_trace(OTHER) == 0


def test_other_traces_are_left_as_they_were(store: Store, database: Database) -> None:
    store.save([*b.a_call("k0"), *b.a_call("k1", trace_id=OTHER, tool_call_id="call_2")])

    store.delete_trace(OTHER)

    with database.read() as db:
        assert [row.key for row in list_calls(db, CallFilter(q="sunny")).rows] == ["k0"]
        assert find(db, "call_2") == ()
        assert find(db, OTHER) == ()


def test_a_call_over_two_traces_loses_only_what_the_deleted_one_said(
    store: Store, database: Database
) -> None:
    first = b.a_call("k0", content="rainy", answer=False)
    second = [
        b.about(
            "k0", b.attempted(b.an_origin(trace_id=OTHER), at_ns=NOON_NS + 1, result="snowy", cause="resume")
        ),
        b.about("k0", b.answered(b.an_origin(trace_id=OTHER), at_ns=NOON_NS + 2, content="snowy")),
    ]
    store.save([*first, *second])
    with database.read() as db:
        assert load_calls(db, ["k0"])[0].executions == 2

    store.delete_trace(OTHER)

    with database.read() as db:
        (call,) = load_calls(db, ["k0"])
        assert (call.executions, call.trace_ids) == (1, (b.TRACE,))
        assert list_calls(db, CallFilter(q="snowy")).rows == ()
        assert list_calls(db, CallFilter(trace_id=OTHER)).rows == ()


def test_warnings_that_needed_the_deleted_calls_are_taken_back(store: Store, database: Database) -> None:
    for n, trace in enumerate([b.TRACE, b.TRACE, OTHER]):
        store.save(
            b.a_call(f"k{n}", trace_id=trace, tool_call_id=["id0", "id1", "id0"][n], at_ns=NOON_NS + n)
        )

    store.delete_trace(OTHER)

    with database.read() as db:
        assert [row.warnings for row in list_calls(db, CallFilter()).rows] == [(), ()]


def test_deleted_text_is_not_left_in_the_file(migrated_sqlite: Path, tmp_path: Path) -> None:
    """Of SQLite's, that is: PostgreSQL overwrites deleted rows when it vacuums."""
    path = shutil.copy(migrated_sqlite, tmp_path / "calls.db")
    with closing(open_database(f"sqlite:///{path}")) as database:
        store = Store(database)
        store.save(
            [*b.a_call("k0"), *b.a_call("k1", trace_id=OTHER, content="Zanzibar", tool_call_id="zanzibar")]
        )

        store.delete_trace(OTHER)

    for file in tmp_path.iterdir():
        assert b"anzibar" not in file.read_bytes()
