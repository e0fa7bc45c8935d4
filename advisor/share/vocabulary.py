"""Every text that a shared result may hold. Client and server check against the same lists.

Leaves to others: turning facts into these words (`advisor.share.anonymise`), whether figures are
possible (`advisor.share.plausible`).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from advisor.knowledge.store import Knowledge
from advisor.model.machine import DeviceKind
from advisor.share.kernels import is_kernel
from advisor.share.upload import (
    MAX_DEVICES,
    MAX_FIGURES,
    MAX_STEPS,
    UPLOAD_VERSION,
    SharedDevice,
    SharedFigure,
    SharedStep,
    SharedSystem,
    Upload,
)

MEMORY_TIERS_GIB = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
THREAD_TIERS = (1, 2, 4, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
MAX_PACKAGES = 8

VENDORS = (
    *("AMD", "Apple", "ARM", "Broadcom", "Google", "Hailo", "Intel", "NVIDIA", "Qualcomm"),
    "Rockchip",
)
SYSTEMS = (
    *("Alpine Linux", "Amazon Linux", "Arch Linux", "CentOS Stream", "Debian GNU/Linux"),
    *("Fedora Linux", "Linux Mint", "macOS", "openSUSE Leap", "openSUSE Tumbleweed"),
    *("Raspbian GNU/Linux", "Red Hat Enterprise Linux", "Rocky Linux", "Ubuntu", "Windows"),
)
FRAMEWORKS = ("numpy", "keras", "torch", "jax", "onnxruntime", "openvino", "opencl")
PLATFORMS = (
    *("AMD Accelerated Parallel Processing", "Apple", "Clover", "Intel(R) OpenCL"),
    *("Intel(R) OpenCL Graphics", "Intel(R) OpenCL HD Graphics", "NVIDIA CUDA"),
    *("Intel(R) CPU Runtime for OpenCL(TM) Applications", "Portable Computing Language", "rusticl"),
)
BACKENDS = (
    *("tensorflow", "torch", "jax", "numpy", "openvino", "oneDNN", "CUDA", "ROCm", "cpu", "gpu"),
    *("scipy-openblas", "openblas", "mkl", "mkl-sdl", "blis", "accelerate", "xpu", "mps", "XLA"),
    *("CPUExecutionProvider", "CUDAExecutionProvider", "DmlExecutionProvider", "CPU", "GPU"),
    *PLATFORMS,
)
UNITS = ("flop/s", "B/s")

# Two numbers: a build number or an address has no room in it.
VERSION = re.compile(r"[0-9]{1,4}\.[0-9]{1,3}")
APP_VERSION = re.compile(r"[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}")
MONTH = re.compile(r"20[0-9]{2}-(?:0[1-9]|1[0-2])")
_KIND_WORDS = {
    DeviceKind.CPU: "CPU",
    DeviceKind.IGPU: "iGPU",
    DeviceKind.DGPU: "GPU",
    DeviceKind.NPU: "NPU",
    DeviceKind.OTHER: "device",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """The lists that come from our tables: products by name and kind, families, networks."""

    products: frozenset[tuple[str, DeviceKind]]
    microarchitectures: frozenset[str]
    networks: frozenset[str]


def vocabulary_of(knowledge: Knowledge) -> Vocabulary:
    """Return the lists of the bundled tables."""
    return Vocabulary(
        products=frozenset((spec.device, spec.kind) for spec in knowledge.devices),
        microarchitectures=frozenset(n for row in knowledge.cpu_isa for n in row.archspec_names),
        networks=frozenset(facts.name for facts in knowledge.networks),
    )


def unlisted_name(kind: DeviceKind, *, vendor: str | None, microarchitecture: str | None) -> str:
    """Return what a device that our table lacks is called: kind, vendor, family of its design."""
    words = [f"unlisted {_KIND_WORDS[kind]}", vendor, microarchitecture]
    return ", ".join(word for word in words if word is not None)


def is_listed(device: SharedDevice, *, vocabulary: Vocabulary) -> bool:
    """Return whether a device stands in our table."""
    return (device.name, device.kind) in vocabulary.products


def find_foreign(upload: Upload, *, vocabulary: Vocabulary) -> Iterator[str]:
    """Yield a line for each value that no list or pattern allows; the value is not repeated."""
    yield from _head(upload)
    yield from _system(upload.system)
    yield from _counts(upload)
    for i, device in enumerate(upload.devices):
        yield from (
            f"devices[{i}].{fault}" for fault in find_foreign_device(device, vocabulary=vocabulary)
        )
    for i, figure in enumerate(upload.figures):
        faults = _figure(figure, n_devices=len(upload.devices))
        yield from (f"figures[{i}].{fault}" for fault in faults)
    for i, step in enumerate(upload.steps):
        yield from (f"steps[{i}].{fault}" for fault in _step(step, vocabulary))


def _head(upload: Upload) -> Iterator[str]:
    if upload.version != UPLOAD_VERSION:
        yield f"version: only {UPLOAD_VERSION} is known"
    if not APP_VERSION.fullmatch(upload.app_version):
        yield "app_version: not three numbers"
    if not MONTH.fullmatch(upload.month):
        yield "month: not a month"
    if upload.memory_gib not in (None, *MEMORY_TIERS_GIB):
        yield "memory_gib: not a tier"


def _counts(upload: Upload) -> Iterator[str]:
    if not 1 <= len(upload.devices) <= MAX_DEVICES:
        yield f"devices: 1 to {MAX_DEVICES} are allowed"
    if len(upload.figures) > MAX_FIGURES or len(upload.steps) > MAX_STEPS:
        yield f"at most {MAX_FIGURES} figures and {MAX_STEPS} steps are allowed"
    if not (upload.figures or upload.steps):
        yield "figures: there is nothing in it"


def _system(system: SharedSystem) -> Iterator[str]:
    if system.name not in (None, *SYSTEMS):
        yield "system.name: not in the list"
    if system.major is not None and not 0 <= system.major <= 9999:
        yield "system.major: 0 to 9999"


def find_foreign_device(device: SharedDevice, *, vocabulary: Vocabulary) -> Iterator[str]:
    """Yield a line for each value of a device that no list allows."""
    if device.vendor not in (None, *VENDORS):
        yield "vendor: not in the list"
    elif not is_listed(device, vocabulary=vocabulary) and not _is_unlisted(device, vocabulary):
        yield "name: neither in our table nor a general name"
    if device.threads not in (None, *THREAD_TIERS):
        yield "threads: not a tier"
    if device.n_packages is not None and not 1 <= device.n_packages <= MAX_PACKAGES:
        yield f"n_packages: 1 to {MAX_PACKAGES}"
    if device.driver not in (None, *PLATFORMS):
        yield "driver: not in the list"
    if not _is_version(device.driver_version):
        yield "driver_version: not two numbers"


def _is_unlisted(device: SharedDevice, vocabulary: Vocabulary) -> bool:
    general = unlisted_name(device.kind, vendor=device.vendor, microarchitecture=None)
    family = device.name.removeprefix(f"{general}, ")
    return device.name == general or family in vocabulary.microarchitectures


def _is_version(text: str | None) -> bool:
    return text is None or VERSION.fullmatch(text) is not None


def _figure(figure: SharedFigure, *, n_devices: int) -> Iterator[str]:
    if not 0 <= figure.device < n_devices:
        yield "device: there is no such device"
    if not is_kernel(figure.kernel):
        yield "kernel: not a name that we give"
    yield from _software(figure)
    yield from _amounts(figure)


def _software(figure: SharedFigure) -> Iterator[str]:
    if figure.framework not in FRAMEWORKS:
        yield "framework: not in the list"
    if figure.backend not in (None, *BACKENDS):
        yield "backend: not in the list"
    if not (_is_version(figure.framework_version) and _is_version(figure.backend_version)):
        yield "framework_version, backend_version: two numbers each"


def _amounts(figure: SharedFigure) -> Iterator[str]:
    if figure.threads is not None and not 1 <= figure.threads <= 4096:
        yield "threads: 1 to 4096"
    if figure.unit not in UNITS:
        yield "unit: not in the list"
    if figure.value <= 0.0:
        yield "value: not above 0"
    if not 0.0 <= figure.spread <= 10.0:
        yield "spread: 0 to 10"
    if not 1 <= figure.n_values <= 100_000:
        yield "n_values: 1 to 100000"


def _step(step: SharedStep, vocabulary: Vocabulary) -> Iterator[str]:
    if step.network not in vocabulary.networks:
        yield "network: not a bundled one"
    if not 1 <= step.batch_size <= 1_000_000:
        yield "batch_size: 1 to 1000000"
    if not 0.0 < step.low_s <= step.mid_s <= step.high_s:
        yield "low_s, mid_s, high_s: not in order"
    if step.measured_s is not None and step.measured_s <= 0.0:
        yield "measured_s: not above 0"
