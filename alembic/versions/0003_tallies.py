"""Counters that outlive calls, for /metrics: see storage/tally.py."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "tallies",
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("service", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("bucket", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("calls", sa.BigInteger(), nullable=False),
        sa.Column("executions", sa.BigInteger(), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.Column("trace_id", sa.Text()),
        sa.Column("example_seconds", sa.Double()),
        sa.Column("example_ns", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("tool", "service", "outcome", "bucket", name="pk_tallies"),
    )
    op.create_table(
        "untallied",
        sa.Column("call_key", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("call_key", name="pk_untallied"),
    )
    op.execute("INSERT INTO untallied (call_key) SELECT key FROM calls")


def downgrade() -> None:
    op.drop_table("untallied")
    op.drop_table("tallies")
