"""The schema. Times are Unix nanoseconds, ids lower-case hex, and no column type differs between databases.

What was received (spans, logs, facts, orphans, runs) never changes. Everything in `calls`, `call_problems`,
`repeated`, `reused` and `link_names`, and every linked fact, is computed from it and may be computed again.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    false,
    literal_column,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# One narrow row a call, so that lists and figures never open a fact.
calls = Table(
    "calls",
    metadata,
    # A number that only grows: the full-text index of SQLite wants one, and is slow when it does not grow.
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("key", Text, nullable=False),
    Column("tool_call_id", Text),
    Column("tool", Text),
    Column("framework", Text),
    Column("service", Text),
    Column("environment", Text),
    Column("thread_id", Text),
    Column("trace_id", Text),
    Column("run_id", Text),
    Column("span_id", Text),
    Column("message_id", Text),
    Column("parent_key", Text),
    Column("group_id", Text),
    Column("group_size", BigInteger),
    Column("position", BigInteger),
    Column("outcome", Text, nullable=False),
    Column("failed", Boolean, nullable=False),
    Column("handled_by", Text),
    Column("executions", Integer, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("sort_ns", BigInteger, nullable=False),
    Column("requested_ns", BigInteger),
    Column("started_ns", BigInteger),
    Column("ended_ns", BigInteger),
    Column("answered_ns", BigInteger),
    Column("last_ns", BigInteger, nullable=False),
    Column("duration_ms", Double),
    Column("waited_ms", Double),
    Column("error_type", Text),
    Column("error_message", Text),
    # The message without its numbers and ids: failures are grouped by it.
    Column("error_group", Text),
    Column("arguments_preview", Text),
    Column("answer_preview", Text),
    # Codes that the call's own facts give, with a space on both sides of each. Those that need a look at
    # other calls are in `repeated`, `reused` and `orphans`, so that a loop of n calls costs n writes, not n².
    Column("warnings", Text, nullable=False),
    Column("redactions", Integer, nullable=False),
    Column("instance_id", Text),
    Column("last_seen_ns", BigInteger),
    # The moment this row was computed for: a reader computes the same call again without asking a clock.
    Column("assembled_ns", BigInteger, nullable=False),
    # Thread or run, tool and arguments: equal for calls that repeat one another.
    Column("fingerprint", Text),
    # Of the words last given to the full-text index, which is dear to write.
    Column("words_digest", Text),
    UniqueConstraint("key"),
)

# One index for each filter, in the order of the list. Conditions are literal because SQLite uses a partial
# index only when it can read the condition in the statement.
# With all that figures are made of: one over many calls then need not open their rows.
_FIGURES = (calls.c.tool, calls.c.outcome, calls.c.failed, calls.c.executions, calls.c.duration_ms)
Index("ix_calls_sort", calls.c.sort_ns, calls.c.key, *_FIGURES)
Index("ix_calls_tool", calls.c.tool, calls.c.sort_ns, calls.c.key)
Index("ix_calls_outcome", calls.c.outcome, calls.c.sort_ns, calls.c.key)
Index("ix_calls_service", calls.c.service, calls.c.sort_ns, calls.c.key)
Index("ix_calls_environment", calls.c.environment, calls.c.sort_ns, calls.c.key)
Index("ix_calls_thread", calls.c.thread_id, calls.c.sort_ns, calls.c.key)
Index("ix_calls_tool_call_id", calls.c.tool_call_id, calls.c.service)
Index("ix_calls_group", calls.c.group_id)
Index("ix_calls_fingerprint", calls.c.fingerprint, calls.c.sort_ns)


def _partial(name: str, condition: ColumnElement[bool], *columns: Column[Any]) -> None:
    Index(name, *columns, sqlite_where=condition, postgresql_where=condition)


_partial("ix_calls_failed", calls.c.failed.is_(True), calls.c.sort_ns, calls.c.key)
_partial("ix_calls_attempts", calls.c.attempts > literal_column("1"), calls.c.sort_ns, calls.c.key)
_partial("ix_calls_warnings", calls.c.warnings != literal_column("''"), calls.c.sort_ns, calls.c.key)
_partial("ix_calls_error", calls.c.error_type.is_not(None), calls.c.error_type, calls.c.sort_ns, calls.c.key)
_partial("ix_calls_parent", calls.c.parent_key.is_not(None), calls.c.parent_key)

# Which traces and runs speak of a call; a call that was resumed has several. A run nobody named is "".
call_traces = Table(
    "call_traces",
    metadata,
    Column("call_key", Text, primary_key=True),
    Column("trace_id", Text, primary_key=True),
    Column("run_id", Text, primary_key=True),
    Index("ix_call_traces_trace", "trace_id"),
    Index("ix_call_traces_run", "run_id"),
    sqlite_with_rowid=False,
)

call_problems = Table(
    "call_problems",
    metadata,
    Column("call_key", Text, primary_key=True),
    Column("field", Text, primary_key=True),
    Column("reason", Text, primary_key=True),
)

# What was hidden in a call, and where: one looks for calls by a rule.
call_redactions = Table(
    "call_redactions",
    metadata,
    Column("call_key", Text, primary_key=True),
    Column("place", Text, primary_key=True),
    Column("rule", Text, primary_key=True),
    Column("number", BigInteger, nullable=False),
    Index("ix_call_redactions_rule", "rule", "call_key"),
)

facts = Table(
    "facts",
    metadata,
    Column("call_key", Text, primary_key=True),
    Column("fact_id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("trace_id", Text, nullable=False),
    Column("span_id", Text, nullable=False),
    Column("received_ns", BigInteger, nullable=False),
    Column("body", LargeBinary, nullable=False),
    # Computed from the clues of its trace, and replaced when more of the trace has come in.
    Column("linked", Boolean, nullable=False, server_default=false()),
)
_partial("ix_facts_linked", facts.c.linked.is_(True), facts.c.trace_id)

# What other SDKs' records say of calls that they do not name; received, never changed (see linking.py).
clues = Table(
    "clues",
    metadata,
    Column("trace_id", Text, primary_key=True),
    Column("span_id", Text, primary_key=True),
    Column("source", Text, primary_key=True),
    Column("start_ns", BigInteger, nullable=False),
    Column("received_ns", BigInteger, nullable=False),
    Column("body", LargeBinary, nullable=False),
)

# Linked calls by what another trace of the same conversation, or process, may know of them. Computed.
link_names = Table(
    "link_names",
    metadata,
    Column("trace_id", Text, primary_key=True),
    Column("call_key", Text, primary_key=True),
    Column("scope", Text, nullable=False),
    Column("at_ns", BigInteger, nullable=False),
    *(Column(name, Text) for name in ("tool", "tool_call_id", "arguments")),
    *(Column(name, Boolean, nullable=False) for name in ("open", "homeless")),
    Index("ix_link_names_scope", "scope", "tool", "at_ns"),
    Index("ix_link_names_tool_call_id", "scope", "tool_call_id"),
)

# Fingerprints of calls that were made again and again (see cross.py).
repeated = Table("repeated", metadata, Column("fingerprint", Text, primary_key=True))
# Ids that one service gave to several calls.
reused = Table(
    "reused",
    metadata,
    Column("tool_call_id", Text, primary_key=True),
    Column("service", Text, primary_key=True),
)

spans = Table(
    "spans",
    metadata,
    Column("trace_id", Text, primary_key=True),
    Column("span_id", Text, primary_key=True),
    Column("parent_span_id", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("service", Text),
    Column("record", Text),
    Column("start_ns", BigInteger, nullable=False),
    Column("end_ns", BigInteger, nullable=False),
    Column("received_ns", BigInteger, nullable=False),
    Column("raw", LargeBinary, nullable=False),
    Index("ix_spans_span", "span_id"),
    Index("ix_spans_received", "received_ns"),
)

# Log records have no id of their own; the digest of what was received stands in for it.
logs = Table(
    "logs",
    metadata,
    Column("digest", Text, primary_key=True),
    Column("trace_id", Text),
    Column("received_ns", BigInteger, nullable=False),
    Column("raw", LargeBinary, nullable=False),
    Index("ix_logs_trace", "trace_id"),
    Index("ix_logs_received", "received_ns"),
)

orphans = Table(
    "orphans",
    metadata,
    Column("orphan_id", Text, primary_key=True),
    Column("trace_id", Text, nullable=False),
    Column("thread_id", Text),
    Column("tool_call_id", Text, nullable=False),
    Column("at_ns", BigInteger, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Index("ix_orphans_trace", "trace_id"),
    Index("ix_orphans_thread", "thread_id"),
    Index("ix_orphans_tool_call_id", "tool_call_id"),
)

runs = Table(
    "runs",
    metadata,
    Column("trace_id", Text, primary_key=True),
    Column("span_id", Text, primary_key=True),
    Column("thread_id", Text),
    Column("started_ns", BigInteger, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Index("ix_runs_thread", "thread_id"),
)

# Processes that send. last_seen_ns is by the server's own clock: a sender's may be wrong.
instances = Table(
    "instances",
    metadata,
    Column("instance_id", Text, primary_key=True),
    Column("service", Text),
    Column("last_seen_ns", BigInteger, nullable=False),
    Column("dropped", BigInteger, nullable=False),
    Column("missing_hooks", Text, nullable=False),
    Index("ix_instances_last_seen", "last_seen_ns"),
)

# How far long work on the whole database has come, so that it can go on after an interruption.
progress = Table(
    "progress", metadata, Column("work", Text, primary_key=True), Column("position", Text, nullable=False)
)
