"""Pinned traces, and traces without their texts: see storage/retention.py."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("pins", "stripped"):
        op.create_table(
            name,
            sa.Column("trace_id", sa.Text(), nullable=False),
            sa.PrimaryKeyConstraint("trace_id", name=f"pk_{name}"),
        )


def downgrade() -> None:
    op.drop_table("stripped")
    op.drop_table("pins")
