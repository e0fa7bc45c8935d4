"""How random shapes are drawn: sizes as layers have them, and how many of each kind.

Leaves to others: the kinds (`shapes_drawn`, `shapes_drawn_dense`).
"""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

from advisor.model.kernel import ConvShape, Direction, KernelShape
from advisor.model.quantity import Precision
from advisor.predict.work import bytes_moved, flop


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """How many shapes of a kind are drawn, in which directions, and how large they may be."""

    count: int
    draw: Callable[["Dice"], KernelShape | None]
    directions: tuple[Direction, ...]
    most_flop: float = 2.5e9
    most_bytes: float = 200e6

    def holds(self, shape: KernelShape) -> bool:
        """Whether a shape is small enough to be timed."""
        return all(
            flop(shape, direction=direction) <= self.most_flop
            and bytes_moved(shape, direction=direction, precision=Precision.FLOAT32)
            <= self.most_bytes
            for direction in self.directions
        )


class Dice(random.Random):
    """Draws sizes as layers have them."""

    def size(self, least: float, most: float) -> int:
        """Return a number, evenly over the logarithms."""
        return round(math.exp(self.uniform(math.log(least), math.log(most))))

    def channels(self, least: int, most: int) -> int:
        """Return a number of channels or units: large ones are multiples of 8, 16 or 32."""
        size = self.size(least, most)
        if size <= 16:
            return size
        step = 8 if size < 128 else 16 if size < 512 else 32
        return max(8, round(size / step) * step)


def same_conv(
    n: int, c: int, spatial: tuple[int, ...], k: int, kernel: tuple[int, ...], stride: int = 1
) -> ConvShape:
    """Return a convolution of any number of dimensions, padded so that its stride divides it."""
    return ConvShape(
        n=n,
        c=c,
        spatial=spatial,
        k=k,
        kernel=kernel,
        strides=tuple(stride for _ in spatial),
        output=tuple(-(-size // stride) for size in spatial),
        dilation=tuple(1 for _ in spatial),
    )
