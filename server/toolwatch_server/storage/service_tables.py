"""The schema, continued: what counting, forwarding and retention need beside the calls (see tables.py)."""

from sqlalchemy import BigInteger, Column, Double, Index, Integer, LargeBinary, Table, Text

from toolwatch_server.storage.tables import metadata

# What /metrics counts (see tally.py). It only grows, and outlives the calls themselves.
tallies = Table(
    "tallies",
    metadata,
    Column("tool", Text, primary_key=True),
    Column("service", Text, primary_key=True),
    Column("outcome", Text, primary_key=True),
    Column("bucket", Integer, primary_key=True, autoincrement=False),
    Column("calls", BigInteger, nullable=False),
    Column("executions", BigInteger, nullable=False),
    Column("seconds", Double, nullable=False),
    # The newest call of the bucket, as an example.
    Column("trace_id", Text),
    Column("example_seconds", Double),
    Column("example_ns", BigInteger, nullable=False),
)
# Calls that were not counted yet, because they are new or may still end differently.
untallied = Table("untallied", metadata, Column("call_key", Text, primary_key=True))

# Spans that still have to be passed on (see outbox.py). body: 16 bytes of trace id and 8 of span id for each.
outbox = Table(
    "outbox",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("destination", Text, nullable=False),
    Column("due_ns", BigInteger, nullable=False),
    Column("created_ns", BigInteger, nullable=False),
    Column("trace_id", Text),
    Column("spans", Integer, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Index("ix_outbox_due", "destination", "due_ns", "id"),
    Index("ix_outbox_created", "destination", "created_ns"),
    sqlite_autoincrement=True,  # whoever deletes a row by its number must not meet a new one of that number
)

# Traces that retention leaves alone, and traces whose texts it has deleted (see retention.py).
pins = Table("pins", metadata, Column("trace_id", Text, primary_key=True))
stripped = Table("stripped", metadata, Column("trace_id", Text, primary_key=True))
