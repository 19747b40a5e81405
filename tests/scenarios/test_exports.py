"""What is exported and imported elsewhere is what was there: every call of every scenario, every field."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import postgres
from tests.live import wait_until
from tests.scenarios.product import Product, serving

OPEN = ("running", "abandoned")


def toolwatch(*arguments: str | Path, server: Product) -> str:
    command = [sys.executable, "-m", "toolwatch_server", *map(str, arguments), "--server", server.url]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "200"}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def settled(product: Product) -> dict[str, Any]:
    """All calls by key, once none is thought to run: whether a dead process is dead shows with time."""
    wait_until(lambda: product.get("/api/v1/calls", outcome="running")["calls"] == [], within_s=90)
    return {call["key"]: call for call in product.calls()}


def traces(product: Product, calls: dict[str, Any]) -> dict[str, Any]:
    ids = sorted({trace_id for call in calls.values() for trace_id in call["trace_ids"]})
    return {trace_id: product.get(f"/api/v1/traces/{trace_id}") for trace_id in ids}


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Product]:
    if request.param == "sqlite":
        with serving(f"sqlite:///{tmp_path / 'copy.db'}", tmp_path / "copy.log") as product:
            yield product
        return
    server_url = request.getfixturevalue("postgresql_server")
    with postgres.new_database(server_url) as url, serving(url, tmp_path / "copy.log") as product:
        yield product


@pytest.mark.usefixtures("watched")
@pytest.mark.parametrize("format", ["otlp-proto", "otlp-json"])
def test_an_export_holds_everything(format: str, on_sqlite: Product, empty: Product, tmp_path: Path) -> None:
    file = tmp_path / f"all.{format}"
    toolwatch("export", "--format", format, "-o", file, server=on_sqlite)
    before = settled(on_sqlite)

    said = toolwatch("import", file, server=empty)

    after = settled(empty)
    assert after.keys() == before.keys()
    assert [key for key in before if after[key] != before[key]] == []
    assert traces(empty, after) == traces(on_sqlite, before)
    assert re.search(r"[1-9]\d* records stored, 0 known already$", said.strip())
    assert "refused" not in said


@pytest.mark.usefixtures("watched")
def test_an_export_to_jaeger_and_back_loses_nothing_but_parts_of_a_microsecond(
    on_sqlite: Product, tmp_path: Path
) -> None:
    file = tmp_path / "all.jaeger.json"
    toolwatch("export", "--format", "jaeger", "-o", file, server=on_sqlite)
    before = settled(on_sqlite)

    with serving(f"sqlite:///{tmp_path / 'copy.db'}", tmp_path / "copy.log") as empty:
        toolwatch("import", file, server=empty)
        after = settled(empty)

    assert after.keys() == before.keys()
    assert [key for key in before if not alike(after[key], before[key])] == []


def alike(one: Any, other: Any) -> bool:
    """Durations may differ by two thousandths of a millisecond."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return one == pytest.approx(other, abs=0.002)
    return bool(one == other)
