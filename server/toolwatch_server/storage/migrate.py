"""Bring a database up to date, or say precisely why not."""

from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect

from toolwatch_server.errors import CannotStart
from toolwatch_server.storage.dialect import lock_migration
from toolwatch_server.storage.engine import Database, location, reaching

FOREIGN: Final = "D003"
NEWER: Final = "D004"
OUTDATED: Final = "D005"
# Our own name, so that a database of another program that uses Alembic too is not taken for ours.
VERSION_TABLE: Final = "toolwatch_schema"

_HERE: Final = Path(__file__).resolve()
_PACKAGED: Final = _HERE.parents[1] / "migrations"  # in an installed wheel
_CHECKOUT: Final = _HERE.parents[3] / "alembic"  # in an editable checkout


def migrate(database: Database) -> str:
    """Upgrade to the newest schema. Returns its revision. Safe when several servers start at once.

    Raises CannotStart when the database cannot be reached, is another program's, or has been changed by a
    later version of Toolwatch.
    """
    config = configuration()
    with reaching(database.writer.url), database.writer.begin() as db:
        lock_migration(db)
        _refuse_strangers(db, ScriptDirectory.from_config(config))
        config.attributes["connection"] = db
        command.upgrade(config, "head")
        return current_revision(db) or ""


def check(database: Database) -> str:
    """The revision of an up-to-date database. Raises CannotStart as migrate does, or if it is not."""
    scripts = ScriptDirectory.from_config(configuration())
    with reaching(database.readers.url), database.read() as db:
        _refuse_strangers(db, scripts)
        revision = current_revision(db)
    if revision is None or revision != scripts.get_current_head():
        raise CannotStart(
            f"the database {database.location} is at schema {revision or 'none'}, this version needs"
            f" {scripts.get_current_head()}; run: toolwatch db upgrade",
            code=OUTDATED,
        )
    return revision


def current_revision(db: Connection) -> str | None:
    context = MigrationContext.configure(db, opts={"version_table": VERSION_TABLE})
    return context.get_current_revision()


def configuration() -> Config:
    config = Config()
    config.set_main_option(
        "script_location", str(_PACKAGED if _PACKAGED.is_dir() else _CHECKOUT).replace("%", "%%")
    )
    return config


def _refuse_strangers(db: Connection, scripts: ScriptDirectory) -> None:
    tables = set(inspect(db).get_table_names())
    where = location(db.engine.url)
    if tables and VERSION_TABLE not in tables:
        some = ", ".join(sorted(tables)[:3])
        raise CannotStart(
            f"the database {where} belongs to another program (it holds {some}); name an empty one",
            code=FOREIGN,
        )
    revision = current_revision(db)
    known = {script.revision for script in scripts.walk_revisions()}
    if revision is not None and revision not in known:
        raise CannotStart(
            f"the database {where} was changed by a later version of Toolwatch (schema {revision}; this"
            f" one knows up to {scripts.get_current_head()}); upgrade Toolwatch or name another database",
            code=NEWER,
        )
