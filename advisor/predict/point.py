"""A kernel that was measured: its work and its time.

Leaves to others: which measurements count (`advisor.predict.ceilings`), what they tell of other
kernels (`advisor.predict.efficiency`).
"""

from dataclasses import dataclass

from advisor.model.kernel import Direction, KernelShape
from advisor.model.quantity import Precision


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelPoint:
    """A measured kernel.

    Attributes:
        flop, bytes_moved: its work; time_s: the median of its values.
        spread: median absolute deviation of the values over their median.
    """

    shape: KernelShape
    direction: Direction
    precision: Precision
    flop: int
    bytes_moved: int
    time_s: float
    spread: float
