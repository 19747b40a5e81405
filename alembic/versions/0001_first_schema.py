"""The first schema: see storage/tables.py for what each table is for."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TSVECTOR

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "call_problems",
        sa.Column("call_key", sa.Text(), nullable=False),
        sa.Column("field", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("call_key", "field", "reason", name="pk_call_problems"),
    )
    op.create_table(
        "call_traces",
        sa.Column("call_key", sa.Text(), nullable=False),
        sa.Column("trace_id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("call_key", "trace_id", "run_id", name="pk_call_traces"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_call_traces_run", "call_traces", ["run_id"])
    op.create_index("ix_call_traces_trace", "call_traces", ["trace_id"])

    op.create_table(
        "calls",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("tool_call_id", sa.Text()),
        sa.Column("tool", sa.Text()),
        sa.Column("framework", sa.Text()),
        sa.Column("service", sa.Text()),
        sa.Column("environment", sa.Text()),
        sa.Column("thread_id", sa.Text()),
        sa.Column("trace_id", sa.Text()),
        sa.Column("run_id", sa.Text()),
        sa.Column("span_id", sa.Text()),
        sa.Column("message_id", sa.Text()),
        sa.Column("parent_key", sa.Text()),
        sa.Column("group_id", sa.Text()),
        sa.Column("group_size", sa.BigInteger()),
        sa.Column("position", sa.BigInteger()),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("failed", sa.Boolean(), nullable=False),
        sa.Column("handled_by", sa.Text()),
        sa.Column("executions", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("sort_ns", sa.BigInteger(), nullable=False),
        sa.Column("requested_ns", sa.BigInteger()),
        sa.Column("started_ns", sa.BigInteger()),
        sa.Column("ended_ns", sa.BigInteger()),
        sa.Column("answered_ns", sa.BigInteger()),
        sa.Column("last_ns", sa.BigInteger(), nullable=False),
        sa.Column("duration_ms", sa.Double()),
        sa.Column("waited_ms", sa.Double()),
        sa.Column("error_type", sa.Text()),
        sa.Column("error_message", sa.Text()),
        sa.Column("error_group", sa.Text()),
        sa.Column("arguments_preview", sa.Text()),
        sa.Column("answer_preview", sa.Text()),
        sa.Column("warnings", sa.Text(), nullable=False),
        sa.Column("redactions", sa.Integer(), nullable=False),
        sa.Column("instance_id", sa.Text()),
        sa.Column("last_seen_ns", sa.BigInteger()),
        sa.Column("assembled_ns", sa.BigInteger(), nullable=False),
        sa.Column("fingerprint", sa.Text()),
        sa.Column("words_digest", sa.Text()),
        sa.PrimaryKeyConstraint("id", name="pk_calls"),
        sa.UniqueConstraint("key", name="uq_calls_key"),
    )
    partial_index("ix_calls_attempts", "calls", ["sort_ns", "key"], "attempts > 1")
    op.create_index("ix_calls_environment", "calls", ["environment", "sort_ns", "key"])
    partial_index("ix_calls_error", "calls", ["error_type", "sort_ns", "key"], "error_type IS NOT NULL")
    partial_index("ix_calls_failed", "calls", ["sort_ns", "key"], "failed IS true")
    op.create_index("ix_calls_fingerprint", "calls", ["fingerprint", "sort_ns"])
    op.create_index("ix_calls_group", "calls", ["group_id"])
    op.create_index("ix_calls_outcome", "calls", ["outcome", "sort_ns", "key"])
    partial_index("ix_calls_parent", "calls", ["parent_key"], "parent_key IS NOT NULL")
    op.create_index("ix_calls_service", "calls", ["service", "sort_ns", "key"])
    figures = ["tool", "outcome", "failed", "executions", "duration_ms"]
    op.create_index("ix_calls_sort", "calls", ["sort_ns", "key", *figures])
    op.create_index("ix_calls_thread", "calls", ["thread_id", "sort_ns", "key"])
    op.create_index("ix_calls_tool", "calls", ["tool", "sort_ns", "key"])
    op.create_index("ix_calls_tool_call_id", "calls", ["tool_call_id", "service"])
    partial_index("ix_calls_warnings", "calls", ["sort_ns", "key"], "warnings != ''")

    op.create_table(
        "facts",
        sa.Column("call_key", sa.Text(), nullable=False),
        sa.Column("fact_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("trace_id", sa.Text(), nullable=False),
        sa.Column("span_id", sa.Text(), nullable=False),
        sa.Column("received_ns", sa.BigInteger(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("call_key", "fact_id", name="pk_facts"),
    )
    op.create_table(
        "instances",
        sa.Column("instance_id", sa.Text(), nullable=False),
        sa.Column("service", sa.Text()),
        sa.Column("last_seen_ns", sa.BigInteger(), nullable=False),
        sa.Column("dropped", sa.BigInteger(), nullable=False),
        sa.Column("missing_hooks", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("instance_id", name="pk_instances"),
    )
    op.create_index("ix_instances_last_seen", "instances", ["last_seen_ns"])

    op.create_table(
        "logs",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("trace_id", sa.Text()),
        sa.Column("received_ns", sa.BigInteger(), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_logs"),
    )
    op.create_index("ix_logs_received", "logs", ["received_ns"])
    op.create_index("ix_logs_trace", "logs", ["trace_id"])

    op.create_table(
        "orphans",
        sa.Column("orphan_id", sa.Text(), nullable=False),
        sa.Column("trace_id", sa.Text(), nullable=False),
        sa.Column("thread_id", sa.Text()),
        sa.Column("tool_call_id", sa.Text(), nullable=False),
        sa.Column("at_ns", sa.BigInteger(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("orphan_id", name="pk_orphans"),
    )
    op.create_index("ix_orphans_thread", "orphans", ["thread_id"])
    op.create_index("ix_orphans_tool_call_id", "orphans", ["tool_call_id"])
    op.create_index("ix_orphans_trace", "orphans", ["trace_id"])

    op.create_table(
        "repeated",
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("fingerprint", name="pk_repeated"),
    )
    op.create_table(
        "reused",
        sa.Column("tool_call_id", sa.Text(), nullable=False),
        sa.Column("service", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("tool_call_id", "service", name="pk_reused"),
    )
    op.create_table(
        "runs",
        sa.Column("trace_id", sa.Text(), nullable=False),
        sa.Column("span_id", sa.Text(), nullable=False),
        sa.Column("thread_id", sa.Text()),
        sa.Column("started_ns", sa.BigInteger(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("trace_id", "span_id", name="pk_runs"),
    )
    op.create_index("ix_runs_thread", "runs", ["thread_id"])

    op.create_table(
        "spans",
        sa.Column("trace_id", sa.Text(), nullable=False),
        sa.Column("span_id", sa.Text(), nullable=False),
        sa.Column("parent_span_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("service", sa.Text()),
        sa.Column("record", sa.Text()),
        sa.Column("start_ns", sa.BigInteger(), nullable=False),
        sa.Column("end_ns", sa.BigInteger(), nullable=False),
        sa.Column("received_ns", sa.BigInteger(), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("trace_id", "span_id", name="pk_spans"),
    )
    op.create_index("ix_spans_received", "spans", ["received_ns"])
    op.create_index("ix_spans_span", "spans", ["span_id"])
    create_search()


def partial_index(name: str, table: str, columns: list[str], condition: str) -> None:
    """SQLite writes true as 1."""
    where = {"sqlite_where": sa.text(condition.replace("true", "1")), "postgresql_where": sa.text(condition)}
    op.create_index(name, table, columns, **where)


def create_search() -> None:
    """Row id of the call, and its words as storage/text.py makes them: not split further, no accent lost."""
    if op.get_bind().dialect.name == "sqlite":
        # detail=none keeps no positions: words are looked for, never phrases.
        options = "detail=none, tokenize='unicode61 remove_diacritics 0'"
        op.execute(f"CREATE VIRTUAL TABLE search USING fts5(words, {options})")
        return
    op.create_table(
        "search",
        sa.Column("id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("words", TSVECTOR),
    )
    op.create_index("ix_search_words", "search", ["words"], postgresql_using="gin")


def downgrade() -> None:
    for table in (
        "search", "calls", "call_traces", "call_problems", "facts", "repeated", "reused",
        "spans", "logs", "orphans", "runs", "instances",
    ):  # fmt: skip
        op.drop_table(table)
