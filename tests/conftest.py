"""Databases for the tests: every promise of the store is kept by SQLite and by PostgreSQL."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest

from tests import postgres
from toolwatch_server.storage.engine import Database, open_database
from toolwatch_server.storage.migrate import migrate
from toolwatch_server.storage.store import Store

NOON_NS = 1_767_268_800_000_000_000  # 2026-01-01 12:00 UTC


@dataclass
class Clock:
    """A clock that only moves when a test says so."""

    now_ns: int = NOON_NS

    def __call__(self) -> int:
        return self.now_ns

    def advance(self, seconds: float) -> int:
        self.now_ns += round(seconds * 1_000_000_000)
        return self.now_ns


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The browser goes last: its driver keeps an event loop here, where asyncio.run cannot start."""
    items.sort(key=lambda item: "browser" in item.path.parts)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    """The URL of a PostgreSQL server on which the tests make databases."""
    with postgres.server() as url:
        yield url


@pytest.fixture(scope="session")
def migrated_postgresql(postgresql_server: str) -> Iterator[str]:
    """A database that is up to date; every test empties it first."""
    with postgres.new_database(postgresql_server) as url:
        _migrate(url)
        yield url


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sqlite") / "migrated.db"
    _migrate(f"sqlite:///{path}")
    return path


def _migrate(url: str) -> None:
    database = open_database(url)
    migrate(database)
    database.close()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database without any table."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'empty.db'}"
        return
    with postgres.new_database(request.getfixturevalue("postgresql_server")) as url:
        yield url


EmptyUrl = Callable[[], str]


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def emptied_url(request: pytest.FixtureRequest, tmp_path: Path) -> EmptyUrl:
    """Gives, as often as it is asked, an up-to-date database without any call; the one before is lost."""
    if request.param == "postgresql":
        url: str = request.getfixturevalue("migrated_postgresql")
        return lambda: postgres.emptied(url)
    migrated, numbers = request.getfixturevalue("migrated_sqlite"), count(1)
    return lambda: f"sqlite:///{shutil.copy(migrated, tmp_path / f'{next(numbers)}.db')}"


@pytest.fixture
def database_url(emptied_url: EmptyUrl) -> str:
    """The URL of an up-to-date database without any call."""
    return emptied_url()


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    opened = open_database(database_url)
    yield opened
    opened.close()


@pytest.fixture
def store(database: Database, clock: Clock) -> Store:
    return Store(database, clock=clock)
