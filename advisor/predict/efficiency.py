"""Time of a kernel that was not measured, from those of its class that were.

What is interpolated is the factor between a measured time and what is usual by its roofline and its
shape, smoothly over the logarithms of the dimensions, and never beyond the factors that were seen.
An exact match of the shape is the measurement itself.
Leaves to others: which measurements count (`advisor.predict.ceilings`).
"""

import dataclasses
import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from advisor.model.instructions import Library
from advisor.model.kernel import (
    Direction,
    ElementwiseShape,
    KernelShape,
    NormShape,
    OperatorKind,
    PoolShape,
    RecurrentShape,
)
from advisor.model.quantity import Precision
from advisor.predict.functions import cost_over_relu
from advisor.predict.grouped import grouped_flop, is_grouped
from advisor.predict.kernel_features import features
from advisor.predict.launch import Launches, forks_of, launches_of
from advisor.predict.point import KernelPoint
from advisor.predict.shape_factor import log_factor
from advisor.predict.untimed import usual_factor
from advisor.predict.work import (
    COMPUTE_KINDS,
    bytes_moved,
    flop,
    gate_bytes,
    operator_kind,
    weight_bytes,
    without_dropout,
)

# Distance, in natural logarithms of a dimension, over which an efficiency is still telling.
_LENGTH = 1.2
# Kernels differ by their size as a whole as well: the product of all dimensions.
_VOLUME_WEIGHT = 0.3
# Squared distance between kernels of different category (another cell, another activation).
_CATEGORY_DISTANCE = 1.5
# Of element-wise operators, normalisation and pooling: one may take ten times as long as another.
_OPERATION_DISTANCE = 6.0
# How often the gates of a recurrent layer are read or written in a step.
_GATE_PASSES = 18
# How often its weights, forward and backward: 100 random layers on a Zen 4, with oneDNN and with
# Eigen, and 75 on a Zen 3 (decision 0014).
_WEIGHT_PASSES = (1, 5)
# What a step of training takes longer with dropout in it is not told: 0 to 0.2 of its time.
_DROPOUT_SD = 0.1
# Weight of the class median, which decides where no point is near.
_PRIOR_WEIGHT = 0.03
# A kernel cannot beat the best rate seen on the device by more than this.
BEST_RATE_MARGIN = 0.8

_FALLBACK = {
    Direction.FORWARD: (Direction.INPUT_GRADIENT, Direction.WEIGHT_GRADIENT),
    Direction.INPUT_GRADIENT: (Direction.WEIGHT_GRADIENT, Direction.FORWARD),
    Direction.WEIGHT_GRADIENT: (Direction.INPUT_GRADIENT, Direction.FORWARD),
    Direction.BACKWARD: (Direction.FORWARD,),
    Direction.BOTH: (),
    Direction.UPDATE: (),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Roofline:
    """Limits of a device at one precision: rate, bandwidth, and what one kernel call costs.

    `both_ways` is the work of a bidirectional layer over that of one direction: 2, or less where
    the directions run beside each other. `fork_s` is what sharing a product out among threads
    takes, once for each product of a time step that is.
    """

    flop_per_s: float
    byte_per_s: float
    dispatch_s: float
    both_ways: float = 2.0
    fork_s: float = 0.0

    def work_s(self, shape: KernelShape, *, direction: Direction, precision: Precision) -> float:
        """Return the least time of the work of one execution, without starting it.

        The gates of a recurrent layer are read and written by one small operator after another,
        between the products; its weights are read at each step, and backward the gradient of each
        step is added to that of the steps before.
        """
        operations = flop(shape, direction=direction)
        computing = operations / self.flop_per_s
        if isinstance(shape, RecurrentShape):
            ways = self.both_ways / 2.0 if shape.is_bidirectional else 1.0
            between = self._between_products_s(shape, direction, precision)
            forking = self.fork_s * forks_of(shape, direction=direction)
            return ways * (computing + between + forking)
        moved = bytes_moved(shape, direction=direction, precision=precision)
        return max(computing, moved / self.byte_per_s)

    def _between_products_s(
        self, shape: RecurrentShape, direction: Direction, precision: Precision
    ) -> float:
        """Return the time of moving gates and weights, those of all steps together."""
        is_backward = direction is Direction.BACKWARD
        moved = gate_bytes(shape, precision=precision) * _GATE_PASSES * (1 + is_backward)
        moved += weight_bytes(shape, precision=precision) * _WEIGHT_PASSES[is_backward]
        return moved / self.byte_per_s


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelTime:
    """A predicted kernel.

    Attributes:
        log_sd: standard deviation of the logarithm of its own error.
        is_exact: the shape itself was measured; is_default: its class was not.
        is_own: it is the time of this very shape, perhaps in another precision.
        remoteness: 0 where a kernel like it was timed, towards 1 where none is near.
    """

    time_s: float
    log_sd: float
    is_exact: bool
    is_default: bool
    remoteness: float = 0.0
    is_own: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sample:
    category: tuple[object, ...]
    sizes: tuple[int, ...]
    logs: tuple[float, ...]
    log_factor: float
    time_s: float
    spread: float


_Key = tuple[OperatorKind, Direction, Precision]


class EfficiencyModel:
    """Times of kernels on one device, from its measured points and its rooflines.

    Args:
        points: measured kernels, in any order.
        rooflines: one for each precision that the device computes in; float32 always.
        call_s: one call of a tiny network from Python; None where no framework starts kernels.
        library: what computes a framework's kernels; None: not known, or none.
        compiles_groups: whether XLA computes convolutions in groups, as on every processor.
    """

    def __init__(
        self,
        points: Iterable[KernelPoint],
        *,
        rooflines: dict[Precision, Roofline],
        call_s: float | None = None,
        library: Library | None = None,
        compiles_groups: bool = False,
    ) -> None:
        self._rooflines = rooflines
        self._library = library
        self._is_framework = call_s is not None
        self._compiles_groups = compiles_groups
        self._exact: dict[tuple[KernelShape, Direction, Precision], KernelPoint] = {}
        self._samples: dict[_Key, list[_Sample]] = {}
        for point in sorted(points, key=lambda p: (p.time_s, p.spread, repr(p.shape))):
            self._exact.setdefault((point.shape, point.direction, point.precision), point)
        self._launches = {
            precision: self._launches_at(precision, call_s)
            for precision in {*rooflines, *(point.precision for point in self._exact.values())}
        }
        for point in self._exact.values():
            self._add(point)
        self._known: dict[tuple[KernelShape, Direction, Precision], KernelTime] = {}

    def _launches_at(self, precision: Precision, call_s: float | None) -> Launches:
        return Launches(
            (point for point in self._exact.values() if point.precision is precision),
            work_s=lambda p: self._work_s(p.shape, p.direction, p.precision),
            call_s=call_s,
            dispatch_s=self._roofline(precision).dispatch_s,
        )

    def _work_s(self, shape: KernelShape, direction: Direction, precision: Precision) -> float:
        """Return the least time of the work of one execution, without starting it."""
        roofline = self._roofline(precision)
        if self._compiles_groups and is_grouped(shape):
            return grouped_flop(shape, direction=direction) / roofline.flop_per_s
        return roofline.work_s(shape, direction=direction, precision=precision)

    def _bound_s(self, shape: KernelShape, direction: Direction, precision: Precision) -> float:
        """Return launch and work at the device's limits, times what the shape usually costs."""
        launches = self._launches.get(precision) or self._launches[Precision.FLOAT32]
        launch_s = launches.seconds(operator_kind(shape), direction)
        least = self._work_s(shape, direction, precision)
        if isinstance(shape, RecurrentShape) and shape.is_bidirectional:
            launch_s *= self._roofline(precision).both_ways
        least += launches_of(shape, direction=direction) * launch_s
        if self._is_framework:
            least *= cost_over_relu(shape, direction=direction)
        return least * math.exp(log_factor(shape, direction, self._library))

    def over_roofline(
        self, shape: KernelShape, *, direction: Direction, precision: Precision, time_s: float
    ) -> float:
        """Return the logarithm of a time over launch, work and what the shape usually costs."""
        return math.log(time_s / self._bound_s(shape, direction, precision))

    def _add(self, point: KernelPoint) -> None:
        category, sizes = features(point.shape)
        sample = _Sample(
            category=category,
            sizes=sizes,
            logs=tuple(math.log(max(1, size)) for size in sizes),
            log_factor=self.over_roofline(
                point.shape,
                direction=point.direction,
                precision=point.precision,
                time_s=point.time_s,
            ),
            time_s=point.time_s,
            spread=point.spread,
        )
        key = (operator_kind(point.shape), point.direction, point.precision)
        self._samples.setdefault(key, []).append(sample)

    def _roofline(self, precision: Precision) -> Roofline:
        return self._rooflines.get(precision, self._rooflines[Precision.FLOAT32])

    def time(self, shape: KernelShape, *, direction: Direction, precision: Precision) -> KernelTime:
        """Return the time of one execution, and how sure it is."""
        key = (shape, direction, precision)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._find(shape, direction, precision)
        return found

    def _find(self, shape: KernelShape, direction: Direction, precision: Precision) -> KernelTime:
        exact = self._exact.get((shape, direction, precision))
        if exact is not None:
            return KernelTime(
                time_s=exact.time_s,
                log_sd=exact.spread,
                is_exact=True,
                is_default=False,
                is_own=True,
            )
        if isinstance(shape, RecurrentShape) and shape != (plain := without_dropout(shape)):
            # All but the dropout was timed, or is told.
            found = self.time(plain, direction=direction, precision=precision)
            return dataclasses.replace(found, log_sd=math.hypot(found.log_sd, _DROPOUT_SD))
        kind = operator_kind(shape)
        if self._is_as_in_float32(kind, direction, precision):
            found = self.time(shape, direction=direction, precision=Precision.FLOAT32)
            return dataclasses.replace(found, log_sd=found.log_sd + 0.2, is_exact=False)
        roofline = self._roofline(precision)
        bound = self._bound_s(shape, direction, precision)
        samples, is_own = self._samples_for(kind, direction, precision)
        if not samples:
            factor, log_sd = usual_factor(shape, compiles_groups=self._compiles_groups)
            return KernelTime(
                time_s=bound * factor,
                log_sd=log_sd,
                is_exact=False,
                is_default=True,
                remoteness=1.0,
            )
        log_factor, log_sd, remoteness, limits = _interpolate(shape, samples)
        seconds = bound * math.exp(log_factor)
        if is_own:
            low, high = limits
            seconds = max(min(seconds, high), low)
        else:
            log_sd += 0.2
        least = BEST_RATE_MARGIN * flop(shape, direction=direction) / roofline.flop_per_s
        if kind in COMPUTE_KINDS:
            seconds = max(seconds, least)
        return KernelTime(
            time_s=seconds,
            log_sd=log_sd,
            is_exact=False,
            is_default=False,
            remoteness=remoteness,
        )

    def _is_as_in_float32(
        self, kind: OperatorKind, direction: Direction, precision: Precision
    ) -> bool:
        """Whether a short format is taken to gain nothing.

        So it is where the device has no units for it, and for a framework's class that was not
        timed in it: its kernels for element-wise work and pooling convert to float32 and back.
        """
        if precision is Precision.FLOAT32:
            return False
        is_timed = (kind, direction, precision) in self._samples
        has_units = precision in self._rooflines
        return not is_timed and (self._is_framework or not has_units)

    def _samples_for(
        self, kind: OperatorKind, direction: Direction, precision: Precision
    ) -> tuple[list[_Sample], bool]:
        """Return the samples of the class and whether they are its own, not a relative's."""
        own = self._samples.get((kind, direction, precision))
        if own:
            return own, True
        precisions = (precision, Precision.FLOAT32)
        for other_precision in precisions:
            for other in (direction, *_FALLBACK[direction]):
                near = self._samples.get((kind, other, other_precision))
                if near:
                    return near, False
        return [], False


def _interpolate(
    shape: KernelShape, samples: list[_Sample]
) -> tuple[float, float, float, tuple[float, float]]:
    """Return the log of the factor, its sd, how remote it is, and the times left open by others.

    A measured kernel that is smaller in every dimension is a lower bound, a larger one an upper.
    """
    category, sizes = features(shape)
    logs = tuple(math.log(max(1, size)) for size in sizes)
    median = statistics.median(sample.log_factor for sample in samples)
    total, mean, square, spread = _PRIOR_WEIGHT, _PRIOR_WEIGHT * median, 0.0, 0.0
    low, high = 0.0, math.inf
    weighted = []
    is_operation = isinstance(shape, ElementwiseShape | NormShape | PoolShape)
    elsewhere = _OPERATION_DISTANCE if is_operation else _CATEGORY_DISTANCE
    for sample in samples:
        squared = sum((a - b) ** 2 for a, b in zip(logs, sample.logs, strict=True))
        squared += _VOLUME_WEIGHT * (sum(logs) - sum(sample.logs)) ** 2
        squared /= _LENGTH**2
        if sample.category != category:
            squared += elsewhere
        else:
            if all(a <= b for a, b in zip(sample.sizes, sizes, strict=True)):
                low = max(low, sample.time_s)
            if all(a >= b for a, b in zip(sample.sizes, sizes, strict=True)):
                high = min(high, sample.time_s)
        weight = math.exp(-0.5 * squared)
        weighted.append((weight, sample))
        total += weight
        mean += weight * sample.log_factor
        spread += weight * sample.spread
    mean /= total
    for weight, sample in weighted:
        square += weight * (sample.log_factor - mean) ** 2
    square += _PRIOR_WEIGHT * (median - mean) ** 2
    remoteness = _PRIOR_WEIGHT / total
    sd = math.sqrt(square / total + (spread / total) ** 2) + 0.25 * remoteness
    return mean, sd, remoteness, (low, max(low, high))
