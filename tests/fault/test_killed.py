"""Killed at any moment: what was acknowledged is there, once. On SQLite and on PostgreSQL."""

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.fault.accounting import Books, Flood
from tests.live import started, wait_until

if TYPE_CHECKING:
    import subprocess

End = Callable[["subprocess.Popen[str]"], None]


def flooded_until(books: Books, database_url: str, end: End) -> None:
    """Ends the server in the middle of the flood, after some requests were acknowledged."""
    with started(database_url) as (process, address):
        enough = len(books.acknowledged) + 5 * random.randint(2, 12)
        with Flood(books, address):
            wait_until(lambda: len(books.acknowledged) >= enough, 60)
            end(process)
            process.wait(60)


@pytest.mark.slow
def test_a_server_killed_under_load_keeps_what_it_acknowledged(database_url: str) -> None:
    books = Books()
    for _ in range(3):
        flooded_until(books, database_url, lambda process: process.kill())

    books.compare(database_url)


@pytest.mark.slow
def test_a_server_that_is_stopped_under_load_writes_what_it_acknowledged(database_url: str) -> None:
    books = Books()
    flooded_until(books, database_url, lambda process: process.terminate())

    books.compare(database_url)
