"""What starting a kernel costs, whatever its work: told from the smallest kernels of its class.

A convolution of a few pixels takes about a tenth of a millisecond where the library looks up its
program and rearranges its operands first; an addition a hundredth of that. Without this part the
smallest layers of a network would seem free.
Leaves to others: the time of the work (`advisor.predict.efficiency`).
"""

import math
import statistics
from collections.abc import Callable, Iterable

from advisor.model.kernel import (
    Cell,
    Direction,
    KernelShape,
    OperatorKind,
    RecurrentShape,
)
from advisor.predict.point import KernelPoint
from advisor.predict.work import GATES, operator_kind

# Where no small kernel was measured: as a share of one call of a tiny network from Python, which
# is as much a matter of single-thread speed. Keras 3 on TensorFlow with oneDNN, two cores of a
# server processor (recording linux-sapphirerapids-2, families that may shape the model).
_SHARE_OF_CALL = {
    (OperatorKind.CONVOLUTION, Direction.FORWARD): 0.28,
    (OperatorKind.CONVOLUTION, Direction.INPUT_GRADIENT): 0.35,
    (OperatorKind.CONVOLUTION, Direction.WEIGHT_GRADIENT): 0.40,
    (OperatorKind.DEPTHWISE, Direction.FORWARD): 0.25,
    (OperatorKind.DEPTHWISE, Direction.INPUT_GRADIENT): 0.30,
    (OperatorKind.DEPTHWISE, Direction.WEIGHT_GRADIENT): 0.35,
    # Of the function that XLA compiles (recording zen4-groups).
    (OperatorKind.GROUPED, Direction.FORWARD): 0.38,
    (OperatorKind.GROUPED, Direction.INPUT_GRADIENT): 0.38,
    (OperatorKind.GROUPED, Direction.WEIGHT_GRADIENT): 0.41,
    # Of each time step.
    (OperatorKind.RECURRENT, Direction.FORWARD): 0.11,
    (OperatorKind.RECURRENT, Direction.BACKWARD): 0.11,
}
# Started by the same library in the same way.
_ALIKE = frozenset({OperatorKind.CONVOLUTION, OperatorKind.DEPTHWISE})
# What a recurrent layer costs besides its steps, in steps.
_STEPS_AROUND = 6
# Time steps that choose by a mask, and those with a product for each gate, over plain ones: layers
# of 32 to 64 units took 1.15 (1.06 to 1.26) and 2.0 (1.7 to 2.1) times as long at batch 8 and 16,
# forward and backward (Zen 4, two cores, Keras 3.15); larger ones, whose work counts, less.
_MASKED_STEPS = 1.15
_SPLIT_STEPS = 2.0
# Time steps of a cell over those of an LSTM, of random layers (decision 0014).
_CELL_STEPS = {Cell.LSTM: 1.0, Cell.GRU: 1.2, Cell.RNN: 0.7}
# Multiply-adds from which Eigen takes two threads for a product: 210,000 cycles by its cost model
# (`kStartupCycles` and `kPerThreadCycles` in TensorCostModel.h) at the 8 values of a vector. Steps
# of LSTMs jump between 1.57 and 1.84 million, of 64 units and of 128 (Zen 3).
_SHARED_OUT = 1_680_000
# A kernel is small, and tells the launch, when its work would take less than this share of what
# a launch usually costs.
_SMALL_WORK = 0.25


def launches_of(shape: KernelShape, *, direction: Direction) -> int:
    """Return how many launches a kernel is: one, of a recurrent layer one for each time step.

    Its gradients by inputs and by weights are one each.
    """
    if not isinstance(shape, RecurrentShape):
        return 1
    steps = float(shape.timesteps + _STEPS_AROUND)
    steps *= _CELL_STEPS[shape.cell]
    steps *= (_MASKED_STEPS if shape.is_masked else 1.0) * (_SPLIT_STEPS if shape.is_split else 1.0)
    return round(steps) * (2 if direction is Direction.BACKWARD else 1)


def forks_of(shape: RecurrentShape, *, direction: Direction) -> int:
    """Return how often Eigen shares a product out among threads in a recurrent layer.

    It has two products in each time step, of its input and of its state, and twice as many
    backward. What single products cost beyond their work is in the factors of their shapes.
    """
    rows = shape.batch * GATES[shape.cell] * shape.hidden
    products = sum(rows * values >= _SHARED_OUT for values in (shape.input, shape.hidden))
    ways = 2 if shape.is_bidirectional else 1
    return ways * products * shape.timesteps * (2 if direction is Direction.BACKWARD else 1)


class Launches:
    """Seconds of starting a kernel, by class and direction.

    Args:
        points: measured kernels of one precision.
        work_s: the least time of a point's work alone.
        call_s: one call of a tiny network from Python; None where kernels are started otherwise.
        dispatch_s: what starting costs in all other classes, and at least.
    """

    def __init__(
        self,
        points: Iterable[KernelPoint],
        *,
        work_s: Callable[[KernelPoint], float],
        call_s: float | None,
        dispatch_s: float,
    ) -> None:
        self._dispatch_s = dispatch_s
        self._usual = {key: share * (call_s or 0.0) for key, share in _SHARE_OF_CALL.items()}
        self._most: dict[tuple[OperatorKind, Direction], float] = {}
        self._told: dict[tuple[OperatorKind, Direction], float] = {}
        for point in points:
            self._look_at(point, work_s(point))
        self._over_usual = self._told_over_usual()

    def _look_at(self, point: KernelPoint, work_s: float) -> None:
        key = (operator_kind(point.shape), point.direction)
        if key not in self._usual:
            return
        count = launches_of(point.shape, direction=point.direction)
        self._most[key] = min(self._most.get(key, point.time_s / count), point.time_s / count)
        if work_s / count < _SMALL_WORK * self._usual[key]:
            told = (point.time_s - work_s) / count
            self._told[key] = min(self._told.get(key, told), told)

    def seconds(self, kind: OperatorKind, direction: Direction) -> float:
        """Return the cost of one launch; no more than what the fastest measured kernel took.

        Where no small kernel of the class tells it, it is as far below the usual as that of the
        other convolutions: those that start them fast start these fast.
        """
        key = (kind, direction)
        usual = self._told.get(key)
        if usual is None:
            usual = self._usual.get(key, 0.0)
            usual *= self._over_usual if kind in _ALIKE else 1.0
        return max(self._dispatch_s, min(usual, self._most.get(key, usual)))

    def _told_over_usual(self) -> float:
        """Return what launches of convolutions that were told are of the usual ones, at most 1."""
        ratios = [
            math.log(max(seconds, self._dispatch_s) / self._usual[key])
            for key, seconds in self._told.items()
            if key[0] in _ALIKE
        ]
        return min(1.0, math.exp(statistics.fmean(ratios))) if ratios else 1.0
