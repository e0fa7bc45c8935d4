"""What a machine can do: its measured kernels, rates and fixed costs, or those of its data sheet.

Leaves to others: what a kernel of another shape takes (`advisor.predict.efficiency`), the time of
a network (`advisor.predict.workload_time`), the data sheet (`advisor.predict.hardware`).
"""

import functools
from collections.abc import Iterable
from dataclasses import dataclass

from advisor.knowledge.store import Knowledge
from advisor.model.instructions import Library, library_under
from advisor.model.kernel import OperatorKind, OverheadShape, StreamShape
from advisor.model.machine import CPU_DEVICE_ID, MachineProfile
from advisor.model.measurement import Measurement, MeasurementSet, Runner, Setting
from advisor.model.quantity import Basis, Precision
from advisor.predict.efficiency import EfficiencyModel, Roofline
from advisor.predict.hardware import CpuLimits, cpu_limits
from advisor.predict.point import KernelPoint, kernel_points, pooled_s
from advisor.predict.work import COMPUTE_KINDS, bytes_moved, flop, operator_kind

# Fixed costs of the Keras and TensorFlow stack on a 4 GHz core where none were measured, seconds.
DEFAULT_TRAIN_CALL_S = 600e-6
DEFAULT_PREDICT_CALL_S = 200e-6
DEFAULT_DISPATCH_S = 5e-6
# Updating one variable, by optimiser: 0.006 (SGD) and 0.017 to 0.026 (Adam) of a call of training
# in seventeen calibrations on four processors; RMSprop 0.8 of Adam.
_VARIABLE_S = {"sgd": 3.5e-6, "momentum": 5e-6, "rmsprop": 10e-6, "adam": 12e-6}
_REFERENCE_GHZ = 4.0

_MEBIBYTE = 1 << 20

# Two directions of a recurrent layer that share several threads, over one direction.
_BOTH_WAYS = 1.4
# Sharing a product out among the threads of Eigen and waiting for the last of them: the layers over
# time of a Zen 4 and of a Zen 3 (two cores of virtual machines) are told best with 40 to 80 us.
_FORK_S = 45e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class PrecisionRate:
    """Best arithmetic rate at a precision, flop/s; measured here or taken from a data sheet."""

    precision: Precision
    flop_per_s: float
    is_measured: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceCeilings:
    """What one device does under one set of settings.

    Attributes:
        settings: environment under which it was measured, empty for the stack as it is.
        threads: compute threads where they were prescribed, None for the stack's default.
        points: measured kernels, fastest first; empty when all comes from the data sheet.
        rates: best arithmetic rate for each precision known, float32 always.
        bandwidth_byte_per_s: of main memory.
        train_call_s, predict_call_s: one call from Python; dispatch_s: one operator;
        variable_s: update of one variable beyond the traffic, None when in the optimiser points.
        parallel_units: threads that share the work of one kernel.
        training_step_factor: what a training step takes over the sum of its kernels.
        library: what computes the framework's kernels, None for other programs.
        last_cache_bytes: of the processor; None where it is not known, or there is none.
        fresh_s_per_byte: what a byte of a result takes longer whose memory is given anew; None: not
            known.
        waking_s: what a step takes longer, once, whose operations threads share; 0 where each
            kernel was timed with a part of it, as before it was timed by itself.
        basis: what it all rests on; notes: one sentence for each thing assumed.
    """

    device_id: str
    settings: tuple[Setting, ...]
    threads: int | None
    points: tuple[KernelPoint, ...]
    rates: tuple[PrecisionRate, ...]
    bandwidth_byte_per_s: float
    train_call_s: float
    predict_call_s: float
    dispatch_s: float
    variable_s: float | None
    parallel_units: int
    basis: Basis
    notes: tuple[str, ...] = ()
    training_step_factor: float = 1.0
    library: Library | None = None
    last_cache_bytes: int | None = None
    fresh_s_per_byte: float | None = None
    waking_s: float = 0.0

    @property
    def is_framework(self) -> bool:
        """Whether kernels were timed as a framework starts them: on the CPU, not by OpenCL."""
        return self.device_id == CPU_DEVICE_ID and bool(self.points)

    @property
    def fork_s(self) -> float:
        """What Eigen takes to share a product out among threads; oneDNN shows no such jump."""
        return _FORK_S if self.library is Library.EIGEN and self.parallel_units > 1 else 0.0

    def rate(self, precision: Precision) -> PrecisionRate:
        """Return the best rate at a precision, that of float32 where the precision has none."""
        known = {rate.precision: rate for rate in self.rates}
        return known.get(precision, known[Precision.FLOAT32])

    def efficiency_model(self) -> EfficiencyModel:
        """Return the times of kernels on this device."""
        return _efficiency_model(self)


# A few devices are asked about many steps: what was found of a kernel is kept.
@functools.lru_cache(maxsize=16)
def _efficiency_model(device: DeviceCeilings) -> EfficiencyModel:
    rooflines = {
        rate.precision: Roofline(
            flop_per_s=rate.flop_per_s,
            byte_per_s=device.bandwidth_byte_per_s,
            dispatch_s=device.dispatch_s,
            both_ways=2.0 if device.parallel_units == 1 else _BOTH_WAYS,
            fork_s=device.fork_s,
        )
        for rate in device.rates
    }
    return EfficiencyModel(
        device.points,
        rooflines=rooflines,
        call_s=device.predict_call_s if device.is_framework else None,
        library=device.library,
        compiles_groups=device.device_id == CPU_DEVICE_ID,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineCeilings:
    """All devices of a machine, and its CPU under each setting that was measured."""

    devices: tuple[DeviceCeilings, ...]

    def find(
        self, device_id: str, *, settings: tuple[Setting, ...] = (), threads: int | None = None
    ) -> DeviceCeilings | None:
        """Return what is known of a device under exactly these settings, or None."""
        wanted = _canonical(settings)
        for device in self.devices:
            same = (device.device_id, device.settings, device.threads)
            if same == (device_id, wanted, threads):
                return device
        return None

    @property
    def cpu(self) -> DeviceCeilings:
        """The CPU with its default stack; always there."""
        found = self.find(CPU_DEVICE_ID)
        assert found is not None
        return found


def _canonical(settings: Iterable[Setting]) -> tuple[Setting, ...]:
    return tuple(sorted(settings, key=lambda setting: (setting.name, setting.value)))


_GroupKey = tuple[str, tuple[Setting, ...], int | None]


def _group_key(measurement: Measurement) -> _GroupKey:
    request = measurement.request
    is_setting = request.role == "setting"
    threads = request.threads if is_setting else None
    return request.device_id, _canonical(request.settings) if is_setting else (), threads


def is_of_network(measurement: Measurement) -> bool:
    """Whether the kernel ran the way that networks run on its device."""
    if measurement.request.device_id == CPU_DEVICE_ID:
        return measurement.request.runner is Runner.KERAS
    return measurement.request.runner is Runner.OPENCL


def _overheads(measurements: Iterable[Measurement]) -> dict[str, float]:
    found: dict[str, list[Measurement]] = {}
    for measurement in measurements:
        shape = measurement.request.shape
        if isinstance(shape, OverheadShape):
            found.setdefault(shape.kind, []).append(measurement)
    return {kind: pooled_s(same) for kind, same in found.items()}


def _best_rates(
    points: Iterable[KernelPoint], all_of_device: Iterable[Measurement], limits: CpuLimits | None
) -> tuple[PrecisionRate, ...]:
    best: dict[Precision, float] = {}
    for point in points:
        if point.flop and operator_kind(point.shape) in COMPUTE_KINDS:
            rate = point.flop / point.time_s
            best[point.precision] = max(best.get(point.precision, 0.0), rate)
    products: dict[Precision, float] = {}
    for measurement in all_of_device:
        request = measurement.request
        if operator_kind(request.shape) is OperatorKind.GEMM:
            rate = flop(request.shape, direction=request.direction) / measurement.figure_s
            products[request.precision] = max(products.get(request.precision, 0.0), rate)
    # Where nothing was timed the way that networks run, another library's best stands in.
    best = {**products, **best}
    rates = [
        PrecisionRate(precision=precision, flop_per_s=rate, is_measured=True)
        for precision, rate in sorted(best.items())
    ]
    if limits is not None and Precision.FLOAT32 not in best:
        rates.append(
            PrecisionRate(
                precision=Precision.FLOAT32,
                flop_per_s=limits.sustained_flop_per_s(Precision.FLOAT32),
                is_measured=False,
            )
        )
    return tuple(rates)


def _best_bandwidth(points: Iterable[KernelPoint], measured: Iterable[Measurement]) -> float | None:
    """Return the best of triad and add, else another stream, else the largest element-wise kernel.

    A copy may pass the caches by, which the layers of a network do not. Both others move the same
    arrays; with many threads the triad, which goes in pieces, may wait for the interpreter.
    """
    rates: dict[str, float] = {}
    for m in measured:
        shape = m.request.shape
        if isinstance(shape, StreamShape) and shape.op != "local":
            moved = bytes_moved(shape, direction=m.request.direction, precision=m.request.precision)
            rates[shape.op] = max(rates.get(shape.op, 0.0), moved / m.figure_s)
    if rates:
        return max([rates[op] for op in ("triad", "add") if op in rates] or rates.values())
    largest = [
        (p.bytes_moved, p.bytes_moved / p.time_s)
        for p in points
        if operator_kind(p.shape) is OperatorKind.ELEMENTWISE
    ]
    return max(largest)[1] if largest else None


def _dispatch(overheads: dict[str, float], points: tuple[KernelPoint, ...]) -> float:
    """Return the cost of one operator; it cannot exceed the shortest kernel that was measured."""
    # Kernels of a network are submitted in a row: none is waited for before the next.
    for kind in ("dispatch", "queued_launch", "launch"):
        if kind in overheads:
            return overheads[kind]
    return 0.5 * points[0].time_s if points else DEFAULT_DISPATCH_S


def _measured_device(
    key: _GroupKey, group: list[Measurement], *, limits: CpuLimits, profile: MachineProfile
) -> DeviceCeilings | None:
    device_id, settings, threads = key
    is_cpu = device_id == CPU_DEVICE_ID
    points = kernel_points(m for m in group if is_of_network(m))
    rates = _best_rates(points, group, limits if is_cpu else None)
    bandwidth = _best_bandwidth(points, group)
    notes = []
    if bandwidth is None and is_cpu:
        bandwidth = limits.bandwidth_byte_per_s
        notes.append("Memory bandwidth was not measured; a figure of the data sheet stands in.")
    if bandwidth is None or not rates:
        return None
    if Precision.FLOAT32 not in {rate.precision for rate in rates}:
        slowest = min(rates, key=lambda rate: rate.flop_per_s)
        rates = (
            *rates,
            PrecisionRate(
                precision=Precision.FLOAT32, flop_per_s=slowest.flop_per_s, is_measured=False
            ),
        )
    overheads = _overheads(group)
    last_cache, fresh_s = profile.cpu.last_cache, overheads.get("fresh_mebibyte")
    call = overheads.get("launch", DEFAULT_TRAIN_CALL_S)
    if not {"train_call", "predict_call"} <= set(overheads):
        notes.append("The fixed cost of a step was not measured; a usual value stands in.")
    return DeviceCeilings(
        device_id=device_id,
        settings=settings,
        threads=threads,
        points=points,
        rates=rates,
        bandwidth_byte_per_s=bandwidth,
        train_call_s=overheads.get("train_call", call),
        predict_call_s=overheads.get("predict_call", min(call, DEFAULT_PREDICT_CALL_S)),
        dispatch_s=_dispatch(overheads, points),
        variable_s=overheads.get("variable"),
        parallel_units=threads or limits.units,
        basis=Basis.SCALED_FROM_MEASUREMENT if points else Basis.MODEL_ONLY,
        notes=tuple(notes),
        training_step_factor=limits.training_step_factor,
        library=library_under(profile, settings) if is_cpu and points else None,
        last_cache_bytes=last_cache.size_bytes if is_cpu and last_cache else None,
        fresh_s_per_byte=fresh_s / _MEBIBYTE if fresh_s is not None else None,
        waking_s=overheads.get("waking", 0.0),
    )


def ceilings_of_limits(limits: CpuLimits, *, device_id: str = CPU_DEVICE_ID) -> DeviceCeilings:
    """Return what a processor should do by its data sheet."""
    slowness = _REFERENCE_GHZ / limits.ghz
    return DeviceCeilings(
        device_id=device_id,
        settings=(),
        threads=None,
        points=(),
        rates=tuple(
            PrecisionRate(
                precision=precision,
                flop_per_s=limits.sustained_flop_per_s(precision),
                is_measured=False,
            )
            for precision in limits.precisions
        ),
        bandwidth_byte_per_s=limits.bandwidth_byte_per_s,
        train_call_s=DEFAULT_TRAIN_CALL_S * slowness,
        predict_call_s=DEFAULT_PREDICT_CALL_S * slowness,
        dispatch_s=DEFAULT_DISPATCH_S * slowness,
        variable_s=None,
        parallel_units=limits.units,
        basis=Basis.MODEL_ONLY,
        notes=limits.notes,
    )


def default_variable_s(optimizer: str) -> float:
    """Return seconds for updating one variable on a 4 GHz core, where none was measured."""
    name = optimizer.lower()
    for known, seconds in _VARIABLE_S.items():
        if known in name:
            return seconds
    return _VARIABLE_S["adam"]


def fit_ceilings(
    profile: MachineProfile, measurements: MeasurementSet | None, knowledge: Knowledge
) -> MachineCeilings:
    """Return what the machine can do.

    Args:
        profile: the machine.
        measurements: what was timed on it; None or empty: the data sheet decides.
        knowledge: device specifications and instruction sets.
    """
    limits = cpu_limits(profile, knowledge=knowledge)
    groups: dict[_GroupKey, list[Measurement]] = {}
    for measurement in measurements.measured if measurements else ():
        # A product that is timed for minutes tells of heat, not of what one step takes.
        if measurement.min_s > 0.0 and measurement.request.role != "sustained":
            groups.setdefault(_group_key(measurement), []).append(measurement)
    devices = [
        device
        for key, group in sorted(groups.items(), key=lambda item: repr(item[0]))
        if (device := _measured_device(key, group, limits=limits, profile=profile)) is not None
    ]
    found = MachineCeilings(devices=tuple(devices))
    if found.find(CPU_DEVICE_ID) is None:
        found = MachineCeilings(devices=(ceilings_of_limits(limits), *devices))
    return found
