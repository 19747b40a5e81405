"""A database is brought up to date, or it is said precisely why not. On SQLite and on PostgreSQL."""

import os
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect, text

from tests import builders as b
from toolwatch_server.domain.filters import CallFilter
from toolwatch_server.errors import CannotStart
from toolwatch_server.storage.engine import Database, open_database
from toolwatch_server.storage.migrate import VERSION_TABLE, check, migrate
from toolwatch_server.storage.queries.list_calls import list_calls
from toolwatch_server.storage.store import Store
from toolwatch_server.storage.tables import metadata

ROOT = Path(__file__).parents[2]
NEWEST = max(path.name[:4] for path in (ROOT / "alembic/versions").glob("*.py"))


@pytest.fixture
def empty(empty_url: str) -> "closing[Database]":
    return closing(open_database(empty_url))


def test_an_empty_database_becomes_what_the_tables_say(empty: "closing[Database]") -> None:
    with empty as database:
        assert migrate(database) == NEWEST

        with database.read() as db:
            options = {
                "version_table": VERSION_TABLE,
                "include_name": lambda name, kind, _: kind != "table" or not name.startswith("search"),
            }
            differences = compare_metadata(MigrationContext.configure(db, opts=options), metadata)
            tables = set(inspect(db).get_table_names())
        assert differences == []
        assert {"search", VERSION_TABLE, *metadata.tables} <= tables


def test_migrating_again_keeps_what_is_there(empty: "closing[Database]") -> None:
    with empty as database:
        migrate(database)
        Store(database).save(b.a_call("k1"))

        assert migrate(database) == check(database) == NEWEST
        with database.read() as db:
            assert [row.key for row in list_calls(db, CallFilter()).rows] == ["k1"]


def test_several_servers_may_start_at_once(empty_url: str) -> None:
    together = Barrier(4)

    def start(_: int) -> str:
        with closing(open_database(empty_url)) as database:
            together.wait()
            return migrate(database)

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(start, range(4))) == {NEWEST}


def test_the_database_of_another_program_is_refused(empty: "closing[Database]") -> None:
    with empty as database:
        with database.writer.begin() as db:
            db.execute(text("CREATE TABLE invoices (number INTEGER)"))

        with pytest.raises(CannotStart, match=r"another program \(it holds invoices\)") as refusal:
            migrate(database)
        assert refusal.value.code == "D003"
        with database.read() as db:
            assert inspect(db).get_table_names() == ["invoices"]


def test_a_database_from_the_future_is_refused(empty: "closing[Database]") -> None:
    with empty as database:
        migrate(database)
        with database.writer.begin() as db:
            db.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'"))

        with pytest.raises(CannotStart, match=rf"later version of Toolwatch \(schema 9999; .* {NEWEST}\)"):
            migrate(database)


def test_checking_says_what_to_do_about_an_old_database(empty: "closing[Database]") -> None:
    with empty as database, pytest.raises(CannotStart, match="run: toolwatch db upgrade"):
        check(database)


def test_a_database_that_does_not_answer_is_named_without_its_password() -> None:
    url = "postgresql://ada:s3cret@127.0.0.1:1/calls?sslpassword=s3cret"

    with closing(open_database(url)) as database, pytest.raises(CannotStart) as refusal:
        migrate(database)

    assert "postgresql://ada:***@127.0.0.1:1/calls" in refusal.value.message
    assert "s3cret" not in refusal.value.message
    assert refusal.value.code == "D002"


@pytest.mark.parametrize(
    "url", ["mysql://host/calls", "sqlite://", "sqlite:///:memory:", "no url, but s3cret"]
)
def test_what_is_no_database_for_calls_is_refused_at_once(url: str) -> None:
    with pytest.raises(CannotStart, match="sqlite:///path") as refusal:
        open_database(url)
    assert "s3cret" not in refusal.value.message


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("buy milk\n" * 1_000)

    with (
        closing(open_database(f"sqlite:///{tmp_path}/notes.txt")) as database,
        pytest.raises(CannotStart, match=r"notes\.txt: file is not a database"),
    ):
        migrate(database)
    assert (tmp_path / "notes.txt").read_text().startswith("buy milk")


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(CannotStart, match=f"{tmp_path}/file"):
        open_database(f"sqlite:///{tmp_path}/file/calls.db")


def test_deleted_space_can_be_given_back(migrated_sqlite: Path) -> None:
    with closing(sqlite3.connect(migrated_sqlite)) as db:
        assert db.execute("PRAGMA auto_vacuum").fetchone() == (2,)
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_alembics_own_command_line_agrees(database_url: str) -> None:
    environment = {**os.environ, "TOOLWATCH_DATABASE_URL": database_url}
    alembic = [sys.executable, "-m", "alembic", "check"]

    run = subprocess.run(alembic, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    assert run.returncode == 0, run.stderr
    assert "No new upgrade operations detected" in run.stdout
