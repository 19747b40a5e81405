"""A disk that is full, a file that is locked, broken, or used by two."""

import resource
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.fault.accounting import Books
from tests.live import live, started
from toolwatch_server.errors import CannotStart
from toolwatch_server.ingest import commit
from toolwatch_server.storage.engine import open_database
from toolwatch_server.storage.migrate import migrate

ANY = resource.RLIM_INFINITY


@pytest.fixture
def path(migrated_sqlite: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(migrated_sqlite, tmp_path / "calls.db"))


@pytest.mark.slow
def test_a_full_disk_refuses_until_there_is_room_again(path: Path) -> None:
    """A limit on the size of files: what a process sees of it is what it sees of a full disk."""
    books, url = Books(), f"sqlite:///{path}"
    with started(url) as (process, address):
        assert books.send(address) == 200
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (path.stat().st_size + 200_000, ANY))
        assert any(books.send(address, 50) == 503 for _ in range(60))
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (ANY, ANY))
        assert books.send_until_taken(address, 3)
    books.compare(url)


def test_a_locked_file_refuses_until_it_is_free(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    books, url = Books(), f"sqlite:///{path}"
    with live(tmp_path, database_url=url) as server:
        assert books.send(server.address) == 200
        monkeypatch.setattr(commit, "COMMIT_TIMEOUT_S", 0.2)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert books.send(server.address) == 503
            assert server.http.get("/calls").status_code == 200  # reading goes on
            other.execute("ROLLBACK")
        monkeypatch.undo()
        assert books.send_until_taken(server.address)
    # What nobody waited for any more was queued all the same; since it was not promised, it is sent again.
    books.compare(url, refused_may_be_there=True)


def test_two_servers_on_one_file_are_refused(path: Path) -> None:
    books, url = Books(), f"sqlite:///{path}"
    command = [sys.executable, "-m", "toolwatch_server", "serve", "--port", "0", "--grpc-port", "0"]
    with started(url) as (process, address):
        second = subprocess.run(
            [*command, "--database-url", url], capture_output=True, text=True, check=False, timeout=60
        )
        assert books.send(address) == 200
        process.kill()
    assert second.returncode == 3
    assert "D006  another Toolwatch server uses" in second.stderr
    assert "Traceback" not in second.stderr

    with started(url) as (_, address):  # a lock does not outlive its server, however that ended
        assert books.send(address) == 200
    books.compare(url)


def test_a_broken_file_is_refused_with_its_name(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(100)
        file.write(b"\xff" * 4_000)

    with (
        closing(open_database(f"sqlite:///{path}")) as database,
        pytest.raises(CannotStart, match=r"calls\.db: database disk image is malformed") as refusal,
    ):
        migrate(database)
    assert refusal.value.code == "D002"
