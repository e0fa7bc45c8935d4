"""The machine's own GPUs as options: what software serves each of them for this job, and if none.

A GPU without official software for the job is no option, however many cores it has: it is
refused with the advice for its family, or stands under "avoid" where somebody measured that it
is slower than the processor beside it.
Leaves to others: times (`advisor.predict`), the options table (`advisor.recommend.options`),
what to type (`advisor.recommend.device_steps`), what others measured on a device
(`advisor.recommend.published_pairs`).
"""

import dataclasses
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass

from advisor.knowledge.graphics import find_gpu, find_gpu_family, rocm_target
from advisor.knowledge.store import Knowledge
from advisor.model.machine import DeviceKind, GraphicsDevice, MachineProfile, OpenclDevice, OsFamily
from advisor.model.option import DEVICE_PREFIX, Option, OptionKind
from advisor.model.published import DeviceSpec, GpuFamily
from advisor.model.quantity import Phase
from advisor.model.recommendation import AvoidedOption, Hint, Reason, ReasonCode, Rejection, Step
from advisor.model.workload import Workload
from advisor.recommend.circumstances import gpu_vendor, opencl_vendor
from advisor.recommend.published_pairs import avoided_by, is_usable, slower_pair
from advisor.recommend.reasons import reason

# Graphics of servers and virtual machines, which compute nothing.
_PICTURES_ONLY = re.compile(
    r"ASPEED|Matrox|Virtio|QXL|Cirrus|VMware|VirtualBox|Hyper-V|Basic Display|bochs", re.IGNORECASE
)
_TENSORFLOW = re.compile(r"\b(?:TF|TensorFlow|Keras)\b", re.IGNORECASE)
# How the options table writes a package of AMD that is called after a chip, and what it adds.
_CHIP = "device-GFX"
_CHIP_IS_MISSING = "in place of GFX"

_LIKE = {DeviceKind.IGPU: "integrated GPU", DeviceKind.DGPU: "graphics card"}


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceChoice:
    """What the machine's GPUs come to."""

    options: tuple[Option, ...]
    hints: tuple[Hint, ...]
    avoid: tuple[AvoidedOption, ...]
    rejections: tuple[Rejection, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """How well software serves a GPU: "official", "unofficial" or "none", and by what route.

    None: the families do not say (some GPUs under macOS); then rows of the options table speak.
    """

    level: str | None
    route: str | None


def families_of(profile: MachineProfile, *, knowledge: Knowledge) -> dict[str, GpuFamily]:
    """Return the family of each graphics device that is recognised, by the device's id."""
    found = {}
    for gpu in profile.graphics:
        family = find_gpu_family(
            knowledge,
            pci_vendor_id=gpu.pci_vendor_id,
            pci_device_id=gpu.pci_device_id,
            name=gpu.name,
        )
        if family is not None:
            found[gpu.id] = family
    return found


def support_of(family: GpuFamily, *, system: OsFamily, phase: Phase) -> Support:
    """Return how software serves a family of GPUs for a phase on a system."""
    cells = {
        (OsFamily.LINUX, Phase.TRAINING): (family.linux_training, family.linux_training_route),
        (OsFamily.LINUX, Phase.INFERENCE): (family.linux_inference, family.linux_inference_route),
        (OsFamily.WINDOWS, Phase.TRAINING): (
            family.windows_training,
            family.windows_training_route,
        ),
        (OsFamily.WINDOWS, Phase.INFERENCE): (
            family.windows_inference,
            family.windows_inference_route,
        ),
        (OsFamily.MACOS, Phase.TRAINING): (family.macos_training, family.macos_training_route),
        (OsFamily.MACOS, Phase.INFERENCE): (family.macos_inference, family.macos_inference_route),
    }
    level, route = cells.get((system, phase), (None, None))
    return Support(level=level.split()[0].lower() if level else None, route=route)


def served_gpus(
    profile: MachineProfile, *, phase: Phase, families: Mapping[str, GpuFamily]
) -> frozenset[str]:
    """Return the ids of the GPUs for which some software does the job, or may: not "none"."""
    return frozenset(
        gpu.id
        for gpu in profile.graphics
        if gpu.id not in families
        or support_of(families[gpu.id], system=profile.os.family, phase=phase).level != "none"
    )


def official_gpus(
    profile: MachineProfile, *, phase: Phase, families: Mapping[str, GpuFamily]
) -> dict[str, bool]:
    """Return by the id of each recognised GPU whether software officially does the job on it."""
    system = profile.os.family
    return {
        gpu.id: support_of(families[gpu.id], system=system, phase=phase).level == "official"
        for gpu in profile.graphics
        if gpu.id in families
    }


def opencl_of(gpu: GraphicsDevice, *, profile: MachineProfile) -> OpenclDevice | None:
    """Return the OpenCL device that is this GPU, None when no driver offers it.

    Matched by kind and vendor; of several GPUs of one kind and vendor, by their order.
    """
    word = gpu_vendor(gpu)
    same = [g for g in profile.graphics if g.kind is gpu.kind and gpu_vendor(g) == word]
    offered = [
        device
        for device in profile.opencl
        if device.kind is gpu.kind
        and not device.is_bundled_driver
        and opencl_vendor(device) == word
    ]
    position = same.index(gpu)
    return offered[position] if position < len(offered) else None


def spec_of(
    gpu: GraphicsDevice, *, profile: MachineProfile, knowledge: Knowledge
) -> DeviceSpec | None:
    """Return the specification of an own GPU, by what its OpenCL driver counts, too."""
    opencl = opencl_of(gpu, profile=profile)
    units = None if opencl is None else opencl.compute_units
    return find_gpu(knowledge, gpu, cpu_brand=profile.cpu.brand, compute_units=units)


def own_gpu(option: Option, *, profile: MachineProfile) -> GraphicsDevice | None:
    """Return the GPU of the machine that an option of `choose_devices` is; None for others."""
    gpu_id = option.id.removeprefix(DEVICE_PREFIX)
    return next((gpu for gpu in profile.graphics if gpu.id == gpu_id), None)


def hints_beyond(hints: Iterable[Hint], decided: Container[str]) -> Iterator[Hint]:
    """Yield hints but those that are decided, for own GPUs by the GPU.

    Args:
        hints: of the options table.
        decided: options that are ranked or to be avoided, among them such GPUs.
    """
    for hint in hints:
        is_own = hint.option.kind is OptionKind.LOCAL_DEVICE
        told_by = f"{DEVICE_PREFIX}{hint.option.device_id}" if is_own else hint.option.id
        if told_by not in decided:
            yield hint


def choose_devices(
    profile: MachineProfile,
    *,
    workload: Workload,
    knowledge: Knowledge,
    families: Mapping[str, GpuFamily],
) -> DeviceChoice:
    """Return what each GPU of the machine comes to for a job."""
    options: list[Option] = []
    hints: list[Hint] = []
    avoid: list[AvoidedOption] = []
    rejections: list[Rejection] = []
    for gpu in profile.graphics:
        if _PICTURES_ONLY.search(gpu.name):
            continue
        option = _option_of(gpu, profile)
        pair = slower_pair(
            gpu,
            profile=profile,
            phase=workload.phase,
            knowledge=knowledge,
            precision=workload.precision,
        )
        family = families.get(gpu.id)
        refusals = _refusals(gpu, family=family, profile=profile, phase=workload.phase)
        if pair is not None:
            avoid.append(avoided_by(pair, option=option, reasons=refusals))
        if refusals:
            rejections.append(Rejection(option_id=option.id, title=option.title, reasons=refusals))
        elif pair is None and family is not None:
            support = support_of(family, system=profile.os.family, phase=workload.phase)
            if support.level == "official" or is_proven(
                gpu, support, profile=profile, phase=workload.phase, knowledge=knowledge
            ):
                options.append(option)
            elif support.level is not None:
                hints.append(_experiment(option, family, support))
    return DeviceChoice(
        options=tuple(options),
        hints=tuple(hints),
        avoid=tuple(avoid),
        rejections=tuple(rejections),
    )


def names_tensorflow(route: str | None) -> bool:
    """Whether a route of the families' table leads through TensorFlow, of whatever version."""
    return route is not None and _TENSORFLOW.search(route) is not None


def with_chip(hint: Hint, *, profile: MachineProfile, families: Mapping[str, GpuFamily]) -> Hint:
    """Return a hint with the name of the GPU's chip in its commands, where it is known."""
    gpu = next((gpu for gpu in profile.graphics if gpu.id == hint.option.device_id), None)
    family = None if gpu is None else families.get(gpu.id)
    if gpu is None or family is None:
        return hint
    target = rocm_target(family, pci_device_id=gpu.pci_device_id)
    if target is None:
        return hint
    steps = tuple(
        dataclasses.replace(step, content=step.content.replace(_CHIP, f"device-{target}"))
        for step in hint.steps
        if not step.content.startswith(_CHIP_IS_MISSING)
    )
    return dataclasses.replace(hint, steps=steps)


def _option_of(gpu: GraphicsDevice, profile: MachineProfile) -> Option:
    opencl = opencl_of(gpu, profile=profile)
    return Option(
        id=f"{DEVICE_PREFIX}{gpu.id}",
        title=f"{_LIKE.get(gpu.kind, 'device')} {gpu.name}",
        kind=OptionKind.LOCAL_DEVICE,
        # Measurements of a GPU are filed under its OpenCL device.
        device_id=gpu.id if opencl is None else opencl.id,
    )


def _refusals(
    gpu: GraphicsDevice, *, family: GpuFamily | None, profile: MachineProfile, phase: Phase
) -> tuple[Reason, ...]:
    if family is None:
        return (reason(ReasonCode.NOT_APPLICABLE, why="family of the GPU not known"),)
    support = support_of(family, system=profile.os.family, phase=phase)
    if support.level == "none":
        told = {"device": gpu.name, "phase": phase.value}
        # On a Mac what is advised for a card that only other systems serve is about these.
        is_mac = profile.os.family is OsFamily.MACOS
        if not (is_mac and _is_served_elsewhere(family, phase=phase)):
            told["advice"] = family.advice
        return (reason(ReasonCode.FRAMEWORK_DOES_NOT_RUN, **told),)
    if gpu.kernel_driver is None and profile.os.family is OsFamily.LINUX:
        return (reason(ReasonCode.NO_DRIVER, device=gpu.name, remedy=_remedy(family, profile)),)
    return ()


def _is_served_elsewhere(family: GpuFamily, *, phase: Phase) -> bool:
    levels = (support_of(family, system=system, phase=phase).level for system in OsFamily)
    return any(level not in (None, "none") for level in levels)


def _remedy(family: GpuFamily, profile: MachineProfile) -> str:
    """What the probe says about the missing driver, else the family's usual one."""
    for missing in profile.missing:
        if missing.remedy is not None and "driver" in f"{missing.fact} {missing.reason}".lower():
            return missing.remedy
    return family.opencl_linux or "install the vendor's driver"


def is_proven(
    gpu: GraphicsDevice,
    support: Support,
    *,
    profile: MachineProfile,
    phase: Phase,
    knowledge: Knowledge,
) -> bool:
    """Whether a card without official support is ranked all the same.

    It is where others timed such jobs on it, or on a card of its architecture and maker.
    """
    if support.level != "unofficial" or gpu.kind is not DeviceKind.DGPU:
        return False
    spec = find_gpu(knowledge, gpu, cpu_brand=profile.cpu.brand)
    if spec is None:
        return False
    alike = {
        other.device
        for other in knowledge.devices
        if (other.kind, other.vendor, other.architecture)
        == (spec.kind, spec.vendor, spec.architecture)
    }
    return any(row.device in alike and is_usable(row, phase) for row in knowledge.published)


def _experiment(option: Option, family: GpuFamily, support: Support) -> Hint:
    steps = [Step(kind="text", caption="Advice", content=family.advice)]
    if support.route is not None:
        steps.insert(0, Step(kind="text", caption="Unofficial way", content=support.route))
    return Hint(
        option=option,
        reasons=(reason(ReasonCode.NO_FIGURE, support="unofficial"),),
        steps=tuple(steps),
    )
