"""Times of devices must not contradict their data sheets.

Published figures are noisy: a guess from them may call a device slower than one that it surpasses
in every respect. Leaves to others: the guesses (`advisor.predict.nearby`).
"""

from collections.abc import Iterable

from advisor.predict.anchors import Device


def is_behind(one: Device, other: Device) -> bool:
    """Whether a device is nowhere ahead of another of the same vendor and kind."""
    return (
        one.vendor == other.vendor
        and one.kind is other.kind
        and one.year <= other.year
        and one.peak_flop_per_s <= other.peak_flop_per_s
        and one.bandwidth_byte_per_s <= other.bandwidth_byte_per_s
    )


def in_order(device: Device, log_s: float, *, rivals: Iterable[tuple[Device, float]]) -> float:
    """Return the logarithm of a time that no weaker and no stronger device contradicts.

    It is the middle between the least time of all weaker devices and the longest of all stronger
    ones, the device itself among both. Both ends keep the order, so the middle does.

    Args:
        device: whose time it is.
        log_s: the guess for it.
        rivals: known devices with the guesses for them.
    """
    least = most = log_s
    for rival, rival_log in rivals:
        if is_behind(rival, device):
            least = min(least, rival_log)
        if is_behind(device, rival):
            most = max(most, rival_log)
    return 0.5 * (least + most)
