"""Open a database: which driver, which settings, and how many connections."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from toolwatch_server.errors import CannotStart
from toolwatch_server.storage.dialect import is_sqlite

Reader: TypeAlias = Connection

UNSUPPORTED: Final = "D001"
UNREACHABLE: Final = "D002"

_READERS: Final = 8
_CONNECT_TIMEOUT_S: Final = 5
_READ_TIMEOUT_MS: Final = 30_000
# Waiting for another process; within one process only one connection writes.
_BUSY_TIMEOUT_MS: Final = 10_000
_SQLITE_CACHE_KIB: Final = 8_192
_POSTGRES_NAMES: Final = ("postgresql", "postgres", "postgresql+psycopg")
_SECRET_OPTIONS: Final = frozenset({"password", "passfile", "sslpassword"})


@dataclass(frozen=True, slots=True)
class Database:
    """One connection that writes, and several that read beside it without waiting."""

    writer: Engine
    readers: Engine

    @property
    def location(self) -> str:
        return location(self.writer.url)

    @contextmanager
    def read(self) -> Iterator[Reader]:
        """A connection that sees one moment of the database and cannot change it."""
        with self.readers.connect() as connection:
            yield connection

    def close(self) -> None:
        self.readers.dispose()
        self.writer.dispose()


def open_database(url: str) -> Database:
    """Prepare connections to sqlite:///path or postgresql://…; nothing is contacted yet.

    Raises CannotStart for any other URL, and when SQLite's folder cannot be made.
    """
    target = _target(url)
    if is_sqlite(target):
        return _open_sqlite(target)
    return _open_postgresql(target)


def folder_of(url: str) -> Path | None:
    """Of a database that is a file; None for one on a server."""
    parsed = make_url(url)
    return Path(parsed.database).parent if is_sqlite(parsed) and parsed.database else None


def location(url: URL) -> str:
    """Where the database is, without any password."""
    shown = url.difference_update_query(_SECRET_OPTIONS)
    if is_sqlite(shown):
        return shown.database or ""
    return shown.set(drivername="postgresql").render_as_string(hide_password=True)


@contextmanager
def reaching(url: URL) -> Iterator[None]:
    """Turn the driver's complaint about a connection into a sentence."""
    try:
        yield
    except DBAPIError as error:
        reason = str(error.orig).strip()
        raise CannotStart(f"cannot use the database {location(url)}: {reason}", code=UNREACHABLE) from error


def _target(url: str) -> URL:
    try:
        target = make_url(url)
    except ArgumentError:
        # The text may hold a password, so it is not repeated.
        raise CannotStart(
            "the database URL cannot be read; write sqlite:///path or postgresql://…", code=UNSUPPORTED
        ) from None
    if target.drivername == "sqlite" and target.database not in (None, "", ":memory:"):
        return target
    if target.drivername in _POSTGRES_NAMES:
        return target.set(drivername="postgresql+psycopg")
    raise CannotStart(
        f"cannot keep calls in {target.drivername}: use sqlite:///path (a file) or postgresql://…",
        code=UNSUPPORTED,
    )


def _open_sqlite(target: URL) -> Database:
    folder = Path(target.database or "").absolute().parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotStart(f"cannot make the folder {folder}: {error.strerror}", code=UNREACHABLE) from error
    options = {"check_same_thread": False, "timeout": _BUSY_TIMEOUT_MS / 1000}
    writer = create_engine(target, connect_args=options, pool_size=1, max_overflow=0)
    readers = create_engine(target, connect_args=options, pool_size=_READERS, max_overflow=0)
    event.listen(writer, "connect", _set_up_sqlite_writer)
    event.listen(readers, "connect", _set_up_sqlite_reader)
    # The lock is taken before the first look: a transaction that reads first may find it cannot write.
    event.listen(writer, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    event.listen(readers, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
    return Database(writer, readers)


def _set_up_sqlite_writer(connection: Any, _record: object) -> None:
    _pragmas(
        connection,
        "auto_vacuum = INCREMENTAL",  # only a new file heeds it; must stand before journal_mode
        "journal_mode = WAL",
        "synchronous = FULL",  # 200 means committed, also after a power cut; in batches it costs nothing
        "secure_delete = ON",  # deleted means gone from the file
        "foreign_keys = ON",
        "temp_store = MEMORY",
        f"cache_size = -{2 * _SQLITE_CACHE_KIB}",
    )


def _set_up_sqlite_reader(connection: Any, _record: object) -> None:
    _pragmas(connection, "query_only = ON", "temp_store = MEMORY", f"cache_size = -{_SQLITE_CACHE_KIB}")


def _pragmas(connection: Any, *settings: str) -> None:
    connection.isolation_level = None  # transactions begin where we say, not where the driver guesses
    for setting in settings:
        connection.execute(f"PRAGMA {setting}")


def _open_postgresql(target: URL) -> Database:
    common: dict[str, Any] = {"pool_pre_ping": True, "pool_timeout": _CONNECT_TIMEOUT_S}
    connect = {"connect_timeout": _CONNECT_TIMEOUT_S, "application_name": "toolwatch"}
    reading = {
        **connect,
        "options": f"-c statement_timeout={_READ_TIMEOUT_MS} -c default_transaction_read_only=on",
    }
    writer = create_engine(target, connect_args=connect, pool_size=1, max_overflow=1, **common)
    readers = create_engine(target, connect_args=reading, pool_size=_READERS, max_overflow=_READERS, **common)
    return Database(writer, readers.execution_options(isolation_level="REPEATABLE READ"))
