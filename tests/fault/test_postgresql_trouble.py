"""A PostgreSQL that is gone, slow, restarted or read-only."""

from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from tests import postgres
from tests.fault.accounting import Books
from tests.fault.tcp import line_to
from tests.live import live
from toolwatch_server.ingest import commit

pytestmark = pytest.mark.postgresql

THROW_OUT = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE pid <> pg_backend_pid() AND datname = current_database()"
)


@pytest.fixture
def url(migrated_postgresql: str) -> str:
    return postgres.emptied(migrated_postgresql)


def test_a_database_that_is_gone_comes_back(url: str, tmp_path: Path) -> None:
    books = Books()
    with line_to(url) as (line, through), live(tmp_path, database_url=through) as server:
        assert books.send(server.address) == 200
        line.cut()
        assert books.send(server.address) == 503
        assert server.http.get("/readyz").status_code == 503
        assert "toolwatch_database_up 0.0" in server.http.get("/metrics").text
        line.mend()
        assert books.send_until_taken(server.address, 20)
        assert server.http.get("/readyz").status_code == 200
    books.compare(url)


def test_a_restart_of_the_database_costs_at_most_a_retry(url: str, tmp_path: Path) -> None:
    books = Books()
    with live(tmp_path, database_url=url) as server:
        assert books.send(server.address) == 200
        with psycopg.connect(url, autocommit=True) as admin:
            admin.execute(THROW_OUT)
        assert books.send_until_taken(server.address, 5)
    books.compare(url)


def test_a_database_that_hangs_is_not_waited_for(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    books = Books()
    with line_to(url) as (line, through), live(tmp_path, database_url=through) as server:
        assert books.send(server.address) == 200
        line.hang()
        monkeypatch.setattr(commit, "COMMIT_TIMEOUT_S", 0.3)
        assert books.send(server.address) == 503
        # Room is taken as long as the records are in memory, not only as long as their sender waits.
        assert server.app.state.api.queue_bytes() > 0
        monkeypatch.undo()
        line.flow()
        assert books.send_until_taken(server.address)
    books.compare(url, refused_may_be_there=True)


def test_a_database_that_only_reads_refuses_and_is_read(url: str, tmp_path: Path) -> None:
    books = Books()
    with live(tmp_path, database_url=url) as server:
        assert books.send(server.address) == 200
        try:
            only_reads(url, "on")
            assert books.send(server.address) == 503
            assert len(server.calls()) == 5
        finally:
            only_reads(url, "off")
        assert books.send_until_taken(server.address, 5)
    books.compare(url)


def only_reads(url: str, state: str) -> None:
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute("SET default_transaction_read_only = off")
        name = sql.Identifier(admin.info.dbname)
        change = sql.SQL("ALTER DATABASE {} SET default_transaction_read_only = {}")
        admin.execute(change.format(name, sql.Literal(state)))
        admin.execute(THROW_OUT)
