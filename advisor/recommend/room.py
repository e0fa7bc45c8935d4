"""Whether a job has room in a memory: what it takes with its framework, and what there is.

Leaves to others: how much the tensors take (`advisor.network.memory`), what does not fit
(`advisor.recommend.fitting`).
"""

from advisor.model.instructions import has_onednn_by_default
from advisor.model.machine import MachineProfile
from advisor.model.quantity import Phase, Precision
from advisor.model.workload import Workload

_MIB = 1024**2

# Memory besides the tensors of a job: the interpreter, the framework, and what it sets up. Measured
# with Keras 3.15 and TensorFlow 2.21 on Linux (peak resident memory): 489 MiB for the import,
# 507 with predict() of a tiny network, 511 with a step of its training. Less the tensors of
# `advisor.network.memory` it was 539 (MobileNetV2) and 567 MiB (ResNet-50) in inference, 545 in
# training ResNet-50; a training also holds its data set, or what is prefetched of it.
FRAMEWORK_BYTES = {Phase.TRAINING: 1024 * _MIB, Phase.INFERENCE: 576 * _MIB}
# Of the memory that a batch could take: sizes of tensors are not all that a framework takes.
_MARGIN = 0.9


def usable_memory_bytes(profile: MachineProfile) -> int | None:
    """Return the memory that a process may use in all, None when it is unknown."""
    known = [
        size
        for size in (profile.memory.total_bytes, profile.memory.limit_bytes)
        if size is not None
    ]
    return min(known) if known else None


def needed_bytes(workload: Workload, *, profile: MachineProfile | None = None) -> int:
    """Return the memory that a workload takes with its framework.

    Args:
        workload: the job.
        profile: of the machine whose processor runs it; None: another device, or a rented machine,
            whose processors have oneDNN.
    """
    laid_out = 0 if profile is None else laid_out_here(workload, profile)
    return workload.memory_bytes + FRAMEWORK_BYTES[workload.phase] + laid_out


def laid_out_here(workload: Workload, profile: MachineProfile) -> int:
    """Return what the windows of convolutions take on a machine's processor: 0 with oneDNN."""
    if workload.phase is Phase.INFERENCE or has_onednn_by_default(profile):
        return 0
    return workload.laid_out_bytes


def fits_here(workload: Workload, profile: MachineProfile) -> bool | None:
    """Return whether the processor of a machine has the memory for a job; None: it is unknown."""
    return memory_fits(workload, size_bytes=usable_memory_bytes(profile), profile=profile)


def memory_fits(
    workload: Workload, *, size_bytes: int | None, profile: MachineProfile | None = None
) -> bool | None:
    """Return whether a workload and its framework fit a memory; None when that is unknown.

    `profile` as for `needed_bytes`.
    """
    if size_bytes is None:
        return None
    return needed_bytes(workload, profile=profile) <= size_bytes


def state_bytes(workload: Workload) -> int:
    """Return the memory that a workload takes with any batch: weights, gradients and slots."""
    copies = 4 if workload.phase is Phase.TRAINING else 1
    return copies * workload.parameters * Precision.FLOAT32.size_bytes


def fitting_batch(
    workload: Workload, *, size_bytes: int, profile: MachineProfile | None = None
) -> int | None:
    """Return a batch with which a workload and its framework fit a memory; None: not one sample.

    What goes with the batch is what is left of its memory without weights, gradients and slots.
    The windows of a convolution do not: one image decides them as a rule. `profile` as for
    `needed_bytes`.
    """
    of_samples = workload.memory_bytes - state_bytes(workload)
    of_sample = of_samples / workload.batch_size
    left = _MARGIN * (size_bytes - needed_bytes(workload, profile=profile) + of_samples)
    if of_sample <= 0.0 or left < of_sample:
        return None
    return min(workload.batch_size, int(left / of_sample))
