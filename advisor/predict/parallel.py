"""What several devices that share a batch gain, and what their gradients cost on the bus.

Leaves to others: the step on one device (`advisor.predict.transfer`).
"""

from advisor.model.quantity import Precision

# PCI Express as GPUs of one machine share it (3.0, measured in the founding study).
BUS_BYTE_PER_S = 8 * 2.0**30


def gradient_exchange_s(*, parameters: int, n_devices: int, byte_per_s: float) -> float:
    """Return seconds to bring the float32 gradients of all devices over one shared bus."""
    return parameters * Precision.FLOAT32.size_bytes * n_devices / byte_per_s


def data_parallel_speedup(
    *,
    step_s: float,
    fixed_s: float = 0.0,
    parameters: int,
    n_devices: int,
    byte_per_s: float = BUS_BYTE_PER_S,
    bits_per_value: int = 32,
) -> float:
    """Return how many times as fast a step is on several devices that share its batch.

    They compute at once and then exchange gradients; nothing is overlapped, so this is the least.

    Args:
        step_s: seconds of the step on one device.
        fixed_s: part of it that a smaller share of the batch does not shorten.
        parameters: values whose gradients are exchanged.
        n_devices: devices, at least 1.
        byte_per_s: rate of the bus that all of them share.
        bits_per_value: 32, or fewer where gradients are compressed (1 with 1-bit SGD).
    """
    if n_devices <= 1:
        return 1.0
    whole_s = gradient_exchange_s(parameters=parameters, n_devices=n_devices, byte_per_s=byte_per_s)
    exchange_s = whole_s * bits_per_value / (8 * Precision.FLOAT32.size_bytes)
    return step_s / (fixed_s + (step_s - fixed_s) / n_devices + exchange_s)
