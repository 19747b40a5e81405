"""One server for all cases; each case reports to it under a service name of its own."""

from collections.abc import Iterator

import pytest

from tests.scenarios.product import Product, serving


@pytest.fixture(scope="session")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    folder = tmp_path_factory.mktemp("cases")
    with serving(f"sqlite:///{folder / 'calls.db'}", folder / "server.log") as running:
        yield running
