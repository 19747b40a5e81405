"""toolwatch import"""

from pathlib import Path
from typing import Annotated, Final

import typer

from toolwatch_server.cli.client import DEFAULT_SERVER, Client, Server
from toolwatch_server.cli.console import out
from toolwatch_server.errors import ToolwatchError

JSON: Final = "application/json"
PROTOBUF: Final = "application/x-protobuf"


def import_(
    files: Annotated[list[Path], typer.Argument(help="OTLP files: protobuf or JSON, traces or logs.")],
    server: Server = DEFAULT_SERVER,
) -> None:
    """Send OTLP files to the server. What it has already is not stored twice.

    [bold]Examples[/bold]

      toolwatch import trace.binpb

      toolwatch import *.otlp.json
    """
    client = Client(server)
    for file in files:
        try:
            body = file.read_bytes()
        except OSError as error:
            raise ToolwatchError(f"Cannot read {file}: {error.strerror}.") from None
        _send(client, file, body)


def _send(client: Client, file: Path, body: bytes) -> None:
    is_json = body.lstrip()[:1] == b"{"
    is_logs = b'"resourceLogs"' in body[:100_000] if is_json else ".logs." in file.name
    path = "/v1/logs" if is_logs else "/v1/traces"
    try:
        answer = client.post(path, body, JSON if is_json else PROTOBUF)
    except ToolwatchError as error:
        raise ToolwatchError(f"{file}: {error.message}") from None
    refused = answer.content if answer.content not in (b"", b"{}") else b""
    out.print(f"{file}: sent{', the server says: ' if refused else ''}", end="", markup=False)
    out.print(refused.decode("utf-8", "replace").strip(), markup=False)
