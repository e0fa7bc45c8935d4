"""What the time on a GPU rests on, and what several would gain, in sentences.

Leaves to others: the time (`advisor.predict.transfer`), the forms of these sentences for
translation (`advisor.report.sentences`).
"""

from advisor.model.machine import DeviceKind
from advisor.model.published import DeviceSpec
from advisor.model.quantity import Phase, Precision
from advisor.model.workload import Workload
from advisor.predict.anchors import computed_precision
from advisor.predict.answers import Nearby
from advisor.predict.parallel import BUS_BYTE_PER_S, data_parallel_speedup


def gain_of_several(
    spec: DeviceSpec, workload: Workload, *, step_s: float, fixed_s: float
) -> tuple[str, ...]:
    """Return what training on more than one such GPU would gain; nothing for inference.

    Nothing for an integrated GPU either: no machine has two.
    """
    if workload.phase is not Phase.TRAINING or spec.kind is DeviceKind.IGPU:
        return ()
    gains = [
        data_parallel_speedup(
            step_s=step_s, fixed_s=fixed_s, parameters=workload.trainable_parameters, n_devices=n
        )
        for n in (2, 4)
    ]
    text = (
        f"On two such GPUs together a step would be about {gains[0]:.1f} times as fast, on four "
        f"{gains[1]:.1f}: gradients of {workload.trainable_parameters:,} values over a bus of "
        f"{BUS_BYTE_PER_S / 2**30:.0f} GiB/s."
    )
    return (text,)


def _origin(spec: DeviceSpec, found: Nearby | None) -> str:
    """Return in words how near the nearest published time is."""
    if found is None:
        return "a usual value: no published result is near"
    nearest = found.nearest[0].device
    if nearest.name == spec.device:
        return f"published results on {spec.device} and devices like it"
    if spec.architecture is not None and nearest.architecture == spec.architecture:
        return f"published results on other {spec.architecture} GPUs and devices like them"
    if nearest.vendor == spec.vendor:
        return f"published results on other {spec.vendor} GPUs and devices like them"
    return "published results on other GPUs"


def gpu_assumptions(
    spec: DeviceSpec,
    found: Nearby | None,
    *,
    factor: float,
    is_waiting: bool,
    share: float,
    wanted: Precision,
) -> tuple[str, ...]:
    """Return what the time on a GPU rests on, in sentences.

    Args:
        spec: the GPU.
        found: what published times say, None where there are none.
        factor: of the time over that of the data sheet's peak.
        is_waiting: whether starting kernels takes longer than computing them.
        share: of the GPU that the user has.
        wanted: number format of the job.
    """
    texts = [f"{factor:.1f} times the time of the data sheet's peak, from {_origin(spec, found)}."]
    if computed_precision(spec, wanted) is not wanted:
        texts.append(_format_sentence(spec, wanted))
    if is_waiting:
        texts.append("The network is small: starting its kernels takes longer than computing them.")
    if share < 1.0:
        texts.append(f"Only {share:g} of the GPU is yours.")
    else:
        texts.append("One GPU does the work, also where the machine has several.")
    return tuple(texts)


def _format_sentence(spec: DeviceSpec, wanted: Precision) -> str:
    if computed_precision(spec, wanted) is Precision.FLOAT32:
        return f"{spec.device} has no units for {wanted}: it computes in float32."
    return f"Taken from published times in float16: {wanted} has units of the same rate there."
