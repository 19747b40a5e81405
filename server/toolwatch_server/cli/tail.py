"""toolwatch tail"""

import json
import time
from collections.abc import Iterator
from typing import Annotated, Any, Final

import typer

from toolwatch_server.cli.client import DEFAULT_SERVER, Client, Server
from toolwatch_server.cli.console import complain, out, plain
from toolwatch_server.cli.filters import with_filters
from toolwatch_server.cli.looks import call_columns, call_line
from toolwatch_server.errors import Later

POLL_S: Final = 1.0
REMEMBERED: Final = 10_000
PAGES: Final = 20
Json = dict[str, Any]


@with_filters("until")
def tail(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="A call a line, as JSON.")] = False,
    server: Server = DEFAULT_SERVER,
    filters: dict[str, Any],
) -> None:
    """Follow calls as they come; again when the outcome of one changes. Ends with Ctrl-C.

    Begins with the last five minutes, unless --since says otherwise.

    [bold]Examples[/bold]

      toolwatch tail --failed

      toolwatch tail --tool charge_card --json | jq .verdict
    """
    with Client(server) as client:
        try:
            for call in _news(client, {"since": "-5m"} | filters):
                _show(call, as_json)
        except KeyboardInterrupt:
            raise typer.Exit(130) from None


def _show(call: Json, as_json: bool) -> None:
    if as_json:
        plain(json.dumps(call, ensure_ascii=False))
    elif out.is_terminal:
        out.print(call_line(call))
    else:
        plain(call_columns(call))
    out.file.flush()


def _news(client: Client, filters: Json) -> Iterator[Json]:
    """Calls that are new or have another outcome, oldest first, for ever."""
    told: dict[str, str] = {}
    while True:
        try:
            found = _listed(client, filters)
        except Later as error:
            complain(error.message)
            time.sleep(error.after_s)
            continue
        for call in reversed(found):
            if told.get(call["key"]) != call["outcome"]:
                told[call["key"]] = call["outcome"]
                yield call
        for key in list(told)[:-REMEMBERED]:
            del told[key]
        time.sleep(POLL_S)


def _listed(client: Client, filters: Json) -> list[Json]:
    """Newest first, as far back as was asked for, within reason."""
    found: list[Json] = []
    cursor: Json = {}
    for _ in range(PAGES):
        page = client.get("/api/v1/calls", **filters, **cursor, limit=500).json()
        found += page["calls"]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    return found
