"""toolwatch db upgrade, check, prune, redact"""

import time
from typing import TYPE_CHECKING, Annotated

import typer

from toolwatch_server.cli.console import out

if TYPE_CHECKING:
    from toolwatch_server.storage.engine import Database

NS_PER_DAY = 86_400_000_000_000

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
    older_than: Annotated[int, typer.Option(min=0, help="Days since a trace was last heard of.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say how many traces would go.")] = False,
    database_url: DatabaseUrl = None,
) -> None:
    """Delete old traces and the calls that only they speak of.

    [bold]Example[/bold]

      toolwatch db prune --older-than 30 --dry-run
    """
    from toolwatch_server.storage.migrate import check as check_schema
    from toolwatch_server.storage.queries.count_prunable import count_prunable
    from toolwatch_server.storage.store import Store

    database = _open(database_url)
    check_schema(database)
    before_ns = time.time_ns() - older_than * NS_PER_DAY
    if dry_run:
        with database.read() as db:
            out.print(f"Traces that would be deleted: {count_prunable(db, before_ns)}")
    else:
        out.print(f"Traces deleted: {Store(database).prune(before_ns)}")


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
