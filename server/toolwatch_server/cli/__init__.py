"""The command line. Each command is a file; errors become one sentence and an exit code."""

import sys
from typing import Annotated

import typer

from toolwatch_server import __version__
from toolwatch_server.cli import db, demo, doctor, errors, export, find, import_, mcp, serve, tail
from toolwatch_server.cli.console import complain
from toolwatch_server.errors import CannotStart, ToolwatchError

app = typer.Typer(
    name="toolwatch",
    help="See what really happened to every tool call of your LLM agents.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
app.command("serve")(serve.serve)
app.command("demo")(demo.demo)
app.command("find")(find.find)
app.command("tail")(tail.tail)
app.command("errors")(errors.errors)
app.command("export")(export.export)
app.command("import")(import_.import_)
app.command("mcp")(mcp.mcp)
app.command("doctor")(doctor.doctor)
app.add_typer(db.app, name="db")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"toolwatch {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """See what really happened to every tool call of your LLM agents."""


def main() -> None:
    """Exit codes: 0 done, 1 not found or failed, 2 wrong use, 3 cannot start, 130 interrupted."""
    try:
        app()
    except CannotStart as error:
        complain(f"{error.code}  {error.message}")
        sys.exit(3)
    except ToolwatchError as error:
        complain(error.message)
        sys.exit(1)
