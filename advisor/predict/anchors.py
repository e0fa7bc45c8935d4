"""Published times of networks as experiments that tell about other devices.

An experiment is what was run (network, work, batch, precision), with what software, on which
device of which data sheet. Leaves to others: how alike two of them are
(`advisor.predict.similarity`), the answer for a device (`advisor.predict.nearby`).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from advisor.knowledge.lookup import find_device
from advisor.knowledge.store import Knowledge
from advisor.model.machine import DeviceKind
from advisor.model.offer import CpuPlatform
from advisor.model.published import DeviceSpec, NetworkFacts, PublishedResult, ResultPhase
from advisor.model.quantity import Phase, Precision
from advisor.model.workload import Workload
from advisor.predict.hardware import CpuLimits, platform_limits, spec_limits
from advisor.predict.published import (
    is_comparable,
    multiply_adds,
    seconds_per_sample,
    spelled,
)

# Multiply-adds of a training step over those of its forward pass, and flop of a multiply-add.
TRAINING_PASSES = 3
FLOP_PER_MULTIPLY_ADD = 2

# What the user's own software is taken for.
OWN_FRAMEWORK = "tensorflow"
# A row further below flop/peak did other work than its name says: no arithmetic is so fast.
_LEAST_FACTOR = 0.1
# Rows without a batch (throughput as the tool liked it) are of about this one.
_USUAL_BATCH = 32
_KINDS = (DeviceKind.CPU, DeviceKind.IGPU, DeviceKind.DGPU)
_PHASES = {ResultPhase.TRAINING: Phase.TRAINING, ResultPhase.INFERENCE: Phase.INFERENCE}
# byte/s for each flop/s of devices whose bandwidth is not known.
_USUAL_BALANCE = 1.0 / 12.0
_USUAL_YEAR = 2016
# Arm cores that compute in half precision at twice the rate of single precision.
_HALF_RATE_CORES = ("Cortex-A55", "Cortex-A76", "Cortex-A78", "Oryon")
# A rented machine in a published row: "(AWS c5.xlarge, 4 vCPU)", "GCE n1-highcpu-8".
_INSTANCES = (
    ("aws", re.compile(r"AWS (\w+)\.\w+, (\d+) vCPU")),
    ("gcp", re.compile(r"(n1)-\w+-(\d+)")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """A device as its data sheet describes it, for comparing with others.

    Attributes:
        peak_flop_per_s: at the precision of the experiment, of the cores that it used.
        year: of the product; that of a usual one where it is not known.
        cores: of a processor, those that the experiment used; 1 for anything else.
    """

    name: str
    kind: DeviceKind
    vendor: str
    architecture: str | None
    year: int
    peak_flop_per_s: float
    bandwidth_byte_per_s: float
    cores: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What was run, and with which software.

    Attributes:
        network: its name, in one spelling; family: of the bundled network.
        multiply_adds: of one sample and a forward pass; None unknown.
        study, software: None where the user's own is meant, which no study ran.
        framework: "pytorch", without version.
    """

    network: str
    family: str | None
    multiply_adds: int | None
    phase: Phase
    precision: Precision
    batch_size: int
    study: str | None
    software: str | None
    framework: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """One published time: what ran where, and the seconds of one sample."""

    device: Device
    run: Run
    sample_s: float
    row: PublishedResult


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnTime:
    """What a sample of the same run takes on the user's own processor, and the log sd of it."""

    device: Device
    sample_s: float
    log_sd: float


def own_run(workload: Workload, *, network: NetworkFacts | None, flop: float) -> Run:
    """Return the user's job as a question: with software that no study ran.

    Args:
        workload: the job.
        network: what is known of its network; None where it is not a bundled one.
        flop: of one step.
    """
    passes = TRAINING_PASSES if workload.phase is Phase.TRAINING else 1
    counted = flop / (FLOP_PER_MULTIPLY_ADD * passes * workload.batch_size)
    known = network.multiply_adds_per_sample if network else None
    return Run(
        network=network.name if network else spelled(workload.network),
        family=network.family if network else None,
        multiply_adds=known or max(1, round(counted)),
        phase=workload.phase,
        precision=workload.precision,
        batch_size=workload.batch_size,
        study=None,
        software=None,
        framework=OWN_FRAMEWORK,
    )


def peak_flop_per_s(spec: DeviceSpec, precision: Precision) -> float | None:
    """Return the spec-sheet rate at a precision, at least that of float32.

    Hardware with slow or without units for it computes in float32 instead.
    """
    if precision is Precision.FLOAT32:
        return spec.peak_fp32_flop_per_s or None
    known = {
        Precision.FLOAT16: spec.peak_fp16_flop_per_s,
        Precision.BFLOAT16: spec.peak_bf16_flop_per_s,
        Precision.INT8: spec.peak_int8_op_per_s or spec.peak_fp16_flop_per_s,
    }
    rates = [rate for rate in (known[precision], spec.peak_fp32_flop_per_s) if rate]
    return max(rates, default=None)


# GPUs with units for bfloat16, as fast as those for float16 by their data sheets. On others the
# frameworks compute it in float32.
_BFLOAT16_ARCHITECTURES = (
    "Ampere", "Ada Lovelace", "Hopper", "Blackwell", "RDNA 3", "RDNA 4", "CDNA", "Xe-HPG", "Xe-HPC",
    "Xe-LPG+", "Xe2", "Apple M2", "Apple M3", "Apple M4",
)  # fmt: skip


def computed_precisions(precision: Precision) -> tuple[Precision, ...]:
    """Return a format, and those that `computed_precision` may give for it."""
    if precision is not Precision.BFLOAT16:
        return (precision,)
    return (precision, Precision.FLOAT16, Precision.FLOAT32)


def computed_precision(spec: DeviceSpec, precision: Precision) -> Precision:
    """Return the number format whose published times tell those of a format on a GPU.

    Almost nobody has published bfloat16: where there are units for it, it is as fast as float16.
    """
    if precision is not Precision.BFLOAT16:
        return precision
    has_units = (spec.architecture or "").startswith(_BFLOAT16_ARCHITECTURES)
    return Precision.FLOAT16 if has_units else Precision.FLOAT32


def gpu_device(spec: DeviceSpec, *, precision: Precision, share: float = 1.0) -> Device | None:
    """Return a GPU, or a share of it, for comparing; None when its peak is not known."""
    peak = peak_flop_per_s(spec, precision)
    if not peak:
        return None
    bandwidth = spec.memory_bandwidth_byte_per_s or peak * _USUAL_BALANCE
    return Device(
        name=spec.device,
        kind=spec.kind,
        vendor=spec.vendor,
        architecture=spec.architecture,
        year=spec.year or _USUAL_YEAR,
        peak_flop_per_s=peak * share,
        bandwidth_byte_per_s=bandwidth * share,
    )


def cpu_device(
    limits: CpuLimits, *, name: str, precision: Precision, threads: int | None = None
) -> Device:
    """Return the part of a processor that some threads use, for comparing."""
    cores = min(limits.cores, float(threads)) if threads else limits.cores
    peak = limits.peak_flop_per_s(Precision.FLOAT32, cores=cores)
    has_half = (limits.architecture or "").startswith(_HALF_RATE_CORES)
    if precision is Precision.INT8 or (precision is Precision.FLOAT16 and has_half):
        peak *= 2.0
    return Device(
        name=name,
        kind=DeviceKind.CPU,
        vendor=limits.vendor or "",
        architecture=limits.architecture,
        year=limits.year or _USUAL_YEAR,
        peak_flop_per_s=peak,
        bandwidth_byte_per_s=limits.bandwidth_byte_per_s,
        cores=cores,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tables:
    """What the rows are looked up in; `limits` keeps those of processors that were asked for."""

    knowledge: Knowledge
    specs: Mapping[tuple[str, DeviceKind], DeviceSpec | None]
    networks: Mapping[str, NetworkFacts]
    platforms: Mapping[tuple[str, str], CpuPlatform]
    limits: dict[tuple[str, float], CpuLimits | None] = field(default_factory=dict)

    def limits_of(self, spec: DeviceSpec) -> CpuLimits | None:
        """Return the limits of a processor: hundreds of rows are of a few."""
        key = (spec.device, 0.0)
        if key not in self.limits:
            self.limits[key] = spec_limits(spec, knowledge=self.knowledge)
        return self.limits[key]

    def limits_of_rented(self, platform: CpuPlatform, vcpus: float) -> CpuLimits | None:
        """Return the limits of a rented machine with so many vCPUs."""
        key = (f"{platform.vendor} {platform.family}", vcpus)
        if key not in self.limits:
            self.limits[key] = platform_limits(
                platform, vcpus=vcpus, architecture=platform.architecture, knowledge=self.knowledge
            )
        return self.limits[key]


def anchors_of(knowledge: Knowledge) -> tuple[Anchor, ...]:
    """Return the published times on one device whose data sheet and precision are known."""
    specs: dict[tuple[str, DeviceKind], DeviceSpec | None] = {}
    for spec in reversed(knowledge.devices):
        for name in (spec.device, *spec.aliases):
            specs[name.lower(), spec.kind] = spec
    networks: dict[str, NetworkFacts] = {}
    for facts in reversed(knowledge.networks):
        for name in (facts.name, *facts.aliases):
            networks[spelled(name)] = facts
    rows = [row for row in knowledge.published if _is_run(row)]
    for kind, name in {(row.device_kind, row.device) for row in rows}:
        if (name.lower(), kind) not in specs:
            found = find_device(knowledge, name.split("(")[0], kind=kind)
            specs[name.lower(), kind] = found
    tables = _Tables(
        knowledge=knowledge,
        specs=MappingProxyType(specs),
        networks=MappingProxyType(networks),
        platforms={(row.vendor, row.family): row for row in knowledge.cpu_platforms},
    )
    return tuple(anchor for row in rows if (anchor := _anchor(row, tables)) is not None)


def _is_run(row: PublishedResult) -> bool:
    """Whether a row timed a network, on one device, at a stated precision."""
    return (
        row.phase in _PHASES
        and row.device_kind in _KINDS
        and row.precision is not None
        and is_comparable(row)
    )


def _anchor(row: PublishedResult, tables: _Tables) -> Anchor | None:
    facts = tables.networks.get(spelled(row.workload))
    sample_s = seconds_per_sample(row, facts=facts)
    device = _device(row, tables)
    if sample_s is None or device is None:
        return None
    run = _run(row, facts)
    if run.multiply_adds:
        passes = TRAINING_PASSES if run.phase is Phase.TRAINING else 1
        least_s = FLOP_PER_MULTIPLY_ADD * passes * run.multiply_adds / device.peak_flop_per_s
        if sample_s < _LEAST_FACTOR * least_s:
            return None
    return Anchor(device=device, run=run, sample_s=sample_s, row=row)


def _run(row: PublishedResult, facts: NetworkFacts | None) -> Run:
    # On a processor, threads are part of the device; elsewhere of how the software was used.
    threads = None if row.device_kind is DeviceKind.CPU else row.threads
    used = (
        row.study, row.framework, row.framework_version, row.backend, row.build, row.metric,
        threads,
    )  # fmt: skip
    name = (row.framework or "").lower()
    found = re.match(r"[a-z+/-]+", name)
    return Run(
        network=facts.name if facts else spelled(row.workload),
        family=facts.family if facts else None,
        multiply_adds=multiply_adds(row, facts=facts),
        phase=_PHASES[row.phase],
        precision=row.precision or Precision.FLOAT32,
        batch_size=row.batch_size or _USUAL_BATCH,
        study=row.study,
        software=" ".join(str(part) for part in used),
        framework=found.group().strip() if found else "",
    )


def _device(row: PublishedResult, tables: _Tables) -> Device | None:
    precision = row.precision or Precision.FLOAT32
    spec = tables.specs.get((row.device.lower(), row.device_kind))
    if row.device_kind is not DeviceKind.CPU:
        return gpu_device(spec, precision=precision) if spec else None
    if spec is not None:
        limits = tables.limits_of(spec)
        if limits is None:
            return None
        return cpu_device(limits, name=spec.device, precision=precision, threads=row.threads)
    for cloud, pattern in _INSTANCES:
        found = pattern.search(row.device)
        platform = tables.platforms.get((cloud, found.group(1))) if found else None
        if found and platform:
            limits = tables.limits_of_rented(platform, float(found.group(2)))
            name = f"{cloud} {platform.family}"
            return cpu_device(limits, name=name, precision=precision) if limits else None
    return None
