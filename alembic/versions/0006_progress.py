"""How far long work on the whole database has come, so that it can go on after an interruption."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "progress",
        sa.Column("work", sa.Text(), nullable=False),
        sa.Column("position", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("work", name="pk_progress"),
    )


def downgrade() -> None:
    op.drop_table("progress")
