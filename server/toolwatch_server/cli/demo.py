"""toolwatch demo"""

import os
from typing import Annotated

import typer


def demo(
    once: Annotated[
        bool, typer.Option("--once", help="End when the calls are stored, and print them.")
    ] = False,
    server: Annotated[
        str | None,
        typer.Option("--server", envvar="TOOLWATCH_SERVER", help="Use this server; starts one unless told."),
    ] = None,
    port: Annotated[int | None, typer.Option(help="The port of the server that it starts.")] = None,
) -> None:
    """Start a server and agents that make calls of every kind, and say where to look.

    [bold]Examples[/bold]

      toolwatch demo

      toolwatch demo --once
    """
    from toolwatch_server.demo.run import run_demo

    key = os.environ.get("TOOLWATCH_API_KEY", "").split(",")[0].strip()
    raise typer.Exit(run_demo(once=once, server=server, port=port, api_key=key or None))
