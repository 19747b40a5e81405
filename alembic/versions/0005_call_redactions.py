"""What was hidden in each call, by place and rule; earlier calls have theirs when they change."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "call_redactions",
        sa.Column("call_key", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("call_key", "place", "rule", name="pk_call_redactions"),
    )
    op.create_index("ix_call_redactions_rule", "call_redactions", ["rule", "call_key"])


def downgrade() -> None:
    op.drop_table("call_redactions")
