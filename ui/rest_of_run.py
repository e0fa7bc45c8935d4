"""What a new network adds to a machine that was measured a moment ago, and both put together.

Leaves to others: whether what is known still stands (`ui.sitting`), the plan
(`probes.bench.plan`), running it (`probes.bench.session`).
"""

import dataclasses
from collections.abc import Iterable

from advisor.model.kernel import (
    ClockShape,
    Direction,
    KernelCall,
    KernelShape,
    OptimizerShape,
    OverheadShape,
)
from advisor.model.machine import CPU_DEVICE_ID
from advisor.model.measurement import (
    BenchmarkRequest,
    FailedMeasurement,
    Measurement,
    MeasurementSet,
    Outcome,
)
from probes.bench.plan import REFERENCE, SETTING, SUSTAINED

# Tell of the run, or of settings, not of a kind of layers.
_OF_THE_RUN = (REFERENCE, SETTING, SUSTAINED)
# Fields by which kernels of one class are of different kinds.
_TELLING = ("kind", "optimizer", "cell")
# Had no answer: the time was used up, or the user stopped.
_UNANSWERED = (Outcome.SKIPPED, Outcome.CANCELLED)

_Result = Measurement | FailedMeasurement


def still_to_time(
    requests: Iterable[BenchmarkRequest],
    known: MeasurementSet,
    *,
    replay: Iterable[KernelCall],
    layers: Iterable[KernelShape],
) -> tuple[BenchmarkRequest, ...]:
    """Return what of a plan the known figures lack for a network, in the order of the plan.

    Its own kernels, and those of a kind of its layers of which nothing was timed in that direction.

    Args:
        requests: the whole plan.
        known: what was measured a moment ago.
        replay: the network's own kernels.
        layers: shapes of all its layers.
    """
    answered = {each.request.id for each in known.measured}
    answered |= {each.request.id for each in known.failed if each.outcome not in _UNANSWERED}
    timed = {_kind(each.request) for each in known.measured}
    own = {(call.shape, call.direction) for call in replay}
    of_layers = {type(shape) for shape in layers}
    # The fixed parts of a call and the update of the weights belong to every network.
    every = {OverheadShape, OptimizerShape}
    return tuple(
        each
        for each in requests
        if each.id not in answered
        and (
            (each.shape, each.direction) in own
            or (
                each.device_id == CPU_DEVICE_ID
                and each.role not in _OF_THE_RUN
                and type(each.shape) in of_layers | every
                and _kind(each) not in timed
            )
        )
    )


def with_reference(
    left: tuple[BenchmarkRequest, ...], requests: Iterable[BenchmarkRequest]
) -> tuple[BenchmarkRequest, ...]:
    """Return what is left of a plan with the product that is timed between bouts.

    It is timed once more beside them: a machine that has become slower since is seen by it alone.
    """
    asked = {each.id for each in left}
    again = (each for each in requests if _is_reference(each) and each.id not in asked)
    return (*left, *again) if left else ()


def _is_reference(request: BenchmarkRequest) -> bool:
    """Whether it is the product that is timed between bouts; the clock is looked at once more."""
    return request.role == REFERENCE and not isinstance(request.shape, ClockShape)


def _kind(request: BenchmarkRequest) -> tuple[type, str, Direction, str]:
    shape = request.shape
    detail = next((str(getattr(shape, n)) for n in _TELLING if hasattr(shape, n)), "")
    return type(shape), detail, request.direction, request.device_id


def together(known: MeasurementSet, added: MeasurementSet) -> MeasurementSet:
    """Return the known figures with what was added; an answer takes the place of none.

    The product that is timed between bouts has the values of both runs.
    """
    before = {each.request.id: each for each in known.measured if _is_reference(each.request)}
    results = [_joined(each, before.get(each.request.id)) for each in added.results]
    answered = {each.request.id for each in results}
    kept = tuple(each for each in known.results if each.request.id not in answered)
    return MeasurementSet(
        measured_on=added.measured_on,
        duration_s=known.duration_s + added.duration_s,
        results=(*kept, *results),
        warnings=tuple(dict.fromkeys((*known.warnings, *added.warnings))),
    )


def _joined(added: _Result, before: Measurement | None) -> _Result:
    if before is None:
        return added
    if isinstance(added, FailedMeasurement):
        return before
    return dataclasses.replace(added, values_s=(*before.values_s, *added.values_s))
