"""Run migrations: on the connection that the server hands in, or from Alembic's own command line."""

import os

from alembic import context

from toolwatch_server.storage import service_tables  # noqa: F401  # its tables belong to the metadata, too
from toolwatch_server.storage.engine import open_database
from toolwatch_server.storage.migrate import VERSION_TABLE
from toolwatch_server.storage.tables import metadata


def is_ours(name, type_, parent_names):
    """The full-text index is different on every database, and FTS5 adds tables of its own to it."""
    return type_ != "table" or not (name == "search" or name.startswith("search_"))


def run(connection):
    context.configure(
        connection=connection,
        target_metadata=metadata,
        version_table=VERSION_TABLE,
        include_name=is_ours,
        render_as_batch=True,  # SQLite cannot alter most things in place
    )
    with context.begin_transaction():
        context.run_migrations()


connection = context.config.attributes.get("connection")
if connection is not None:
    run(connection)
else:
    database = open_database(os.environ["TOOLWATCH_DATABASE_URL"])
    with database.writer.begin() as connection:
        run(connection)
    database.close()
