"""Published results and device specifications, as rows of the bundled dataset.

Leaves to others: reading the files (`advisor.knowledge`), using the figures (`advisor.predict`).
An empty cell is None: unknown, never 0.
"""

from dataclasses import dataclass
from enum import StrEnum

from advisor.model.machine import DeviceKind
from advisor.model.quantity import Precision


class ResultPhase(StrEnum):
    """What a published row timed."""

    TRAINING = "training"
    INFERENCE = "inference"
    KERNEL = "kernel"


class Comparability(StrEnum):
    """Whether a row may be compared with rows of the same workload name."""

    COMPARABLE = "comparable"
    NOT_COMPARABLE = "not_comparable"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedResult:
    """One published figure.

    Attributes:
        study: key of the study in `SOURCES.md`.
        workload: network or kernel, in the bundled spelling where we have the network.
        device: canonical name, key of `DeviceSpec.device`, or the study's own spelling.
        threads: CPU threads (or vCPUs) used; n_devices: GPUs or sockets used together.
        metric: "step_time", "epoch_time", "throughput", "latency", "rate", "bandwidth", "cost".
        unit: SI unit of `value`: "s", "1/s", "flop/s", "B/s", "USD".
        build: variant of the framework build ("pip", "compiled", "avx", "opencl"), None unknown.
        parameters, multiply_adds_per_sample: of the network that really ran, where known.
        note: what a reader must know before using the row.
    """

    id: str
    study: str
    year: int | None
    phase: ResultPhase
    workload: str
    batch_size: int | None
    precision: Precision | None
    framework: str | None
    framework_version: str | None
    backend: str | None
    build: str | None
    device: str
    device_kind: DeviceKind
    threads: int | None
    n_devices: int | None
    metric: str
    value: float
    unit: str
    parameters: int | None
    multiply_adds_per_sample: int | None
    comparability: Comparability
    source: str
    note: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceSpec:
    """Specification of a product. Peaks are spec-sheet rates of the whole device.

    `aliases` are further spellings, lower case. `launch_price_usd` is the price at launch.
    `memory_channels` are those of one processor, all filled.
    """

    device: str
    kind: DeviceKind
    vendor: str
    architecture: str | None
    year: int | None
    cores: int | None
    threads: int | None
    base_ghz: float | None
    boost_ghz: float | None
    fp32_flop_per_cycle_per_core: float | None
    peak_fp32_flop_per_s: float | None
    peak_fp16_flop_per_s: float | None
    peak_bf16_flop_per_s: float | None
    peak_int8_op_per_s: float | None
    memory_bandwidth_byte_per_s: float | None
    memory_bytes: int | None
    shares_system_memory: bool | None
    tdp_w: float | None
    launch_price_usd: float | None
    aliases: tuple[str, ...]
    source: str
    note: str | None
    memory_channels: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuIsaRow:
    """Peak operations per cycle and core of a CPU microarchitecture, and what it means for us.

    `training_step_factor` is what a training step takes over the sum of its kernels, drawn half
    way to 1; None: no machine of the kind was recorded (decision 0014).
    """

    microarchitecture: str
    vendor: str
    years: str
    examples: str
    simd: str
    archspec_names: tuple[str, ...]
    fp32_flop_per_cycle_per_core: float | None
    bf16_flop_per_cycle_per_core: float | None
    int8_op_per_cycle_per_core: float | None
    gcc_march: str | None
    tensorflow_wheel_runs: str
    bf16_advice: str
    int8_advice: str
    note: str | None
    source: str
    training_step_factor: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuFamily:
    """Which software can train or infer on a family of GPUs.

    The support cells say "official", "unofficial" or "none" and the route to take; None: no such
    GPU stands under that system, or nobody looked.
    `pci_device_ids` are hex ranges "1304-130f" or single ids; `name_pattern` a regular expression.
    `rocm_targets` are AMD's names of the chips, by PCI identity: "gfx1201:7550-7551".
    `fp32_flop_per_cycle_per_unit` counts the compute units that OpenCL drivers report; None where
    members of the family or their drivers differ.
    """

    id: str
    vendor: str
    kind: str
    architecture: str
    pci_vendor_id: str | None
    pci_device_ids: tuple[str, ...]
    name_pattern: str
    examples: str
    years: str
    linux_training: str
    linux_training_route: str | None
    linux_inference: str
    linux_inference_route: str | None
    windows_training: str
    windows_training_route: str | None
    windows_inference: str
    windows_inference_route: str | None
    opencl_linux: str | None
    advice: str
    caveats: str | None
    source: str
    confidence: str
    fp32_flop_per_cycle_per_unit: float | None = None
    rocm_targets: tuple[str, ...] = ()
    macos_training: str | None = None
    macos_training_route: str | None = None
    macos_inference: str | None = None
    macos_inference_route: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PastSystem:
    """What became of a system that old advice names, and what to take instead."""

    name: str
    aliases: tuple[str, ...]
    role: str
    status: str
    ended: str | None
    successor: str | None
    advice: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The verdict on a claim of a founding study: OK, PART, NO or OPEN, with its figures."""

    id: str
    study: str
    claim: str
    verdict: str
    figures: str
    consequence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkFacts:
    """Bundled network: what it is, its usual job, and the counts that its builder reproduces."""

    name: str
    title: str
    aliases: tuple[str, ...]
    family: str
    dataset: str | None
    samples: int | None
    classes: int | None
    batch_size: int
    epochs: int
    optimizer: str
    parameters: int
    multiply_adds_per_sample: int | None
    source: str
    note: str | None
