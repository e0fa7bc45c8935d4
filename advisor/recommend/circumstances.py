"""What a condition of the options table is decided on: the machine and the job, in its words.

Every function answers True, False, or None where the profile does not tell.
Leaves to others: the language (`advisor.knowledge.conditions`), what follows from an answer
(`advisor.recommend.requirements`).
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from advisor.knowledge.conditions import GROUPS_OF_ONE_CHANNEL, LAYER_OVER_TIME, Condition
from advisor.model.instructions import has_onednn_by_default, other_onednn
from advisor.model.kernel import ConvShape
from advisor.model.machine import (
    Cpu,
    DeviceKind,
    GraphicsDevice,
    MachineProfile,
    OpenclDevice,
    OsFamily,
)
from advisor.model.quantity import Precision
from advisor.model.workload import Workload
from advisor.predict.at_once import has_layer_over_time
from advisor.predict.fresh import fresh_bytes_of_step
from advisor.predict.work import operator_kind
from advisor.recommend.room import fits_here, usable_memory_bytes

# The work is timed and predicted on this machine's CPU, as Keras on TensorFlow.
RUNS_ON_NOW = DeviceKind.CPU
FRAMEWORKS_NOW = frozenset({"keras", "tensorflow"})

# Larger processors in one package may be divided (the first Threadrippers were).
_MOST_CORES_OF_A_NODE = 14

_ONNX_SUFFIX = ".onnx"
_MIB, _GIB = 1024**2, 1024**3
_PCI_VENDORS = {
    "1002": "amd",
    "1022": "amd",
    "8086": "intel",
    "10de": "nvidia",
    "106b": "apple",
    "14e4": "broadcom",
    "5143": "qualcomm",
    "13b5": "arm",
}
_VENDOR_WORDS = (
    ("amd", r"amd|advanced micro devices|\bati\b|radeon"),
    ("intel", r"intel"),
    ("nvidia", r"nvidia"),
    ("apple", r"apple"),
    ("qualcomm", r"qualcomm|adreno|hexagon|snapdragon"),
    ("broadcom", r"broadcom|videocore"),
    ("arm", r"\barm\b|mali"),
)
_ARCHITECTURES = {
    "x86_64": "x86_64",
    "amd64": "x86_64",
    "i386": "x86_32",
    "i586": "x86_32",
    "i686": "x86_32",
    "x86": "x86_32",
    "aarch64": "arm64",
    "arm64": "arm64",
    "armv7l": "arm32",
    "armv6l": "arm32",
    "arm": "arm32",
    "riscv64": "riscv64",
    "ppc64le": "ppc64le",
    "s390x": "s390x",
    "loongarch64": "loongarch64",
}
# Distributions that bring the same framework.
_SAME_FRAMEWORK = {
    "tensorflow-cpu": "tensorflow",
    "tensorflow-intel": "tensorflow",
    "tensorflow-macos": "tensorflow",
    "tensorflow-cpu-aws": "tensorflow",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """The machine and the job that conditions are decided on.

    Attributes:
        profile: the machine.
        workload: the job.
        official: of each recognised GPU by its id, whether software officially does the job on
            it; None: nobody looked.
        is_for_this_machine: False where the user thinks of another one, whatever this one is.
    """

    profile: MachineProfile
    workload: Workload
    official: Mapping[str, bool] | None = None
    is_for_this_machine: bool = True


def is_onnx(workload: Workload) -> bool:
    """Whether the network of a job is an ONNX file."""
    return workload.network.lower().endswith(_ONNX_SUFFIX)


def vendor_word(text: str | None, *, pci_vendor_id: str | None = None) -> str | None:
    """Return "amd", "intel", ... for a vendor as a driver or a bus spells it, None if unknown."""
    if pci_vendor_id is not None and pci_vendor_id.lower() in _PCI_VENDORS:
        return _PCI_VENDORS[pci_vendor_id.lower()]
    lowered = (text or "").lower()
    for word, pattern in _VENDOR_WORDS:
        if re.search(pattern, lowered):
            return word
    return None


def cpu_vendor(profile: MachineProfile) -> str | None:
    """Return the word of the CPU's vendor, None when it is unknown."""
    return vendor_word(f"{profile.cpu.vendor or ''} {profile.cpu.brand}")


def gpu_vendor(gpu: GraphicsDevice) -> str | None:
    """Return the word of a GPU's vendor, None when it is unknown."""
    return vendor_word(f"{gpu.vendor or ''} {gpu.name}", pci_vendor_id=gpu.pci_vendor_id)


def opencl_vendor(device: OpenclDevice) -> str | None:
    """Return the word of the vendor of an OpenCL device, None when it is unknown."""
    return vendor_word(f"{device.vendor} {device.name}")


def gpu_vendors(profile: MachineProfile) -> frozenset[str]:
    """Return the words of the vendors of all GPUs on the bus."""
    words = (gpu_vendor(gpu) for gpu in profile.graphics)
    return frozenset(word for word in words if word is not None)


def framework_versions(profile: MachineProfile) -> dict[str, tuple[str, ...]]:
    """Return the versions found of each framework, by its plain name ("tensorflow")."""
    found: dict[str, list[str]] = {}
    for environment in profile.environments:
        for framework in environment.frameworks:
            name = framework.name.lower()
            for spelling in {name, _SAME_FRAMEWORK.get(name, name)}:
                found.setdefault(spelling, []).append(framework.version)
    return {name: tuple(versions) for name, versions in found.items()}


def _architecture(profile: MachineProfile) -> str | None:
    return _ARCHITECTURES.get(profile.os.architecture.lower())


def is_x86(profile: MachineProfile) -> bool:
    """Whether the system is one of 64 bits for Intel's and AMD's processors."""
    return _architecture(profile) == "x86_64"


def is_intel_mac(profile: MachineProfile) -> bool:
    """Whether it is one of Apple's machines with Intel's processors."""
    return is_x86(profile) and profile.os.family is OsFamily.MACOS


def has_other_frameworks(profile: MachineProfile) -> bool:
    """Whether PyTorch and ONNX Runtime have ready-made builds: for 64 bits of x86 and Arm.

    Those of PyTorch for Intel's Macs ended with 2.2; there are none for other systems.
    """
    has_builds = profile.os.family is not OsFamily.OTHER and not is_intel_mac(profile)
    return has_builds and _architecture(profile) in ("x86_64", "arm64")


def tensorflow_runs(profile: MachineProfile) -> bool | None:
    """Whether TensorFlow has a ready-made build that runs on a machine; None: not known.

    Since 1.6 its builds for x86 need AVX; there are others for Linux and macOS on 64-bit Arm, none
    for Windows on Arm, none for Intel's Macs since 2.17, and none for other systems, 32 bits or
    other processors (PyPI: tensorflow 2.21, looked at on 2026-11-25). Where an environment has it
    on another system, somebody has built it.
    """
    if is_intel_mac(profile):
        return False
    if profile.os.family is OsFamily.OTHER:
        return _has_tensorflow(profile)
    word = _architecture(profile)
    if word == "x86_64":
        features = profile.cpu.isa_features
        return "avx" in features if features else None
    if word == "arm64":
        return profile.os.family is not OsFamily.WINDOWS
    return None if word is None else False


def _has_tensorflow(profile: MachineProfile) -> bool:
    frameworks = (each for found in profile.environments for each in found.frameworks)
    return any(each.name.startswith("tensorflow") for each in frameworks)


def decide(condition: Condition, *, given: Circumstances) -> bool | None:
    """Return whether a condition is true here; None when the profile does not tell."""
    if condition.operator == "":
        return _decide_flag(condition.name, given)
    if condition.operator == ":":
        return _decide_name(condition.name, frozenset(condition.values), given)
    number = _number(condition.name, given)
    if number is None or condition.limit is None:
        return None
    return number < condition.limit if condition.operator == "<" else number >= condition.limit


def _any_of(values: Iterable[str], wanted: frozenset[str]) -> bool:
    return not wanted.isdisjoint(values)


def _decide_flag(name: str, given: Circumstances) -> bool | None:
    profile = given.profile
    cpu = profile.cpu
    kinds = {gpu.kind for gpu in profile.graphics}
    answers = {
        "container": _is_named(profile.os.container),
        "virtual_machine": _is_named(profile.os.hypervisor),
        "no_cpu_limit": cpu.quota_cpus is None
        and (cpu.usable_cpus is None or cpu.usable_cpus >= cpu.n_logical_cpus),
        "no_gpu": not profile.graphics,
        "no_igpu": DeviceKind.IGPU not in kinds,
        "no_tensorflow": _has_no_tensorflow(profile),
        "onednn_by_default": has_onednn_by_default(profile),
        "onednn_off_by_default": _is_onednn_off(profile),
        "onnx_file": is_onnx(given.workload),
        "short_format": given.workload.precision is not Precision.FLOAT32,
        "has_served_card": _has_served_card(given),
        "memory_fits": fits_here(given.workload, profile),
    }
    return answers.get(name)


def _has_served_card(given: Circumstances) -> bool | None:
    if not given.is_for_this_machine:
        return False
    cards = [gpu.id for gpu in given.profile.graphics if gpu.kind is DeviceKind.DGPU]
    if not cards:
        return False
    return None if given.official is None else any(given.official.get(card) for card in cards)


def _are_served(wanted: frozenset[str], given: Circumstances) -> bool | None:
    """Whether all recognised GPUs of some vendors are officially supported, and there are any."""
    if given.official is None:
        return None
    found = [
        given.official[gpu.id]
        for gpu in given.profile.graphics
        if gpu.id in given.official and gpu_vendor(gpu) in wanted
    ]
    return bool(found) and all(found)


def _has_no_tensorflow(profile: MachineProfile) -> bool | None:
    runs = tensorflow_runs(profile)
    return None if runs is None else not runs


def _is_onednn_off(profile: MachineProfile) -> bool:
    return other_onednn(profile) is not None and not has_onednn_by_default(profile)


def _is_named(name: str | None) -> bool | None:
    """None: not known; "": known to be absent."""
    return None if name is None else name != ""


def _lacks(values: frozenset[str], wanted: frozenset[str]) -> bool:
    return wanted.isdisjoint(values)


def _decide_name(name: str, wanted: frozenset[str], given: Circumstances) -> bool | None:
    profile = given.profile
    if name.startswith("isa_"):
        return _decide_isa(name, wanted, profile)
    if name in ("network_has", "network_lacks"):
        kinds = _kinds_of_operators(given.workload)
        return _any_of(kinds, wanted) == (name == "network_has") if kinds else None
    if name in ("gpu_vendor", "gpu_lacks"):
        return _any_of(gpu_vendors(profile), wanted) == (name == "gpu_vendor")
    if name == "gpus_served":
        return _are_served(wanted, given)
    if name == "npu_lacks":
        words = (vendor_word(f"{npu.vendor or ''} {npu.name}") for npu in profile.npus)
        return _lacks(frozenset(word for word in words if word is not None), wanted)
    if name == "framework_not_installed":
        return (
            _lacks(frozenset(framework_versions(profile)), wanted) if profile.environments else None
        )
    value = _word(name, given)
    if value is None:
        return None
    return value in wanted or (name == "already_default" and "any" in wanted)


def _kinds_of_operators(workload: Workload) -> set[str]:
    shapes = [entry.shape for entry in workload.operators]
    kinds = {operator_kind(shape).value for shape in shapes}
    if any(isinstance(shape, ConvShape) and shape.has_groups_of_one_channel for shape in shapes):
        kinds.add(GROUPS_OF_ONE_CHANNEL)
    if has_layer_over_time(workload):
        kinds.add(LAYER_OVER_TIME)
    return kinds


def _decide_isa(name: str, wanted: frozenset[str], profile: MachineProfile) -> bool | None:
    features = profile.cpu.isa_features
    if not features:
        return None
    return _any_of(features, wanted) == (name == "isa_has")


def _word(name: str, given: Circumstances) -> str | None:
    """Return the one word of the machine or the job that a condition asks about."""
    profile = given.profile
    words: dict[str, str | None] = {
        "os": profile.os.family.value,
        "already_default": profile.os.family.value,
        "arch": _architecture(profile),
        "cpu_vendor": cpu_vendor(profile),
        "phase": given.workload.phase.value,
        "precision": given.workload.precision.value,
        "runs_on": RUNS_ON_NOW.value,
    }
    return words.get(name)


def _numa_nodes(cpu: Cpu) -> int | None:
    """Return 1 for a small processor that stands alone where the system tells nothing."""
    is_small = cpu.n_physical_cores is not None and cpu.n_physical_cores <= _MOST_CORES_OF_A_NODE
    return 1 if cpu.n_packages == 1 and is_small else None


def _number(name: str, given: Circumstances) -> float | None:
    profile, workload = given.profile, given.workload
    if name == "fresh_mebibytes":
        return fresh_bytes_of_step(workload) / _MIB
    memory = usable_memory_bytes(profile)
    numbers: dict[str, float | None] = {
        "n_physical_cores": profile.cpu.n_physical_cores,
        "n_numa_nodes": profile.cpu.n_numa_nodes or _numa_nodes(profile.cpu),
        "n_gpus": len(profile.graphics),
        "memory_gib": None if memory is None else memory / _GIB,
        "memory_channels": profile.memory.channels,
        "batch_size": workload.batch_size,
        "epochs": workload.epochs,
        "parameters": workload.parameters,
        "input_elements": workload.input_elements_per_sample,
    }
    return numbers.get(name)
