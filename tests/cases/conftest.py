"""One server for all cases; each case reports to it under a service name of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scenarios.product import Product, serving


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the server keeps its database and its log."""
    return tmp_path_factory.mktemp("cases")


@pytest.fixture(scope="session")
def product(home: Path) -> Iterator[Product]:
    with serving(f"sqlite:///{home / 'calls.db'}", home / "server.log") as running:
        yield running
