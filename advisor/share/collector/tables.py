"""The tables of the collector.

An upload is kept whole for some days, and its figures beside it, one row each, under the series
that they belong to. When it grows old its figures become counts of a histogram, which no longer
say whose they were. No address and no time of day is in any table.
Leaves to others: making and changing the tables (`migrations`), using them (`store`, `reading`).
"""

from sqlalchemy import BigInteger, Float, ForeignKey, Integer, String, Text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

# SQLite numbers rows by itself only where the type is its own INTEGER.
_NUMBER = BigInteger().with_variant(Integer, "sqlite")


class Base(DeclarativeBase):
    """All tables of the collector."""


class UploadRow(Base):
    """An upload.

    Attributes:
        id: hash of its delete token; the token itself was never sent.
        received_on: ISO day, so that it can grow old.
        state: "accepted", "quarantined" or "deleted"; reason: why it is quarantined.
        body: what was sent, as canonical JSON; "" when deleted.
    """

    __tablename__ = "upload"

    number: Mapped[int] = mapped_column(_NUMBER, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(String(64), unique=True)
    received_on: Mapped[str] = mapped_column(String(10), index=True)
    state: Mapped[str] = mapped_column(String(12))
    reason: Mapped[str | None] = mapped_column(Text)
    body: Mapped[str] = mapped_column(Text)


class SeriesRow(Base):
    """What figures of one kind have in common; `key` is the hash of all other columns."""

    __tablename__ = "series"

    number: Mapped[int] = mapped_column(_NUMBER, primary_key=True, autoincrement=True)
    key: Mapped[str] = mapped_column(String(32), unique=True)
    device: Mapped[str] = mapped_column(String(64))
    device_kind: Mapped[str] = mapped_column(String(8))
    kernel: Mapped[str] = mapped_column(String(96))
    direction: Mapped[str] = mapped_column(String(16))
    precision: Mapped[str] = mapped_column(String(10))
    unit: Mapped[str] = mapped_column(String(8))
    framework: Mapped[str | None] = mapped_column(String(16))
    framework_version: Mapped[str | None] = mapped_column(String(12))
    backend: Mapped[str | None] = mapped_column(String(64))
    threads: Mapped[int | None] = mapped_column(Integer)
    system: Mapped[str] = mapped_column(String(8))
    device_threads: Mapped[int | None] = mapped_column(Integer)


class FigureRow(Base):
    """One figure of an upload; an upload has at most one in a series."""

    __tablename__ = "figure"

    upload_number: Mapped[int] = mapped_column(
        _NUMBER, ForeignKey("upload.number", ondelete="CASCADE"), primary_key=True
    )
    series_number: Mapped[int] = mapped_column(
        _NUMBER, ForeignKey("series.number"), primary_key=True
    )
    value: Mapped[float] = mapped_column(Float(53))


class MergedRow(Base):
    """How many old figures of a series fell into a step of one per cent (`bin`)."""

    __tablename__ = "merged"

    series_number: Mapped[int] = mapped_column(
        _NUMBER, ForeignKey("series.number"), primary_key=True
    )
    bin: Mapped[int] = mapped_column(Integer, primary_key=True)
    count: Mapped[int] = mapped_column(Integer)
