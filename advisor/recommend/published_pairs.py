"""What others timed on this very GPU or NPU and on the processor beside it, in one study.

Leaves to others: which devices are options (`advisor.recommend.devices`), times of a job
(`advisor.predict`).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from advisor.knowledge.graphics import find_gpu
from advisor.knowledge.lookup import find_device
from advisor.knowledge.store import Knowledge
from advisor.model.machine import DeviceKind, GraphicsDevice, MachineProfile
from advisor.model.option import Option, OptionKind
from advisor.model.prediction import Evidence
from advisor.model.published import Comparability, PublishedResult
from advisor.model.quantity import Interval, Phase, Precision, Source
from advisor.model.recommendation import AvoidedOption, Hint, Reason, ReasonCode
from advisor.model.workload import Workload
from advisor.recommend.reasons import reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A network that somebody timed on this processor and on the device beside it.

    `speedup` is that of the device: below 1 it is slower than the processor.
    """

    cpu: PublishedResult
    device: PublishedResult
    speedup: float


def slower_pair(
    gpu: GraphicsDevice,
    *,
    profile: MachineProfile,
    phase: Phase,
    knowledge: Knowledge,
    precision: Precision | None = None,
) -> Pair | None:
    """Return a published pair that shows that the GPU loses to its processor, None if it wins.

    Args:
        gpu: of the machine.
        profile: the machine.
        phase: of the job.
        knowledge: with the published results.
        precision: of the job; pairs of another one count where nobody published it.
    """
    cpu = _cpu_name(profile, knowledge)
    if cpu is None:
        return None
    on_gpu = _rows_on_gpu(gpu, profile=profile, cpu=cpu, phase=phase, knowledge=knowledge)
    middle = _middle_pair(on_gpu, cpu=cpu, phase=phase, precision=precision, knowledge=knowledge)
    return middle if middle is not None and middle.speedup < 1.0 else None


def with_published(
    hint: Hint, *, profile: MachineProfile, workload: Workload, knowledge: Knowledge
) -> Hint | AvoidedOption:
    """Return a hint with what others measured of its very way on this machine's GPU or NPU.

    Where they measured that the device is slower than the processor, the hint is a warning.

    Args:
        hint: of the options table.
        profile: the machine.
        workload: the job.
        knowledge: with the published results.
    """
    pair = _pair_of(hint.option, profile=profile, workload=workload, knowledge=knowledge)
    if pair is None:
        return hint
    others = tuple(why for why in hint.reasons if why.code is not ReasonCode.NO_FIGURE)
    if pair.speedup < 1.0:
        return avoided_by(pair, option=hint.option, reasons=others)
    why = reason(
        ReasonCode.PUBLISHED_EFFECT,
        factor_x=pair.speedup,
        workload=pair.device.workload,
        precision=_precision_of(pair.device).value,
        cpu=_quantity(pair.cpu),
        device=_quantity(pair.device),
    )
    return Hint(option=hint.option, reasons=(why, *others), steps=hint.steps)


def avoided_by(pair: Pair, *, option: Option, reasons: tuple[Reason, ...] = ()) -> AvoidedOption:
    """Return a device that is to be avoided because somebody measured that it is slower."""
    why = reason(
        ReasonCode.PUBLISHED_SLOWER,
        factor_x=1.0 / pair.speedup,
        workload=pair.device.workload,
        cpu=_quantity(pair.cpu),
        device=_quantity(pair.device),
    )
    return AvoidedOption(
        option=option,
        reasons=(why, *reasons),
        speedup=Interval(low=pair.speedup, mid=pair.speedup, high=pair.speedup),
        evidence=tuple(_evidence(row) for row in (pair.cpu, pair.device)),
    )


def is_usable(row: PublishedResult, phase: Phase) -> bool:
    """Whether a row is a time or a rate of such jobs that may be compared."""
    return (
        row.phase.value == phase.value
        and row.comparability is Comparability.COMPARABLE
        and row.unit in ("s", "1/s")
        and row.value > 0.0
    )


def _pair_of(
    option: Option, *, profile: MachineProfile, workload: Workload, knowledge: Knowledge
) -> Pair | None:
    """Return the middle pair of the software that an option for a GPU or an NPU names."""
    cpu = _cpu_name(profile, knowledge)
    if option.kind is not OptionKind.LOCAL_DEVICE or cpu is None:
        return None
    gpu = next((gpu for gpu in profile.graphics if gpu.id == option.device_id), None)
    if gpu is not None:
        rows = _rows_on_gpu(
            gpu, profile=profile, cpu=cpu, phase=workload.phase, knowledge=knowledge
        )
    elif any(npu.id == option.device_id for npu in profile.npus):
        rows = [
            row
            for row in knowledge.published
            if row.device_kind is DeviceKind.NPU
            and is_usable(row, workload.phase)
            and _sits_in(row, cpu)
        ]
    else:
        return None
    rows = [row for row in rows if row.framework and row.framework in option.title]
    return _middle_pair(
        rows, cpu=cpu, phase=workload.phase, precision=workload.precision, knowledge=knowledge
    )


def _cpu_name(profile: MachineProfile, knowledge: Knowledge) -> str | None:
    spec = find_device(knowledge, profile.cpu.brand, kind=DeviceKind.CPU)
    return None if spec is None else spec.device


def _rows_on_gpu(
    gpu: GraphicsDevice, *, profile: MachineProfile, cpu: str, phase: Phase, knowledge: Knowledge
) -> list[PublishedResult]:
    """Return the rows of a GPU: a study names it by itself, or by the processor it sits in."""
    # What is quick to tell first: there are thousands of rows.
    rows = [
        row for row in knowledge.published if row.device_kind is gpu.kind and is_usable(row, phase)
    ]
    if not rows:
        return []
    spec = find_gpu(knowledge, gpu, cpu_brand=profile.cpu.brand)
    is_inside = gpu.kind is DeviceKind.IGPU
    return [
        row
        for row in rows
        if (is_inside and _sits_in(row, cpu)) or (spec is not None and row.device == spec.device)
    ]


def _sits_in(row: PublishedResult, cpu: str) -> bool:
    """Whether a study names a device by the number of the processor, and it worked alone."""
    number = cpu.split()[-1].lower()
    device = row.device.lower()
    is_number = re.search(r"\d{3}", number) is not None
    return is_number and number in re.split(r"[^a-z0-9-]+", device) and "cpu+" not in device


def _middle_pair(
    rows: Iterable[PublishedResult],
    *,
    cpu: str,
    phase: Phase,
    precision: Precision | None,
    knowledge: Knowledge,
) -> Pair | None:
    """Return the middle one of the pairs, of the job's precision where there are such.

    Compared are the best figures of both devices within one study for one network, batch size
    and precision.
    """
    on_device = _best_of_alike(rows)
    if not on_device:
        return None
    on_cpu = _best_of_alike(
        row for row in knowledge.published if row.device == cpu and is_usable(row, phase)
    )
    pairs = [
        Pair(cpu=on_cpu[alike], device=row, speedup=_rate(row) / _rate(on_cpu[alike]))
        for alike, row in on_device.items()
        if alike in on_cpu
    ]
    pairs = [pair for pair in pairs if _precision_of(pair.device) is precision] or pairs
    pairs.sort(key=lambda pair: (pair.speedup, pair.device.id))
    return pairs[len(pairs) // 2] if pairs else None


def _best_of_alike(rows: Iterable[PublishedResult]) -> dict[tuple[object, ...], PublishedResult]:
    """Return the best of the rows that may be compared with each other, by what they share."""
    best: dict[tuple[object, ...], PublishedResult] = {}
    for row in rows:
        alike = (
            row.study,
            row.workload,
            row.metric,
            row.unit,
            row.batch_size,
            _precision_of(row),
        )
        if alike not in best or _rate(row) > _rate(best[alike]):
            best[alike] = row
    return best


def _precision_of(row: PublishedResult) -> Precision:
    """What a study does not name is what frameworks compute in by themselves."""
    return row.precision or Precision.FLOAT32


def _rate(row: PublishedResult) -> float:
    return row.value if row.unit == "1/s" else 1.0 / row.value


def _quantity(row: PublishedResult) -> str:
    return f"{row.value:g} {row.unit}"


def _evidence(row: PublishedResult) -> Evidence:
    software = " ".join(word for word in (row.framework, row.build) if word)
    statement = (
        f"{row.workload}, {row.phase.value}: {_quantity(row)} ({row.metric.replace('_', ' ')}) "
        f"on {row.device}, {software or 'software not stated'}"
    )
    date = None if row.year is None else str(row.year)
    return Evidence(
        statement=statement, source=Source(title=row.study, reference=row.source, date=date)
    )
