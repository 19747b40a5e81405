"""Clues of other SDKs' records, and what was linked from them: see storage/linking.py."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("facts", sa.Column("linked", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.create_index(
        "ix_facts_linked", "facts", ["trace_id"],
        sqlite_where=sa.text("linked IS 1"), postgresql_where=sa.text("linked IS true"),
    )  # fmt: skip
    op.create_table(
        "clues",
        sa.Column("trace_id", sa.Text(), nullable=False),
        sa.Column("span_id", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("start_ns", sa.BigInteger(), nullable=False),
        sa.Column("received_ns", sa.BigInteger(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("trace_id", "span_id", "source", name="pk_clues"),
    )
    op.create_table(
        "link_names",
        sa.Column("trace_id", sa.Text(), nullable=False),
        sa.Column("call_key", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("at_ns", sa.BigInteger(), nullable=False),
        sa.Column("tool", sa.Text()),
        sa.Column("tool_call_id", sa.Text()),
        sa.Column("arguments", sa.Text()),
        sa.Column("open", sa.Boolean(), nullable=False),
        sa.Column("homeless", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("trace_id", "call_key", name="pk_link_names"),
    )
    op.create_index("ix_link_names_scope", "link_names", ["scope", "tool", "at_ns"])
    op.create_index("ix_link_names_tool_call_id", "link_names", ["scope", "tool_call_id"])


def downgrade() -> None:
    op.drop_table("link_names")
    op.drop_table("clues")
    op.drop_index("ix_facts_linked", table_name="facts")
    op.drop_column("facts", "linked")
