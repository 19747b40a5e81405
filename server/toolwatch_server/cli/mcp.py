"""toolwatch mcp"""

from enum import StrEnum
from typing import Annotated, Any

import typer

from toolwatch_server.cli.client import DEFAULT_SERVER, Client, Server
from toolwatch_server.errors import ToolwatchError


class Transport(StrEnum):
    STDIO = "stdio"
    HTTP = "http"


def mcp(
    transport: Annotated[Transport, typer.Option(help="How the agent talks to it.")] = Transport.STDIO,
    port: Annotated[int, typer.Option(help="For http: the port on this machine.")] = 4320,
    server: Server = DEFAULT_SERVER,
) -> None:
    """Let a coding agent ask about tool calls: a server of the Model Context Protocol. It only reads.

    [bold]Examples[/bold]

      claude mcp add toolwatch -- toolwatch mcp

      toolwatch mcp --transport http --port 4320
    """
    try:
        from toolwatch_server.mcp.server import make_server
    except ModuleNotFoundError as missing:
        if not (missing.name or "").startswith("mcp"):
            raise
        raise ToolwatchError(
            "toolwatch mcp needs the Model Context Protocol's SDK. Run: pip install 'toolwatch[server,mcp]'"
        ) from None
    with Client(server) as client:

        def ask(path: str, **query: Any) -> Any:
            answer = client.get(path, **query)
            return answer.json() if answer.is_success else None

        make_server(ask, port).run("stdio" if transport is Transport.STDIO else "streamable-http")
