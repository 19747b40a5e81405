"""A PostgreSQL of our own for the tests: private, empty, and gone afterwards."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import make_url

from toolwatch_server.storage.migrate import VERSION_TABLE

URL_SETTING = "TOOLWATCH_TEST_POSTGRESQL_URL"
# Nothing here outlives the tests, so nothing needs to survive a crash.
FAST = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c max_connections=100"
_numbers = count(1)


@contextmanager
def server() -> Iterator[str]:
    """The URL of a server on which databases may be made: the one that is named, or a new one."""
    if url := os.environ.get(URL_SETTING):
        yield url
        return
    binaries = _binaries()
    if binaries is None:
        reason = f"PostgreSQL is not installed (make system), and {URL_SETTING} names none"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with _cluster(binaries) as url:
        yield url


@contextmanager
def new_database(server_url: str) -> Iterator[str]:
    """The URL of a database that exists as long as the context does."""
    name = f"test_{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    try:
        yield make_url(server_url).set(database=name).render_as_string(hide_password=False)
    finally:
        with psycopg.connect(server_url, autocommit=True) as admin:
            admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def emptied(url: str) -> str:
    """The same database without its rows; much faster than a new one."""
    with psycopg.connect(url, autocommit=True) as admin:
        tables = admin.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        rows = [sql.Identifier(name) for (name,) in tables if name != VERSION_TABLE]
        admin.execute(sql.SQL("TRUNCATE {} RESTART IDENTITY").format(sql.SQL(", ").join(rows)))
    return url


def _binaries() -> Path | None:
    """Debian keeps the server's programs out of PATH, one folder a version."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    on_path = shutil.which("initdb")
    if found:
        return found[-1].parent
    return Path(on_path).parent if on_path else None


@contextmanager
def _cluster(binaries: Path) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="toolwatch-postgresql-") as folder:
        as_user: tuple[str, ...] = ()
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            as_user = ("runuser", "-u", "postgres", "--")
            shutil.chown(folder, "postgres")
        port = _free_port()

        def run(program: str, *arguments: str) -> None:
            # Into a file: the server inherits it, and a pipe would stay open as long as the server lives.
            with Path(folder, "output").open("a+") as output:
                command = (*as_user, str(binaries / program), "-D", f"{folder}/data", *arguments)
                if subprocess.run(command, cwd=folder, stdout=output, stderr=output, check=False).returncode:
                    output.seek(0)
                    pytest.fail(f"PostgreSQL did not start:\n{output.read()}")

        run("initdb", "-U", "toolwatch", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        where = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1"
        run("pg_ctl", "-w", "-l", f"{folder}/log", "-o", f"{where} {FAST}", "start")
        try:
            yield f"postgresql://toolwatch@127.0.0.1:{port}/postgres"
        finally:
            run("pg_ctl", "-m", "immediate", "stop")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
