"""Each device of this machine among published kernels: products, convolution, LSTM, memory, peak.

What was not measured is placed by its data sheet among other data sheets, and labelled so: a
peak is never put beside a rate that somebody measured.
Leaves to others: which shapes are alike (`advisor.compare.shapes`), whole networks
(`advisor.compare.networks`).
"""

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass

from advisor.compare.ordering import best_of_each, compared, placed, ratio_to
from advisor.compare.same import with_same_machine
from advisor.compare.shapes import distance, is_large, published_direction, published_shape
from advisor.knowledge.lookup import find_device
from advisor.knowledge.store import Knowledge
from advisor.model.comparison import (
    ComparedResult,
    Comparison,
    ComparisonGroup,
    NoResult,
    OwnBasis,
    Subject,
)
from advisor.model.kernel import (
    ConvShape,
    Direction,
    GemmShape,
    KernelShape,
    PeakShape,
    RecurrentShape,
    StreamShape,
)
from advisor.model.machine import CPU_DEVICE_ID, DeviceKind, MachineProfile
from advisor.model.measurement import Measurement, MeasurementSet
from advisor.model.published import Comparability, DeviceSpec, PublishedResult, ResultPhase
from advisor.model.quantity import Interval, Precision, Source
from advisor.predict.hardware import cpu_limits
from advisor.predict.work import flop, rate
from advisor.recommend.devices import opencl_of

# A read faster than the memory of the data sheet ran in a cache: its buffers are small.
_CACHED = 1.05
_HEADLINE = "headline"
_STREAMS = ("triad", "read")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Published:
    """A published kernel that can be read: its shape, and its rate in `unit`."""

    row: PublishedResult
    shape: KernelShape
    direction: Direction
    value: float
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Device:
    """A device of this machine by the id that measurements are filed under."""

    device_id: str
    name: str
    kind: DeviceKind


def is_on_one_device(row: PublishedResult) -> bool:
    """Whether a row ran on one device; a processor whose count is not stated is one."""
    if row.n_devices is None:
        return row.device_kind is DeviceKind.CPU
    return row.n_devices == 1


def compare_kernels(
    profile: MachineProfile, measurements: MeasurementSet | None, knowledge: Knowledge
) -> Comparison:
    """Return the devices of this machine among published kernels.

    Args:
        profile: the machine.
        measurements: what was timed on it; None: data sheets alone.
        knowledge: published results and specifications.
    """
    known = _readable(knowledge)
    groups = []
    timed = set()
    for measurement in _headlines(measurements):
        device = _device(profile, measurement.request.device_id)
        if device is not None:
            timed.add(device.device_id)
            groups.append(_measured_group(measurement, device, known))
    sheets = [sheet for sheet in _sheets(profile, knowledge) if sheet.device.device_id not in timed]
    for sheet in sheets:
        groups += _sheet_groups(sheet, knowledge)
    return Comparison(
        machine=profile.cpu.brand,
        collected_on=profile.collected_on,
        measured_on=None if measurements is None else measurements.measured_on,
        groups=with_same_machine(groups, knowledge),
    )


# --- this machine -------------------------------------------------------------------------------


def _headlines(measurements: MeasurementSet | None) -> tuple[Measurement, ...]:
    """Return the headline figures to compare, the best product of each device for all of them."""
    chosen: dict[tuple[object, ...], Measurement] = {}
    for measurement in measurements.measured if measurements else ():
        key = _class_of(measurement)
        if key is None or measurement.median_s <= 0.0:
            continue
        known = chosen.get(key)
        if known is None or rate(measurement)[0] > rate(known)[0]:
            chosen[key] = measurement
    return tuple(chosen.values())


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


def _device(profile: MachineProfile, device_id: str) -> _Device | None:
    if device_id == CPU_DEVICE_ID:
        return _Device(device_id=device_id, name=profile.cpu.brand, kind=DeviceKind.CPU)
    for device in profile.opencl:
        if device.id == device_id:
            return _Device(device_id=device_id, name=device.name, kind=device.kind)
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


# --- published kernels --------------------------------------------------------------------------


def _readable(knowledge: Knowledge) -> tuple[_Published, ...]:
    """Return the published kernels whose work can be told, on one device, in a named framework."""
    bandwidth = {
        (spec.device, spec.kind): spec.memory_bandwidth_byte_per_s for spec in knowledge.devices
    }
    found = []
    for row in knowledge.published:
        is_usable = (
            row.phase is ResultPhase.KERNEL
            and row.comparability is not Comparability.NOT_COMPARABLE
            and bool(row.framework)
            and is_on_one_device(row)
        )
        entry = _published(row) if is_usable else None
        if entry is None:
            continue
        most = bandwidth.get((row.device, row.device_kind))
        if _op(entry) == "read" and most and entry.value > _CACHED * most:
            continue
        found.append(entry)
    return tuple(found)


def _published(row: PublishedResult) -> _Published | None:
    shape = published_shape(row)
    if shape is None or row.value <= 0.0:
        return None
    direction = published_direction(row)
    if isinstance(shape, StreamShape):
        value, unit = row.value, "B/s"
        is_right = row.unit == unit
    else:
        # The row's own count of flop leaves out what it did not compute.
        is_timed = row.metric == "step_time" and row.unit == "s"
        value = flop(shape, direction=direction) / row.value if is_timed else row.value
        unit = "flop/s"
        is_right = (is_timed or row.unit == unit) and row.precision is Precision.FLOAT32
    if isinstance(shape, PeakShape):
        is_right = is_right and "opencl" in f"{row.framework} {row.backend or ''}".lower()
    if not is_right:
        return None
    return _Published(row=row, shape=shape, direction=direction, value=value, unit=unit)


def _measured_group(
    measurement: Measurement, device: _Device, known: Iterable[_Published]
) -> ComparisonGroup:
    request = measurement.request
    own, unit = _own(measurement)
    same_class = [
        entry
        for entry in known
        if type(entry.shape) is type(request.shape)
        and entry.direction is request.direction
        and (not isinstance(request.shape, StreamShape) or _op(entry) == request.shape.op)
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


def _op(entry: _Published) -> str | None:
    return entry.shape.op if isinstance(entry.shape, StreamShape) else None


def _nearest_of_each(
    alike: Iterable[tuple[float, _Published]], *, unit: str, own: Interval
) -> tuple[ComparedResult, ...]:
    """Return for each device and framework the kernel that is most alike, best figure first."""
    by_software: dict[tuple[object, ...], list[tuple[float, _Published]]] = {}
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


def _work(entry: _Published) -> str:
    """Return a kernel as published; of products the sizes, which each study writes in its way."""
    shape = entry.shape
    if not isinstance(shape, GemmShape) or shape.batch != 1:
        return entry.row.workload
    return f"gemm m{shape.m} n{shape.n} k{shape.k}"


def _without_results(group: ComparisonGroup, others: list[_Published]) -> ComparisonGroup:
    if not others:
        return dataclasses.replace(group, no_result=NoResult.NOTHING_PUBLISHED)
    names = sorted({entry.row.workload for entry in others})
    return dataclasses.replace(group, no_result=NoResult.OTHER_SHAPES, found=tuple(names))


# --- data sheets --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sheet:
    """Peaks of a device of this machine by its data sheet; None where nobody states them."""

    device: _Device
    flop_per_s: float | None
    byte_per_s: float | None
    own_name: str | None = None


def _sheets(profile: MachineProfile, knowledge: Knowledge) -> tuple[_Sheet, ...]:
    limits = cpu_limits(profile, knowledge=knowledge)
    spec = find_device(knowledge, profile.cpu.brand, kind=DeviceKind.CPU)
    cpu = _Sheet(
        device=_Device(device_id=CPU_DEVICE_ID, name=profile.cpu.brand, kind=DeviceKind.CPU),
        flop_per_s=limits.peak_flop_per_s(Precision.FLOAT32),
        byte_per_s=spec.memory_bandwidth_byte_per_s if spec else None,
        own_name=spec.device if spec else None,
    )
    sheets = [cpu]
    for gpu in profile.graphics:
        opencl = opencl_of(gpu, profile=profile)
        units = gpu.compute_units or (opencl.compute_units if opencl else None)
        found = find_device(knowledge, gpu.name, kind=gpu.kind, compute_units=units)
        device = _Device(device_id=opencl.id if opencl else gpu.id, name=gpu.name, kind=gpu.kind)
        sheets.append(
            _Sheet(
                device=device,
                flop_per_s=found.peak_fp32_flop_per_s if found else None,
                byte_per_s=found.memory_bandwidth_byte_per_s if found else None,
                own_name=found.device if found else None,
            )
        )
    return tuple(sheets)


def _sheet_groups(sheet: _Sheet, knowledge: Knowledge) -> tuple[ComparisonGroup, ...]:
    """Return a device among the data sheets of devices that have published results."""
    timed = {row.device for row in knowledge.published}
    specs = [
        spec
        for spec in knowledge.devices
        # The very same product is no neighbour of itself.
        if spec.device in timed and (spec.device, spec.kind) != (sheet.own_name, sheet.device.kind)
    ]
    rates = _sheet_group(
        sheet,
        subject=Subject.DATA_SHEET_RATE,
        value=sheet.flop_per_s,
        unit="flop/s",
        others=[(spec, spec.peak_fp32_flop_per_s) for spec in specs],
    )
    if sheet.byte_per_s is None:
        return (rates,)
    bandwidths = _sheet_group(
        sheet,
        subject=Subject.DATA_SHEET_BANDWIDTH,
        value=sheet.byte_per_s,
        unit="B/s",
        others=[(spec, spec.memory_bandwidth_byte_per_s) for spec in specs],
    )
    return rates, bandwidths


def _sheet_group(
    sheet: _Sheet,
    *,
    subject: Subject,
    value: float | None,
    unit: str,
    others: list[tuple[DeviceSpec, float | None]],
) -> ComparisonGroup:
    own = None if value is None else Interval(low=value, mid=value, high=value)
    results = [
        ComparedResult(
            device=spec.device,
            kind=spec.kind,
            year=spec.year,
            value=figure,
            unit=unit,
            ratio=ratio_to(own, figure),
            software=None,
            workload=subject.value,
            batch_size=None,
            is_certain=True,
            source=Source(title="data sheet", reference=spec.source),
            note=spec.note,
        )
        for spec, figure in others
        if figure
    ]
    return placed(
        ComparisonGroup(
            subject=subject,
            device_id=sheet.device.device_id,
            device=sheet.device.name,
            kind=sheet.device.kind,
            unit=unit,
            own=own,
            own_basis=OwnBasis.DATA_SHEET,
            own_software=None,
            results=best_of_each(results, key=lambda r: (r.device, r.kind)),
            no_result=NoResult.OWN_FIGURE_UNKNOWN if own is None else None,
        )
    )
