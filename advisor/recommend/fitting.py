"""What runs on this machine's memory: its processor, its GPUs, and networks that need less.

Leaves to others: how much a job needs (`advisor.recommend.circumstances`), rented machines and
cards to buy (`advisor.recommend.offers`, `advisor.recommend.purchases`).
"""

import math
from collections.abc import Iterable

from advisor.knowledge.store import Knowledge
from advisor.model.machine import DeviceKind, GraphicsDevice, MachineProfile
from advisor.model.option import DEVICE_PREFIX, Option, OptionFact, OptionKind
from advisor.model.quantity import Phase
from advisor.model.recommendation import Hint, ReasonCode, Rejection
from advisor.model.workload import Workload
from advisor.predict.transfer import USABLE_MEMORY_SHARE
from advisor.recommend.circumstances import Circumstances
from advisor.recommend.devices import spec_of
from advisor.recommend.effort import changes_network
from advisor.recommend.reasons import reason
from advisor.recommend.room import (
    FRAMEWORK_BYTES,
    fitting_batch,
    needed_bytes,
    state_bytes,
    usable_memory_bytes,
)

# Rows that compute with a trained backbone: forwards alone, so its results need not be kept.
_FROZEN = "transfer-frozen"
_FEATURES = "transfer-cached"
# predict() of Keras takes so many samples at once unless it is told otherwise.
_AT_ONCE = 32
# Of what ResNet-50 needs: MobileNetV3Large, of the networks that the row names the one whose gain
# is in the middle (both by `advisor.network.memory`, 256 images of 224 pixels).
_SMALLER_NETWORK = "smaller-model"
_SHARE_OF_SMALLER = {Phase.TRAINING: 0.43, Phase.INFERENCE: 0.66}
# Its factor is that of the pixels, which the results of layers follow, and the weights do not.
_SMALLER_IMAGES = "smaller-input"

# Peak resident memory on Linux with NumPy and nothing loaded: ONNX Runtime 1.32 45 MiB, LiteRT 2.3
# 35, ncnn 28. A session copies the weights, or packs them anew.
LIGHT_RUNTIME_BYTES = 128 * 1024**2
_LIGHT_RUNTIMES = frozenset(
    {"ort-cpu", "ort-int8", "litert-xnnpack", "ncnn-cpu-arm", "int8-arm-ncnn", "ncnn-vulkan-igpu"}
)


def fitting(
    options: Iterable[Option], *, given: Circumstances, knowledge: Knowledge
) -> tuple[tuple[Option, ...], tuple[Rejection, ...]]:
    """Return the options that run on this machine's memory, and why the others do not."""
    kept: list[Option] = []
    refused: list[Rejection] = []
    for option in options:
        rejection = _rejection(option, given=given, knowledge=knowledge)
        if rejection is None:
            kept.append(option)
        else:
            refused.append(rejection)
    return tuple(kept), tuple(refused)


def fitting_hints(
    hints: Iterable[Hint], *, given: Circumstances, knowledge: Knowledge
) -> tuple[tuple[Hint, ...], tuple[Rejection, ...]]:
    """Return hints but those about a device whose memory is too small, and why not these."""
    kept: list[Hint] = []
    refused: list[Rejection] = []
    for hint in hints:
        is_device = hint.option.kind is OptionKind.LOCAL_DEVICE
        rejection = _rejection(hint.option, given=given, knowledge=knowledge) if is_device else None
        if rejection is None:
            kept.append(hint)
        else:
            refused.append(rejection)
    return tuple(kept), tuple(refused)


def memory_of_gpu(
    gpu: GraphicsDevice, *, profile: MachineProfile, knowledge: Knowledge
) -> int | None:
    """Return the most memory that a GPU of this machine may use; None: it is unknown.

    An integrated GPU has what is reserved for it, which the system does not count as its own, and
    of the system's memory at most what is told, or all. A card has what its driver tells, or its
    specification where that is more: some systems tell of a part.
    """
    if gpu.kind is not DeviceKind.IGPU:
        spec = spec_of(gpu, profile=profile, knowledge=knowledge)
        told = (gpu.carve_out_bytes, None if spec is None else spec.memory_bytes)
        return max((size for size in told if size is not None), default=None)
    usable = usable_memory_bytes(profile)
    if usable is None:
        return None
    shared = usable if gpu.shared_limit_bytes is None else min(usable, gpu.shared_limit_bytes)
    return (gpu.carve_out_bytes or 0) + shared


def _rejection(option: Option, *, given: Circumstances, knowledge: Knowledge) -> Rejection | None:
    workload, profile = given.workload, given.profile
    gpu = _gpu_of(option, profile)
    if gpu is None:
        size = usable_memory_bytes(profile)
    else:
        size = memory_of_gpu(gpu, profile=profile, knowledge=knowledge)
    if size is None:
        return None
    on_processor = profile if gpu is None else None
    needed = needed_by(option, workload=workload, profile=on_processor)
    if gpu is not None and gpu.kind is DeviceKind.DGPU:
        # The framework itself stays in the memory of the system.
        needed -= FRAMEWORK_BYTES[workload.phase]
        if needed <= USABLE_MEMORY_SHARE * size:
            return None
    elif needed <= size:
        return None
    values = {"needed_bytes": float(needed), "available_bytes": float(size)}
    batch = None
    if not changes_network(option):
        batch = fitting_batch(workload, size_bytes=size, profile=on_processor)
    if batch is not None and batch < workload.batch_size:
        values["batch"] = float(batch)
    why = reason(ReasonCode.MEMORY_TOO_SMALL, **values)
    return Rejection(option_id=option.id, title=option.title, reasons=(why,))


def _gpu_of(option: Option, profile: MachineProfile) -> GraphicsDevice | None:
    """Return the GPU of this machine that an option runs on; None: the processor, or an NPU."""
    if option.kind is not OptionKind.LOCAL_DEVICE:
        return None
    names = {option.id.removeprefix(DEVICE_PREFIX), option.device_id}
    return next((gpu for gpu in profile.graphics if gpu.id in names), None)


def fits_light_runtime(workload: Workload, *, size_bytes: int) -> bool:
    """Return whether an inference fits a memory with a runtime that is little more than kernels."""
    needed = workload.memory_bytes + LIGHT_RUNTIME_BYTES
    return workload.phase is Phase.INFERENCE and needed <= size_bytes


def needed_by(option: Option, *, workload: Workload, profile: MachineProfile | None = None) -> int:
    """Return the memory that a job takes as an option computes it, with its framework.

    Of another network that nothing is known of, the least: that of the framework. `profile`: of
    the machine whose processor runs it, None on another device.
    """
    if changes_network(option):
        return _needed_by_change(option, workload)
    needed = needed_bytes(workload, profile=profile)
    if workload.phase is Phase.INFERENCE and option.id in _LIGHT_RUNTIMES:
        needed += LIGHT_RUNTIME_BYTES - FRAMEWORK_BYTES[workload.phase]
    return needed


def _needed_by_change(option: Option, workload: Workload) -> int:
    framework = FRAMEWORK_BYTES[workload.phase]
    if option.id == _FROZEN:
        return framework + workload.memory_inference_bytes
    if option.id == _FEATURES:
        return framework + _of_batches(workload, min(_AT_ONCE, workload.batch_size))
    if option.id == _SMALLER_NETWORK:
        return framework + int(_SHARE_OF_SMALLER[workload.phase] * workload.memory_bytes)
    if option.id == _SMALLER_IMAGES and option.fact is not None:
        states = min(state_bytes(workload), workload.memory_bytes)
        return framework + states + int((workload.memory_bytes - states) / _factor(option.fact))
    return framework


def _of_batches(workload: Workload, batch_size: int) -> int:
    """Return the memory of forward passes in other batches."""
    weights = workload.parameters * workload.precision.size_bytes
    results = max(0, workload.memory_inference_bytes - weights)
    return weights + int(results * batch_size / workload.batch_size)


def _factor(fact: OptionFact) -> float:
    """Return the middle of what an option gains, the geometric one; 1.0 where nothing is known."""
    known = [effect for effect in (fact.effect_low, fact.effect_high) if effect]
    return math.prod(known) ** (1.0 / len(known)) if known else 1.0
