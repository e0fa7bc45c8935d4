"""What random shapes took becomes the bundled factors of shapes (`advisor.predict.shape_factor`).

A Gaussian process for each class and direction. Its lengths, variance and noise are those under
which the times are likeliest, drawn towards usual ones, found by a search along one of them after
the other; its errors are those of each shape told by all others.
Leaves to others: the shapes and their times (`shapes`).
"""

import dataclasses
import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from advisor.model.instructions import Library, library_under
from advisor.model.kernel import Direction, ElementwiseShape, KernelShape, OperatorKind
from advisor.model.machine import CPU_DEVICE_ID
from advisor.model.measurement import BenchmarkRequest, Measurement, MeasurementSet
from advisor.model.quantity import Precision
from advisor.predict.ceilings import DeviceCeilings, fit_ceilings
from advisor.predict.kernel_features import numbers
from advisor.predict.shape_factor import Curve, Curves, covariance, log_factor
from advisor.predict.similarity import Array
from advisor.predict.work import operator_kind
from tests.accuracy.live_file import Recording
from tests.accuracy.live_units import FIRST
from tests.accuracy.shapes import UNITS
from tests.helpers.bundled import bundled_knowledge

# Where the search begins, and how far in logarithms each may wander for its likelihood.
_LENGTH, _LENGTH_SD = 3.0, 1.2
_VARIANCE_ROOT, _VARIANCE_SD = 0.4, 0.5
_NOISE, _NOISE_SD = 0.08, 0.5
_ROUNDS = 12
_STEP = 0.7
_JUST_NOT_ZERO = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """A shape that was timed, and the logarithm of its time over its roofline on that machine."""

    shape: KernelShape
    direction: Direction
    log_factor: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """A curve, and for each of its shapes what it is off when told by the others."""

    curve: Curve
    noise: float
    left_out: Array


def timed_shapes(recordings: Iterable[Recording]) -> list[Timed]:
    """Return all shapes, by the rooflines and launches of each recording's first calibration."""
    return [timed for recording in recordings for timed in _timed_shapes(recording)]


def _timed_shapes(recording: Recording) -> list[Timed]:
    device = _table(recording)
    model = device.efficiency_model()
    return [
        Timed(
            shape=m.request.shape,
            direction=m.request.direction,
            log_factor=model.over_roofline(
                m.request.shape,
                direction=m.request.direction,
                precision=Precision.FLOAT32,
                time_s=m.median_s,
            )
            # Over the roofline itself: without the factor that the model has by now.
            + log_factor(m.request.shape, m.request.direction, device.library),
        )
        for name in recording.units
        if name.startswith(UNITS)
        for m in _measured(recording, name)
        if _is_kernel_of_a_step(m.request)
    ]


def _is_kernel_of_a_step(request: BenchmarkRequest) -> bool:
    """Whether a step asks for it: updates have a model of their own, sums no gradient."""
    if request.direction is Direction.UPDATE:
        return False
    is_of_two = isinstance(request.shape, ElementwiseShape) and request.shape.n_inputs > 1
    return not (is_of_two and request.direction is Direction.BACKWARD)


def _measured(recording: Recording, name: str) -> tuple[Measurement, ...]:
    found = recording.measurements(name)
    return () if found is None else found.measured


def _table(recording: Recording) -> DeviceCeilings:
    """Return the processor by the recorded table, whose settings choose the library."""
    measured = _measured(recording, FIRST)
    settings = {setting for m in measured for setting in m.request.settings}
    table = tuple(
        dataclasses.replace(m, request=dataclasses.replace(m.request, settings=()))
        for m in measured
    )
    every = MeasurementSet(measured_on="", duration_s=0.0, results=table)
    device = fit_ceilings(recording.profile, every, bundled_knowledge()).find(CPU_DEVICE_ID)
    assert device is not None
    return dataclasses.replace(device, library=library_under(recording.profile, settings))


def fit_curves(timed: Iterable[Timed]) -> dict[tuple[OperatorKind, Direction], Fitted]:
    """Return a curve for each class and direction that was timed."""
    groups: dict[tuple[OperatorKind, Direction], list[Timed]] = {}
    for one in timed:
        groups.setdefault((operator_kind(one.shape), one.direction), []).append(one)
    return {key: _fit(group) for key, group in groups.items()}


def curves(fitted: dict[tuple[OperatorKind, Direction], Fitted]) -> Curves:
    """Return the curves alone."""
    return {key: found.curve for key, found in fitted.items()}


def _fit(group: list[Timed]) -> Fitted:
    points = np.array([numbers(one.shape, direction=one.direction) for one in group])
    # What matters is the difference from the usual of the class: the table tells that.
    logs = np.array([one.log_factor for one in group])
    logs = logs - np.median(logs)
    search = _Search(points, logs)
    lengths, variance, noise = search.run()
    known = covariance(points, points, lengths=lengths, variance=variance)
    inverse = np.linalg.inv(known + noise**2 * np.eye(len(logs)))
    weights = inverse @ logs
    curve = Curve(
        lengths=lengths,
        variance=variance,
        points=points,
        weights=weights,
        least=float(logs.min()),
        most=float(logs.max()),
    )
    return Fitted(curve=curve, noise=noise, left_out=weights / np.diag(inverse))


class _Search:
    """The lengths, the variance and the noise under which some logarithms are likeliest."""

    def __init__(self, points: Array, logs: Array) -> None:
        self._points, self._logs = points, logs
        d = points.shape[1]
        usual = [*[_LENGTH] * d, _VARIANCE_ROOT, _NOISE]
        self._usual = np.log(np.array(usual))
        self._sd = np.array([*[_LENGTH_SD] * d, _VARIANCE_SD, _NOISE_SD])

    def run(self) -> tuple[Array, float, float]:
        at = self._usual.copy()
        at[-2] = math.log(max(0.05, float(self._logs.std())))
        best, steps = self._likelihood(at), np.full(len(at), _STEP)
        for _ in range(_ROUNDS):
            for i in range(len(at)):
                for sign in (1.0, -1.0):
                    tried = at.copy()
                    tried[i] += sign * steps[i]
                    found = self._likelihood(tried)
                    if found > best:
                        best, at = found, tried
                        break
                else:
                    steps[i] *= 0.5
        return np.exp(at[:-2]), math.exp(2.0 * at[-2]), math.exp(at[-1])

    def _likelihood(self, at: Array) -> float:
        """Return the logarithm of the likelihood, with what is usual counting as well."""
        lengths, variance, noise = np.exp(at[:-2]), math.exp(2.0 * at[-2]), math.exp(at[-1])
        known = covariance(self._points, self._points, lengths=lengths, variance=variance)
        known[np.diag_indices(len(known))] += noise**2 + _JUST_NOT_ZERO
        try:
            lower = np.linalg.cholesky(known)
        except np.linalg.LinAlgError:
            return -math.inf
        whitened = np.linalg.solve(lower, self._logs)
        usual = 0.5 * np.square((at - self._usual) / self._sd).sum()
        return float(-0.5 * whitened @ whitened - np.log(np.diag(lower)).sum() - usual)


def summary(fitted: dict[tuple[OperatorKind, Direction], Fitted], library: Library) -> str:
    """Return a line for each class: shapes, errors of what the others tell (median, 90 %)."""
    lines = [f"{library.value}: class, direction, shapes, error of each told by the others"]
    for (kind, direction), found in sorted(fitted.items()):
        errors = sorted(abs(math.expm1(float(value))) for value in found.left_out)
        tail = errors[int(0.9 * (len(errors) - 1))]
        middle = statistics.median(errors)
        lines.append(f"{kind.value} {direction.value}: {len(errors)}, {middle:.3f} / {tail:.3f}")
    return "\n".join(lines)
