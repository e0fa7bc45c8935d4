"""Each device of this machine among published kernels: products, convolution, LSTM, memory, peak.

What was not measured is placed by its data sheet among other data sheets, and labelled so.
Leaves to others: which published kernels can be read (`advisor.compare.published_kernels`), which
shapes are alike (`advisor.compare.shapes`), data sheets (`advisor.compare.sheets`), whole networks
(`advisor.compare.networks`).
"""

import dataclasses
from collections.abc import Iterable, Mapping

from advisor.compare.ordering import best_of_each, compared, placed
from advisor.compare.own_device import OwnDevice, own_device
from advisor.compare.published_kernels import PublishedKernel, published_kernels
from advisor.compare.same import with_same_machine
from advisor.compare.shapes import distance, is_large
from advisor.compare.sheets import sheet_groups
from advisor.knowledge.store import Knowledge
from advisor.model.comparison import (
    ComparedResult,
    Comparison,
    ComparisonGroup,
    NoResult,
    OwnBasis,
    SlowerDriver,
    Subject,
)
from advisor.model.kernel import ConvShape, GemmShape, PeakShape, RecurrentShape, StreamShape
from advisor.model.machine import MachineProfile
from advisor.model.measurement import Measurement, MeasurementSet
from advisor.model.quantity import Interval, Precision
from advisor.predict.work import rate

_HEADLINE = "headline"
_STREAMS = ("triad", "read")


def compare_kernels(
    profile: MachineProfile, measurements: MeasurementSet | None, knowledge: Knowledge
) -> Comparison:
    """Return the devices of this machine among published kernels.

    Args:
        profile: the machine.
        measurements: what was timed on it; None: data sheets alone.
        knowledge: published results and specifications.
    """
    known = published_kernels(knowledge)
    groups: dict[tuple[object, ...], list[ComparisonGroup]] = {}
    timed = set()
    for (_device_id, *kind), measurement in _headlines(measurements).items():
        device = own_device(profile, measurement.request.device_id)
        if device is not None:
            timed.add(device.device_id)
            place = (device.hardware or device.device_id, *kind)
            groups.setdefault(place, []).append(_measured_group(measurement, device, known))
    found = [_of_fastest_driver(same) for same in groups.values()]
    found += sheet_groups(profile, knowledge, timed=timed)
    return Comparison(
        machine=profile.cpu.brand,
        collected_on=profile.collected_on,
        measured_on=None if measurements is None else measurements.measured_on,
        groups=with_same_machine(found, knowledge),
    )


def _of_fastest_driver(groups: list[ComparisonGroup]) -> ComparisonGroup:
    """Return the group of the driver that reaches most of a piece of hardware, naming the others.

    Each of them would stand among the same published devices.
    """
    first, *others = sorted(groups, key=_own_mid, reverse=True)
    slower = tuple(
        SlowerDriver(device_id=group.device_id, device=group.device, own=group.own)
        for group in others
        if group.own is not None
    )
    return dataclasses.replace(first, slower_drivers=slower)


def _own_mid(group: ComparisonGroup) -> float:
    return 0.0 if group.own is None else group.own.mid


def _headlines(
    measurements: MeasurementSet | None,
) -> Mapping[tuple[object, ...], Measurement]:
    """Return the headline figures to compare, the best product of each device for all of them."""
    chosen: dict[tuple[object, ...], Measurement] = {}
    for measurement in measurements.measured if measurements else ():
        key = _class_of(measurement)
        if key is None or measurement.median_s <= 0.0:
            continue
        known = chosen.get(key)
        if known is None or rate(measurement)[0] > rate(known)[0]:
            chosen[key] = measurement
    return chosen


def _class_of(measurement: Measurement) -> tuple[object, ...] | None:
    """Return what a figure is the only one of; None where nothing like it is published."""
    request = measurement.request
    shape, device = request.shape, request.device_id
    if isinstance(shape, StreamShape):
        return (device, shape.op) if shape.op in _STREAMS else None
    if request.role != _HEADLINE or request.precision is not Precision.FLOAT32:
        return None
    if isinstance(shape, GemmShape):
        return (device, "gemm") if is_large(shape) else None
    if isinstance(shape, PeakShape):
        return (device, "peak")
    if isinstance(shape, ConvShape | RecurrentShape):
        return (device, shape, request.direction)
    return None


def _own(measurement: Measurement) -> tuple[Interval, str]:
    """Return the rate of a measurement with the range of its values."""
    value, unit = rate(measurement)
    work = value * measurement.figure_s
    low, high = work / max(measurement.values_s), work / measurement.min_s
    return Interval(low=min(low, value), mid=value, high=max(high, value)), unit


def _software(measurement: Measurement) -> str:
    stack = measurement.stack
    words = [
        f"{name} {version or ''}".strip()
        for name, version in (
            (stack.framework, stack.framework_version),
            (stack.backend, stack.backend_version),
        )
        if name
    ]
    return ", ".join(words)


def _measured_group(
    measurement: Measurement, device: OwnDevice, known: Iterable[PublishedKernel]
) -> ComparisonGroup:
    request = measurement.request
    own, unit = _own(measurement)
    same_class = [
        entry
        for entry in known
        if type(entry.shape) is type(request.shape)
        and entry.direction is request.direction
        and (not isinstance(request.shape, StreamShape) or entry.stream_op == request.shape.op)
    ]
    alike = [
        (far, entry)
        for entry in same_class
        if (far := distance(request.shape, entry.shape)) is not None and entry.unit == unit
    ]
    group = ComparisonGroup(
        subject=Subject.KERNEL,
        device_id=device.device_id,
        device=device.name,
        kind=device.kind,
        unit=unit,
        own=own,
        own_basis=OwnBasis.MEASURED,
        own_software=_software(measurement),
        results=_nearest_of_each(alike, unit=unit, own=own),
        precision=request.precision,
        shape=request.shape,
        direction=request.direction,
    )
    if not group.results:
        group = _without_results(group, same_class)
    return placed(group)


def _nearest_of_each(
    alike: Iterable[tuple[float, PublishedKernel]], *, unit: str, own: Interval
) -> tuple[ComparedResult, ...]:
    """Return for each device and framework the kernel that is most alike, best figure first."""
    by_software: dict[tuple[object, ...], list[tuple[float, PublishedKernel]]] = {}
    for far, entry in alike:
        key = (entry.row.device, entry.row.device_kind, entry.row.framework)
        by_software.setdefault(key, []).append((far, entry))
    results = []
    for entries in by_software.values():
        nearest = min(far for far, _entry in entries)
        results += [
            dataclasses.replace(
                compared(entry.row, value=entry.value, unit=unit, own=own), workload=_work(entry)
            )
            for far, entry in entries
            if far <= nearest + 1e-9
        ]
    return best_of_each(results, key=lambda r: (r.device, r.kind, r.source.title))


def _work(entry: PublishedKernel) -> str:
    """Return a kernel as published; of products the sizes, which each study writes in its way."""
    shape = entry.shape
    if not isinstance(shape, GemmShape) or shape.batch != 1:
        return entry.row.workload
    return f"gemm m{shape.m} n{shape.n} k{shape.k}"


def _without_results(group: ComparisonGroup, others: list[PublishedKernel]) -> ComparisonGroup:
    if not others:
        return dataclasses.replace(group, no_result=NoResult.NOTHING_PUBLISHED)
    names = sorted({entry.row.workload for entry in others})
    return dataclasses.replace(group, no_result=NoResult.OTHER_SHAPES, found=tuple(names))
