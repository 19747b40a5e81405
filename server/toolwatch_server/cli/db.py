"""toolwatch db upgrade, check, prune, redact"""

import time
from typing import TYPE_CHECKING, Annotated

import typer

from toolwatch_server.cli.console import out
from toolwatch_server.domain.keeping import Rules, Weight
from toolwatch_server.errors import ToolwatchError

if TYPE_CHECKING:
    from toolwatch_server.storage.engine import Database

app = typer.Typer(help="Look after the database.", no_args_is_help=True)

DatabaseUrl = Annotated[
    str | None, typer.Option("--database-url", help="The database; as for serve unless told.")
]


@app.command()
def upgrade(database_url: DatabaseUrl = None) -> None:
    """Bring the schema up to date. serve does so by itself at every start."""
    from toolwatch_server.storage.migrate import migrate

    database = _open(database_url)
    out.print(f"{database.location} is at schema {migrate(database)}.", markup=False, soft_wrap=True)


@app.command()
def check(database_url: DatabaseUrl = None) -> None:
    """Say whether the database answers and is up to date; exits with 3 when it is not."""
    from toolwatch_server.storage.migrate import check as check_schema
    from toolwatch_server.storage.queries.status import status

    database = _open(database_url)
    revision = check_schema(database)
    with database.read() as db:
        found = status(db)
    sentence = (
        f"{database.location} is up to date (schema {revision}): {found.calls} calls, {found.spans} spans."
    )
    out.print(sentence, markup=False, soft_wrap=True)


@app.command()
def prune(
    older_than: Annotated[
        float | None,
        typer.Option(min=0, help="Days since a trace was last heard of; instead of what the settings say."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    database_url: DatabaseUrl = None,
) -> None:
    """Delete what the settings do not keep, and give its space back. Pinned traces stay.

    [bold]Examples[/bold]

      toolwatch db prune --older-than 30 --dry-run

      TOOLWATCH_KEEP_DAYS=30 TOOLWATCH_KEEP_BODIES_DAYS=7 toolwatch db prune
    """
    from toolwatch_server.ingest.otlp.bare import bare_span
    from toolwatch_server.settings import load
    from toolwatch_server.storage.migrate import check as check_schema
    from toolwatch_server.storage.retention import Retention

    settings = load(database_url=database_url)
    rules = settings.rules if older_than is None else Rules(days=older_than)
    if not rules:
        raise ToolwatchError("Nothing says what to delete: set TOOLWATCH_KEEP_DAYS, or give --older-than.")
    database = _open(database_url)
    check_schema(database)
    retention = Retention(database, rules, time.time_ns, bare_span)
    if dry_run:
        _say_what_would_go(*retention.weigh())
        return
    pruned = retention.prune()
    retention.give_back()
    out.print(f"Traces deleted: {pruned.traces}")
    if rules.bodies_days is not None:
        out.print(f"Traces whose texts were deleted: {pruned.bodies}")


def _say_what_would_go(traces: Weight, bodies: Weight) -> None:
    out.print(
        f"Traces that would be deleted: {traces.traces}, with {traces.calls} calls and {traces.spans} spans "
        f"({traces.span_bytes} bytes)",
        soft_wrap=True,
    )
    if bodies.traces:
        out.print(
            f"Traces whose texts would be deleted: {bodies.traces}, with {bodies.spans} spans "
            f"({bodies.span_bytes} bytes)",
            soft_wrap=True,
        )


@app.command()
def redact(database_url: DatabaseUrl = None) -> None:
    """Apply the rules of redaction to everything that is stored already, for example after one was added.

    It may be interrupted, and goes on where it was. A server may run meanwhile: start it anew first, so
    that it has the rules, too.
    """
    from rich.progress import Progress

    from toolwatch_server.app import redaction, scrubber
    from toolwatch_server.ingest.again import UNCUT, Again
    from toolwatch_server.settings import load
    from toolwatch_server.storage.migrate import check as check_schema
    from toolwatch_server.storage.rewriting import Rewriter

    settings = load(database_url=database_url)
    database = _open(database_url)
    check_schema(database)
    rules, name_key = redaction(settings)
    again = Again(scrubber(rules, name_key, UNCUT))
    changed = 0
    with Progress(console=out, transient=True) as bar:
        task = bar.add_task("Redacting")
        for step in Rewriter(database, again.span, again.log, rules.digest()).run():
            changed = step.changed
            bar.update(task, completed=step.done, total=step.total)
    out.print(f"Records in which something was hidden: {changed}")


def _open(database_url: str | None) -> "Database":
    from toolwatch_server.settings import load
    from toolwatch_server.storage.engine import open_database

    return open_database(load(database_url=database_url).database_url)
