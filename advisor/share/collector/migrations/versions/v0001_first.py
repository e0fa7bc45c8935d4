"""The first tables.

Revision ID: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "upload",
        sa.Column("number", _NUMBER, primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(64), nullable=False, unique=True),
        sa.Column("received_on", sa.String(10), nullable=False),
        sa.Column("state", sa.String(12), nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_index("ix_upload_received_on", "upload", ["received_on"])
    op.create_table(
        "series",
        sa.Column("number", _NUMBER, primary_key=True, autoincrement=True),
        sa.Column("key", sa.String(32), nullable=False, unique=True),
        sa.Column("device", sa.String(64), nullable=False),
        sa.Column("device_kind", sa.String(8), nullable=False),
        sa.Column("kernel", sa.String(96), nullable=False),
        sa.Column("direction", sa.String(16), nullable=False),
        sa.Column("precision", sa.String(10), nullable=False),
        sa.Column("unit", sa.String(8), nullable=False),
        sa.Column("framework", sa.String(16)),
        sa.Column("framework_version", sa.String(12)),
        sa.Column("backend", sa.String(64)),
        sa.Column("threads", sa.Integer),
        sa.Column("system", sa.String(8), nullable=False),
        sa.Column("device_threads", sa.Integer),
    )
    op.create_table(
        "figure",
        sa.Column(
            "upload_number",
            _NUMBER,
            sa.ForeignKey("upload.number", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("series_number", _NUMBER, sa.ForeignKey("series.number"), primary_key=True),
        sa.Column("value", sa.Float(53), nullable=False),
    )
    op.create_table(
        "merged",
        sa.Column("series_number", _NUMBER, sa.ForeignKey("series.number"), primary_key=True),
        sa.Column("bin", sa.Integer, primary_key=True),
        sa.Column("count", sa.Integer, nullable=False),
    )


def downgrade() -> None:
    """Drop the tables."""
    for name in ("merged", "figure", "series", "upload"):
        op.drop_table(name)
