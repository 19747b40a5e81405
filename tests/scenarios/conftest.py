"""Every scenario runs once, watched, against SQLite; PostgreSQL gets the same requests twice, shuffled."""

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import postgres
from tests.scenarios.product import Product, serving
from tests.scenarios.relay import Relay

ROOT = Path(__file__).parents[2]


def work(out: Path, *arguments: str) -> Any:
    """What the callers saw of all scenarios, by the Python that TOOLWATCH_SCENARIO_PYTHON names."""
    python = os.environ.get("TOOLWATCH_SCENARIO_PYTHON", sys.executable)
    command = [python, "-m", "tests.scenarios.worker", str(out), *arguments]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OTEL_")}
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**environment, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(out.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def on_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    folder = tmp_path_factory.mktemp("scenarios")
    with serving(f"sqlite:///{folder / 'calls.db'}", folder / "server.log") as product:
        yield product


@pytest.fixture(scope="session")
def watched(on_sqlite: Product, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Relay]:
    """What the callers of watched runs saw, and every request that their collectors sent."""
    with Relay(on_sqlite.url) as relay:
        seen = work(tmp_path_factory.mktemp("watched") / "seen.json", "--endpoint", relay.url)
    return seen, relay


@pytest.fixture(scope="session")
def unwatched(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return work(tmp_path_factory.mktemp("unwatched") / "seen.json")


@pytest.fixture(scope="session")
def on_postgresql(
    watched: tuple[Any, Relay], postgresql_server: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Product]:
    requests = watched[1].kept * 2
    random.Random(7).shuffle(requests)
    log = tmp_path_factory.mktemp("scenarios") / "server.log"
    with postgres.new_database(postgresql_server) as url, serving(url, log) as product:
        for path, headers, body in requests:
            assert product.post(path, body, headers) == 200
        yield product


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def product(request: pytest.FixtureRequest, watched: tuple[Any, Relay]) -> Product:
    """A server that has seen all scenarios."""
    found: Product = request.getfixturevalue(f"on_{request.param}")
    return found
