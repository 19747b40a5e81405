"""toolwatch find"""

import json
from typing import Annotated

import typer

from toolwatch_server.api.to_text import call_text
from toolwatch_server.cli.client import DEFAULT_SERVER, Client, Server
from toolwatch_server.cli.console import complain, out, plain
from toolwatch_server.cli.looks import call_view


def find(
    tool_call_id: Annotated[str, typer.Argument(help="The id as the model gave it.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the calls as JSON.")] = False,
    server: Server = DEFAULT_SERVER,
) -> None:
    """Show everything that happened to one tool call. Exits with 1 when there is none.

    [bold]Examples[/bold]

      toolwatch find call_8Fk2

      toolwatch find call_8Fk2 --json | jq .[0].outcome
    """
    with Client(server) as client:
        calls = client.get("/api/v1/calls", tool_call_id=tool_call_id, limit=500).json()["calls"]
    if not calls:
        complain(f"No call has the id {tool_call_id!r} on {server}.")
        raise typer.Exit(1)
    if as_json:
        plain(json.dumps(calls, indent=2, ensure_ascii=False))
    elif out.is_terminal:
        out.print(*map(call_view, calls))
    else:
        plain("\n".join(map(call_text, calls)))
