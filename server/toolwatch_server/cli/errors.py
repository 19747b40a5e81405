"""toolwatch errors"""

import json
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from toolwatch_server.cli.client import DEFAULT_SERVER, Client, Server
from toolwatch_server.cli.console import out, plain
from toolwatch_server.cli.filters import with_filters
from toolwatch_server.cli.looks import clock, one_line

Json = dict[str, Any]


@with_filters()
def errors(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the groups as JSON.")] = False,
    server: Server = DEFAULT_SERVER,
    filters: dict[str, Any],
) -> None:
    """Show failures by type and message, the group that failed last first.

    [bold]Example[/bold]

      toolwatch errors --since -1d --service shop
    """
    with Client(server) as client:
        groups = client.get("/api/v1/errors", **filters).json()["errors"]
    if as_json:
        plain(json.dumps(groups, indent=2, ensure_ascii=False))
    elif not out.is_terminal:
        plain("\n".join(map(_columns, groups)) if groups else "")
    elif groups:
        out.print(_table(groups))
    else:
        out.print("No call that fits has failed.")


def _table(groups: list[Json]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", row_styles=["", "on grey7"])
    table.add_column("Count", justify="right", style="bold")
    table.add_column("Error", overflow="fold", ratio=1)
    table.add_column("Tools", overflow="fold")
    table.add_column("Last", no_wrap=True)
    for group in groups:
        said = Text.assemble((group["error_type"], "bold red"), f"  {one_line(group['message'])}")
        last = f"{group['last_at'][:10]} {clock(group['last_at'])}"
        table.add_row(str(group["count"]), said, ", ".join(group["tools"]), last)
    return table


def _columns(group: Json) -> str:
    texts = (str(group["count"]), group["error_type"], group["message"], ",".join(group["tools"]))
    return "\t".join(map(one_line, (*texts, group["first_at"], group["last_at"], group["last_key"])))
