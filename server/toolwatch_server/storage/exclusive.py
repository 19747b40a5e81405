"""One server for one SQLite file: two would wait for each other, and sweep and forward everything twice."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from filelock import FileLock, Timeout

from toolwatch_server.errors import CannotStart
from toolwatch_server.storage.dialect import is_sqlite
from toolwatch_server.storage.engine import UNREACHABLE, open_database

SHARED: Final = "D006"


@contextmanager
def only_server_on(database_url: str) -> Iterator[None]:
    """Held by a file beside the database, which the system lets go when the process dies.

    Raises CannotStart when another server holds it. Several servers may share one PostgreSQL.
    """
    url = open_database(database_url).writer.url  # its folder is there now
    if not is_sqlite(url):
        yield
        return
    lock = FileLock(f"{url.database}.lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise CannotStart(
            f"another Toolwatch server uses {url.database} already. Stop it, or give this one a file of its "
            "own with --database-url; several servers can share a PostgreSQL.",
            code=SHARED,
        ) from None
    except OSError as error:
        raise CannotStart(f"cannot write beside {url.database}: {error.strerror}", code=UNREACHABLE) from None
    try:
        yield
    finally:
        lock.release()
