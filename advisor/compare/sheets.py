"""Devices of this machine by their data sheets among the data sheets of devices with results.

Leaves to others: what was measured (`advisor.compare.kernels`): a peak is never put beside a rate
that somebody measured.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from advisor.compare.ordering import best_of_each, placed, ratio_to
from advisor.compare.own_device import OwnDevice
from advisor.knowledge.lookup import find_device
from advisor.knowledge.store import Knowledge
from advisor.model.comparison import ComparedResult, ComparisonGroup, NoResult, OwnBasis, Subject
from advisor.model.machine import CPU_DEVICE_ID, DeviceKind, MachineProfile
from advisor.model.published import DeviceSpec
from advisor.model.quantity import Interval, Precision, Source
from advisor.predict.hardware import cpu_limits
from advisor.recommend.devices import opencl_of, spec_of


def sheet_groups(
    profile: MachineProfile, knowledge: Knowledge, *, timed: set[str]
) -> Iterator[ComparisonGroup]:
    """Yield the peaks of each device of the machine, but for those that were timed."""
    for sheet in _sheets(profile, knowledge):
        if sheet.device.device_id not in timed:
            yield from _groups_of(sheet, knowledge)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sheet:
    """Peaks of a device of this machine by its data sheet; None where nobody states them."""

    device: OwnDevice
    flop_per_s: float | None
    byte_per_s: float | None
    own_name: str | None = None


def _sheets(profile: MachineProfile, knowledge: Knowledge) -> tuple[_Sheet, ...]:
    limits = cpu_limits(profile, knowledge=knowledge)
    spec = find_device(knowledge, profile.cpu.brand, kind=DeviceKind.CPU)
    cpu = _Sheet(
        device=OwnDevice(device_id=CPU_DEVICE_ID, name=profile.cpu.brand, kind=DeviceKind.CPU),
        flop_per_s=limits.peak_flop_per_s(Precision.FLOAT32),
        byte_per_s=spec.memory_bandwidth_byte_per_s if spec else None,
        own_name=spec.device if spec else None,
    )
    sheets = [cpu]
    for gpu in profile.graphics:
        opencl = opencl_of(gpu, profile=profile)
        found = spec_of(gpu, profile=profile, knowledge=knowledge)
        device = OwnDevice(device_id=opencl.id if opencl else gpu.id, name=gpu.name, kind=gpu.kind)
        sheets.append(
            _Sheet(
                device=device,
                flop_per_s=found.peak_fp32_flop_per_s if found else None,
                byte_per_s=found.memory_bandwidth_byte_per_s if found else None,
                own_name=found.device if found else None,
            )
        )
    return tuple(sheets)


def _groups_of(sheet: _Sheet, knowledge: Knowledge) -> tuple[ComparisonGroup, ...]:
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
