"""Everywhere a server could show or keep something: every answer of the API, every page, every table."""

import re
import sqlite3
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import psycopg
import sqlalchemy
from psycopg import sql

from tests.scenarios.product import Product
from toolwatch_server.storage.codec import unpack

NO_CONTENT: Final = ("/api/openapi.json", "/api/docs", "/healthz", "/readyz")
_PATH_PARAMETER: Final = re.compile(r"\{(\w+)(?::path)?\}")


def answers(server: Product, calls: list[Any]) -> Iterator[tuple[str, bytes]]:
    """Every GET route that the API describes, in every format, for each of the calls; and their pages."""
    described = server.get("/api/openapi.json")["paths"]
    for path, methods in described.items():
        if "get" in methods:
            for address in _addresses(path, methods["get"], calls):
                yield address, _fetched(server, address)
    for address in _pages(server, calls):
        yield address, _fetched(server, address)


def _addresses(path: str, route: dict[str, Any], calls: list[Any]) -> list[str]:
    formats = [
        [f"format={word}" for word in parameter["schema"].get("enum", ())]
        for parameter in route.get("parameters", ())
        if parameter["name"] == "format"
    ]
    queries = ["&".join(some) for some in product(*formats)] or [""]
    names = _PATH_PARAMETER.findall(path)
    if not names:
        return [f"{path}?{query}" for query in queries]
    said = (str(call["tool" if names == ["name"] else names[0]]) for call in calls)
    values = dict.fromkeys(value for value in said if "\n" not in value)  # an address holds no line break
    return [
        f"{_PATH_PARAMETER.sub(lambda _, v=v: quote(v, safe=''), path)}?{query}"  # type: ignore[misc]
        for v in values
        for query in queries
    ]


def _pages(server: Product, calls: list[Any]) -> Iterator[str]:
    yield from ("/", "/calls", "/errors", "/tools", "/status", "/settings", "/metrics", "/parts/calls")
    for call in calls:
        key, trace, thread = call["key"], call["trace_id"], str(call["thread_id"])
        yield from (f"/calls/{key}", f"/traces/{trace}", f"/parts/traces/{trace}/lines")
        if "\n" not in thread:
            yield f"/threads/{quote(thread, safe='')}"
        page = server.page(f"/calls/{key}")
        yield from dict.fromkeys(re.findall(r'href="(/calls/[^"]*/raw/[^"?]*)"', page))


def _fetched(server: Product, address: str) -> bytes:
    answer = server.http.get(address, headers={"accept": "text/html" if "/api/" not in address else "*/*"})
    assert answer.status_code < 400, f"{address}: {answer.status_code} {answer.text[:200]}"
    return answer.content


def kept(database_url: str) -> Iterator[tuple[str, bytes]]:
    """Every value of every table, unpacked; of SQLite also its files as they lie there."""
    url = sqlalchemy.make_url(database_url)
    if url.get_backend_name() != "sqlite":
        yield from _tables_of_postgresql(database_url)
        return
    file = Path(str(url.database))
    for path in file.parent.glob(f"{file.name}*"):
        yield path.name, path.read_bytes()
    with sqlite3.connect(file) as db:
        names = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for name in names:
            yield name, _joined(db.execute(f'SELECT * FROM "{name}"').fetchall())


def _tables_of_postgresql(url: str) -> Iterator[tuple[str, bytes]]:
    with psycopg.connect(url) as db:
        names = db.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        for (name,) in names:
            rows = db.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(name))).fetchall()
            yield name, _joined(rows)


def _joined(rows: list[Any]) -> bytes:
    return b"\n".join(
        unpack(bytes(value)) if isinstance(value, bytes | memoryview) else str(value).encode(errors="replace")
        for row in rows
        for value in row
    )
