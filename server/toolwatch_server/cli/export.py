"""toolwatch export"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import quote

import typer

from toolwatch_server.cli.client import DEFAULT_SERVER, Client, Server
from toolwatch_server.cli.console import complain
from toolwatch_server.cli.filters import with_filters
from toolwatch_server.errors import ToolwatchError

FILTERED: Final = "/api/v1/calls/export"


@with_filters()
def export(
    *,
    format: Annotated[
        str,
        typer.Option(
            help="json, ndjson, csv, parquet, text, pytest, otlp-json, otlp-proto, jaeger or perfetto."
        ),
    ] = "json",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A file; standard output unless told.")
    ] = None,
    max_chars: Annotated[int | None, typer.Option(help="How long a text may be, in characters.")] = None,
    server: Server = DEFAULT_SERVER,
    filters: dict[str, Any],
) -> None:
    """Write the calls that fit all filters, newest first; in the formats of traces, their whole traces.

    A trace or a thread alone is written whole, also what belongs to no call, oldest first.

    [bold]Examples[/bold]

      toolwatch export --failed --since -1h > failures.json

      toolwatch export --trace-id 4bf92f… --format otlp-proto -o trace.otlp.binpb

      toolwatch export --tool-call-id call_8Fk2 --format pytest -o test_call.py
    """
    path, query = _address(filters)
    options = {"format": format} | ({} if max_chars is None else {"max_chars": max_chars})
    with Client(server) as client:
        _complain_of_nothing(client, path, filters)
        with client.stream(path, **query, **options) as pieces:
            if output is None:
                _print(pieces)
            else:
                _write(output, pieces)


def _complain_of_nothing(client: Client, path: str, filters: dict[str, Any]) -> None:
    if path == FILTERED and not client.get("/api/v1/calls", **filters, limit=1).json()["calls"]:
        complain("No call fits.")


def _address(filters: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    for name, folder in (("trace_id", "traces"), ("thread_id", "threads")):
        if filters.keys() == {name}:
            return f"/api/v1/{folder}/{quote(filters[name], safe='')}/export", {}
    return FILTERED, filters


def _print(pieces: Iterator[bytes]) -> None:
    for piece in pieces:
        sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()


def _write(output: Path, pieces: Iterator[bytes]) -> None:
    """Under another name until it is complete, so that half a file is never taken for a whole one."""
    unfinished = output.with_name(f"{output.name}.part")
    try:
        with unfinished.open("wb") as file:
            file.writelines(pieces)
        unfinished.replace(output)
    except OSError as error:
        raise ToolwatchError(f"Cannot write {output}: {error.strerror}.") from None
    finally:
        unfinished.unlink(missing_ok=True)
