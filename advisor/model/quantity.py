"""Quantities shared by every typed value: intervals, their basis and their sources.

Leaves to others: how an interval is calibrated (`advisor.predict`) and how it is
written for a person (`advisor.format`).
"""

import math
from dataclasses import dataclass
from enum import StrEnum


class Phase(StrEnum):
    """What the network is run for."""

    TRAINING = "training"
    INFERENCE = "inference"


class Precision(StrEnum):
    """Number format that the kernels of a workload compute in."""

    FLOAT32 = "float32"
    BFLOAT16 = "bfloat16"
    FLOAT16 = "float16"
    INT8 = "int8"

    @property
    def size_bytes(self) -> int:
        """Bytes that one element takes in memory."""
        return {"float32": 4, "bfloat16": 2, "float16": 2, "int8": 1}[self.value]


class Basis(StrEnum):
    """What a predicted number rests on, best first."""

    MEASURED = "measured"
    SCALED_FROM_MEASUREMENT = "scaled_from_measurement"
    SCALED_FROM_PUBLISHED = "scaled_from_published"
    MODEL_ONLY = "model_only"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A value with its 80 % interval; the unit stands in the name of the field that holds it.

    Raises:
        ValueError: unless `0 <= low <= mid <= high` and all three are finite.
    """

    low: float
    mid: float
    high: float

    def __post_init__(self) -> None:
        """Refuse an interval that cannot be true."""
        ordered = 0.0 <= self.low <= self.mid <= self.high
        if not ordered or not math.isfinite(self.high):
            raise ValueError(
                f"not an interval: low={self.low!r} mid={self.mid!r} high={self.high!r}"
            )

    def scaled(self, factor: float) -> "Interval":
        """Return the interval multiplied by a factor >= 0."""
        return Interval(low=self.low * factor, mid=self.mid * factor, high=self.high * factor)

    def shifted(self, addend: float) -> "Interval":
        """Return the interval with a known amount >= 0 added."""
        return Interval(low=self.low + addend, mid=self.mid + addend, high=self.high + addend)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a figure comes from.

    Attributes:
        title: study, file or measurement, in words.
        reference: URL, or repository@commit:path, or a bundled file and row.
        date: ISO date or year of the figure; None when the source does not state it.
    """

    title: str
    reference: str
    date: str | None = None
