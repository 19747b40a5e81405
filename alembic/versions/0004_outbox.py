"""Spans that have to be passed on: see storage/outbox.py."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "outbox",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("destination", sa.Text(), nullable=False),
        sa.Column("due_ns", sa.BigInteger(), nullable=False),
        sa.Column("created_ns", sa.BigInteger(), nullable=False),
        sa.Column("trace_id", sa.Text()),
        sa.Column("spans", sa.Integer(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_outbox"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_outbox_created", "outbox", ["destination", "created_ns"])
    op.create_index("ix_outbox_due", "outbox", ["destination", "due_ns", "id"])


def downgrade() -> None:
    op.drop_table("outbox")
