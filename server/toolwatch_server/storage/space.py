"""How much room the database takes, and how it is given back."""

from contextlib import closing
from typing import Final

from sqlalchemy import Connection, Engine, func, select
from sqlalchemy.exc import DBAPIError

from toolwatch_server.errors import StorageDown
from toolwatch_server.storage.dialect import forget_deleted, give_back_space, is_sqlite, size_bytes
from toolwatch_server.storage.tables import metadata
from toolwatch_server.storage.transaction import in_transaction

SEARCH: Final = "search"
# What deleted words leave behind goes when parts of the index are merged: so many pages of it at a time.
_MERGE_SOME: Final = "INSERT INTO search(search, rank) VALUES ('merge', -500)"


def used_bytes(db: Connection) -> int:
    """Without what SQLite keeps for new rows; PostgreSQL does not tell that of its own."""
    size = db.execute(select(size_bytes(db))).scalar_one()
    if not is_sqlite(db):
        return int(size)
    free = func.pragma_freelist_count().table_valued("freelist_count")
    page = func.pragma_page_size().table_valued("page_size")
    pages = db.execute(select(free.c.freelist_count)).scalar_one()
    return int(size - pages * db.execute(select(page.c.page_size)).scalar_one())


def tidy(engine: Engine) -> None:
    """After each run of retention: as much as can be had without making others wait."""
    if is_sqlite(engine):
        in_transaction(engine, lambda db: db.exec_driver_sql(_MERGE_SOME))
        give_back_space(engine)


def give_back(engine: Engine) -> None:
    """All of it, to the operating system. PostgreSQL locks each table while it writes it anew."""
    try:
        if is_sqlite(engine):
            in_transaction(engine, forget_deleted)
            give_back_space(engine)
            with closing(engine.raw_connection()) as connection:
                connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        else:
            with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as db:
                for name in (SEARCH, *metadata.tables):
                    db.exec_driver_sql(f"VACUUM (FULL, ANALYZE) {name}")
    except DBAPIError as error:
        raise StorageDown(f"the space could not be given back: {error.orig}") from error
