"""All that SQLite and PostgreSQL do differently, after a connection is open."""

from collections.abc import Sequence
from contextlib import closing
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import (
    URL,
    BigInteger,
    Column,
    Connection,
    Engine,
    MetaData,
    Select,
    Table,
    Text,
    bindparam,
    delete,
    func,
    insert,
    literal_column,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import TSVECTOR
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.expression import ColumnElement

from toolwatch_server.storage.text import searched_words

# Any number will do, as long as nobody else uses it on the same database.
_LOCK_MIGRATION: Final = 0x746F6F6C77
_LOCK_CROSS: Final = 0x746F6F6C78
_PREFIX_MIN: Final = 3  # shorter beginnings match half the index

# Not in tables.metadata: each database has its own kind of full-text index, made by the first migration.
_fts5 = Table(
    "search", MetaData(), Column("rowid", BigInteger), Column("words", Text), Column("search", Text)
)
_tsvector = Table("search", MetaData(), Column("id", BigInteger, primary_key=True), Column("words", TSVECTOR))
_SIMPLE: Final[ColumnElement[Any]] = literal_column("'simple'::regconfig")


def is_sqlite(db: Connection | Engine | URL) -> bool:
    name = db.get_backend_name() if isinstance(db, URL) else db.dialect.name
    return name == "sqlite"


def insert_new(
    db: Connection, table: Table, rows: Sequence[dict[str, Any]], *key: Column[Any]
) -> set[tuple[Any, ...]]:
    """Insert what is not there yet. Returns the keys of what was inserted."""
    if not rows:
        return set()
    make = sqlite.insert if is_sqlite(db) else postgresql.insert
    statement = make(table).on_conflict_do_nothing().returning(*key)
    return {tuple(row) for row in db.execute(statement, rows)}


def upsert(db: Connection, table: Table, rows: Sequence[dict[str, Any]], **changes: Any) -> None:
    """Insert, or apply `changes` (column -> function of the new row's columns) to the row that is there."""
    make = sqlite.insert if is_sqlite(db) else postgresql.insert
    statement = make(table)
    values = {name: change(table.c, statement.excluded) for name, change in changes.items()}
    db.execute(statement.on_conflict_do_update(index_elements=list(table.primary_key), set_=values), rows)


def greater(a: ColumnElement[Any], b: ColumnElement[Any], db: Connection) -> ColumnElement[Any]:
    return func.max(a, b) if is_sqlite(db) else func.greatest(a, b)


def locked(statement: Select[Any]) -> Select[Any]:
    """SQLite ignores it: its write transactions begin with the one lock there is (see engine.py)."""
    return statement.with_for_update()


def lock_migration(db: Connection) -> None:
    _lock(db, _LOCK_MIGRATION)


def lock_cross(db: Connection) -> None:
    """One at a time looks across calls, until its commit: else two servers miss each other's newest call."""
    _lock(db, _LOCK_CROSS)


def lock_traces(db: Connection, trace_ids: Sequence[str]) -> None:
    """One at a time links a trace, until its commit: else two servers miss each other's newest clue."""
    if not is_sqlite(db) and trace_ids:
        numbers = sorted(
            {int.from_bytes(sha256(t.encode()).digest()[:8], "big", signed=True) for t in trace_ids}
        )
        for number in numbers:  # in one order, so that two servers never wait for each other
            db.execute(select(func.pg_advisory_xact_lock(number)))


def _lock(db: Connection, number: int) -> None:
    if not is_sqlite(db):
        db.execute(select(func.pg_advisory_xact_lock(number)))


def index_words(db: Connection, texts: Sequence[tuple[int, str]]) -> None:
    """Words of calls that have none in the index, by their row id."""
    if not texts:
        return
    # FTS5 flushes whenever a row id is smaller than the one before.
    rows = [{"call_id": id_, "text": words} for id_, words in sorted(texts)]
    if is_sqlite(db):
        db.execute(insert(_fts5).values(rowid=bindparam("call_id"), words=bindparam("text")), rows)
    else:
        vector = func.to_tsvector(_SIMPLE, bindparam("text"))
        db.execute(insert(_tsvector).values(id=bindparam("call_id"), words=vector), rows)


def unindex(db: Connection, ids: Sequence[int]) -> None:
    column = _fts5.c.rowid if is_sqlite(db) else _tsvector.c.id
    if ids:
        db.execute(
            delete(column.table).where(column == bindparam("call_id")), [{"call_id": i} for i in sorted(ids)]
        )


def having_words(db: Connection, text: str) -> Select[Any] | None:
    """Row ids of the calls that have all the words, longer ones also as beginnings; None without a word."""
    words = searched_words(text)
    if not words:
        return None
    if is_sqlite(db):
        query = " AND ".join(f'"{word}"*' if len(word) >= _PREFIX_MIN else f'"{word}"' for word in words)
        return select(_fts5.c.rowid).where(literal_column("search").op("MATCH")(query))
    query = " & ".join(f"{word}:*" if len(word) >= _PREFIX_MIN else word for word in words)
    return select(_tsvector.c.id).where(_tsvector.c.words.op("@@")(func.to_tsquery(_SIMPLE, query)))


def forget_deleted(db: Connection) -> None:
    """Overwrite what deleted words left behind in the index; PostgreSQL's vacuum does so by itself."""
    if is_sqlite(db):
        db.execute(insert(_fts5).values({"search": "optimize"}))


def give_back_space(engine: Engine) -> None:
    """Let the file shrink; PostgreSQL's vacuum makes its space free for new rows by itself."""
    if is_sqlite(engine):
        with closing(engine.raw_connection()) as connection:
            # As a script, because execute() would take the first freed page for the end of the statement.
            connection.cursor().executescript("PRAGMA incremental_vacuum")


def forget_old_pages(engine: Engine) -> None:
    """What was overwritten shall rest neither in the log before the file nor in rows nobody sees."""
    statement = "PRAGMA wal_checkpoint(TRUNCATE)" if is_sqlite(engine) else "VACUUM"
    with closing(engine.raw_connection()) as connection:
        if is_sqlite(engine):
            connection.cursor().execute(statement)
            return
        connection.driver_connection.autocommit = True  # type: ignore[union-attr]  # psycopg's
        try:
            connection.cursor().execute(statement)
        finally:
            connection.driver_connection.autocommit = False  # type: ignore[union-attr]


def size_bytes(db: Connection) -> ColumnElement[int]:
    if is_sqlite(db):
        count = func.pragma_page_count().table_valued("page_count")
        size = func.pragma_page_size().table_valued("page_size")
        pages = select(count.c.page_count).scalar_subquery()
        return pages * select(size.c.page_size).scalar_subquery()
    return func.pg_database_size(func.current_database())


def must_retry(error: DBAPIError) -> bool:
    """Whether PostgreSQL chose this transaction to give way to another."""
    return getattr(error.orig, "sqlstate", None) in {"40001", "40P01"}
