"""Graphics cards worth thinking about buying: current, supported, and not one of each.

Prices of shops are not in the data. Where a launch price is known it is used and labelled as
such; where it is not, the card still has a time, and the price at which it would pay.
Leaves to others: times (`advisor.predict`), break-even (`advisor.recommend.break_even`).
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from advisor.knowledge.graphics import find_gpu_family
from advisor.knowledge.store import Knowledge
from advisor.model.machine import Chassis, DeviceKind, MachineProfile, OsFamily
from advisor.model.option import Option, OptionKind
from advisor.model.published import DeviceSpec
from advisor.model.quantity import Phase
from advisor.model.recommendation import Preferences, Reason, ReasonCode, Rejection
from advisor.model.workload import Workload
from advisor.recommend.circumstances import is_x86, tensorflow_runs
from advisor.recommend.devices import support_of
from advisor.recommend.frameworks import runs_now_on
from advisor.recommend.reasons import reason
from advisor.recommend.room import needed_bytes

# Cards older than this are used ones, whose state and price nobody knows.
FIRST_YEAR = 2020
# A shop's choice: for each vendor its smallest, a middle and its largest card of the newest year.
PER_VENDOR = 3
# What a person can buy and put into a desktop; boards of data centres and of laptops are not.
_FOR_DESKTOPS = re.compile(r"GeForce RTX|Radeon RX|Intel Arc [AB]\d")
_NOT_FOR_DESKTOPS = re.compile(r"Mobile|Laptop|\d{3}M\b|Max-Q")

# A desktop's own Windows under Linux: a card of the desktop works there.
_LETS_CARDS_IN = frozenset({"wsl"})
_NO_BUILD = "Keras on TensorFlow, which the work is written in, has no official build for them"
# So is such a card of this machine ranked: through PyTorch.
_ONLY_PYTORCH = (
    "TensorFlow, which the work is in, has no official build for them; with PyTorch in its place "
    "(KERAS_BACKEND=torch) they run it, and one that is in the machine is ranked so"
)

# Where TensorFlow has no build for the machine that a card would go into.
_NOT_PYTORCH = "PyTorch, which the work would be in on this machine, has no official build for them"


def choose_purchases(
    *,
    profile: MachineProfile,
    workload: Workload,
    preferences: Preferences,
    knowledge: Knowledge,
) -> tuple[tuple[Option, ...], tuple[Rejection, ...]]:
    """Return a short list of cards to buy, and the refusal when buying is not wanted."""
    if not preferences.allows_buying:
        refusal = Rejection(
            option_id="buy", title="Buying", reasons=(reason(ReasonCode.BUYING_NOT_ALLOWED),)
        )
        return (), (refusal,)
    no_card = why_no_card(profile, preferences)
    if no_card is not None:
        return (), (Rejection(option_id="buy", title="Cards for desktops", reasons=(no_card,)),)
    large_enough = [
        spec for spec in knowledge.devices if is_purchasable(spec) and _has_memory(spec, workload)
    ]
    system = profile.os.family
    in_pytorch = workload.phase is Phase.TRAINING and _is_for_pytorch(profile, preferences)
    runs = {
        spec.device: runs_now_on(
            spec.device, system=system, phase=workload.phase, knowledge=knowledge
        )
        for spec in large_enough
    }
    if in_pytorch:
        for spec in large_enough:
            if runs[spec.device] is not None:
                runs[spec.device] = _has_pytorch(spec, system=system, knowledge=knowledge)
    chosen = shortlist(spec for spec in large_enough if runs[spec.device])
    refused = [spec for spec in large_enough if runs[spec.device] is False]
    why = _NOT_PYTORCH if in_pytorch else None
    rejections = _refusals(
        refused, all_of=large_enough, system=system, knowledge=knowledge, why=why
    )
    return tuple(_buy_option(spec) for spec in chosen), rejections


def _is_for_pytorch(profile: MachineProfile, preferences: Preferences) -> bool:
    """Whether a card goes into a machine on which the work is in PyTorch: TensorFlow has no build.

    Whoever says how much they compute asks for another machine.
    """
    return preferences.use_h_per_week is None and tensorflow_runs(profile) is False


def why_no_card(profile: MachineProfile, preferences: Preferences) -> Reason | None:
    """Return why this is no machine that takes a card; None where it may be.

    Whoever says how much they compute asks for another machine, whatever this one is.
    """
    if preferences.use_h_per_week is not None:
        return None
    if profile.power.has_battery:
        why = (
            "this machine has a battery, and a card needs a desktop: say how many hours a week you "
            "compute to have it compared"
        )
        return reason(ReasonCode.NOT_APPLICABLE, why=why)
    if profile.os.hypervisor and profile.os.hypervisor not in _LETS_CARDS_IN:
        why = (
            "this is a virtual machine, and a card needs a desktop: say how many hours a week you "
            "compute to have it compared"
        )
        return reason(ReasonCode.NOT_APPLICABLE, why=why)
    if profile.chassis in (Chassis.COMPACT, Chassis.PORTABLE):
        why = (
            "the case of this machine has no room for a card: say how many hours a week you "
            "compute to have it compared"
        )
        return reason(ReasonCode.NOT_APPLICABLE, why=why)
    if not is_x86(profile):
        why = (
            "a card needs a desktop with an x86 processor of 64 bits: say how many hours a week "
            "you compute to have it compared"
        )
        return reason(ReasonCode.NOT_APPLICABLE, why=why)
    return None


def _refusals(
    refused: Sequence[DeviceSpec],
    *,
    all_of: Iterable[DeviceSpec],
    system: OsFamily,
    knowledge: Knowledge,
    why: str | None,
) -> tuple[Rejection, ...]:
    """Return one line for the generations of a vendor that are refused alike.

    A vendor whose cards are all refused alike is named without them. `why`: the same for all; None:
    what each card lacks.
    """
    alike: dict[tuple[str, str], list[DeviceSpec]] = {}
    for spec in refused:
        is_torch = _has_pytorch(spec, system=system, knowledge=knowledge)
        own = why or (_ONLY_PYTORCH if is_torch else _NO_BUILD)
        alike.setdefault((spec.vendor, own), []).append(spec)
    counts = Counter(spec.vendor for spec in all_of)
    found = []
    for (vendor, told), specs in sorted(alike.items()):
        name = vendor
        if len(specs) < counts[vendor]:
            generations = sorted({spec.architecture or spec.device for spec in specs})
            name = f"{vendor} ({', '.join(generations)})"
        found.append(
            Rejection(
                option_id=f"buy:{name}",
                title=f"Cards of {name}",
                reasons=(reason(ReasonCode.NOT_APPLICABLE, why=told),),
            )
        )
    return tuple(found)


def _has_pytorch(spec: DeviceSpec, *, system: OsFamily, knowledge: Knowledge) -> bool:
    """Return whether a card that is refused for TensorFlow's sake officially trains in PyTorch."""
    family = find_gpu_family(knowledge, pci_vendor_id=None, pci_device_id=None, name=spec.device)
    if family is None:
        return False
    support = support_of(family, system=system, phase=Phase.TRAINING)
    return support.level == "official" and "torch" in (support.route or "").lower()


def is_purchasable(spec: DeviceSpec) -> bool:
    """Return whether a device is a card for desktops of recent years with known speed."""
    return (
        spec.kind is DeviceKind.DGPU
        and (spec.year or 0) >= FIRST_YEAR
        and bool(spec.peak_fp32_flop_per_s)
        and _FOR_DESKTOPS.search(spec.device) is not None
        and _NOT_FOR_DESKTOPS.search(spec.device) is None
    )


def shortlist(specs: Iterable[DeviceSpec]) -> tuple[DeviceSpec, ...]:
    """Return all cards with a price that nothing cheaper outruns, and a few without, per vendor.

    Those without are of its newest year, where that is newer than any card of it with a price.
    """
    ordered = sorted(specs, key=lambda spec: (spec.vendor, _peak(spec), spec.device))
    priced = sorted(
        (spec for spec in ordered if spec.launch_price_usd is not None),
        key=lambda spec: (spec.launch_price_usd or 0.0, -_peak(spec)),
    )
    chosen: list[DeviceSpec] = []
    fastest = 0.0
    for spec in priced:
        if _peak(spec) > fastest:
            chosen.append(spec)
            fastest = _peak(spec)
    for vendor in sorted({spec.vendor for spec in ordered}):
        unpriced = [
            spec for spec in ordered if spec.vendor == vendor and spec.launch_price_usd is None
        ]
        newest = max((spec.year or 0 for spec in unpriced), default=0)
        known = max((spec.year or 0 for spec in priced if spec.vendor == vendor), default=0)
        current = [spec for spec in unpriced if spec.year == newest > known]
        if current:
            places = sorted({0, len(current) // 2, len(current) - 1})[:PER_VENDOR]
            chosen += [current[place] for place in places]
    return tuple(chosen)


def _peak(spec: DeviceSpec) -> float:
    return spec.peak_fp32_flop_per_s or 0.0


def _has_memory(spec: DeviceSpec, workload: Workload) -> bool:
    return spec.memory_bytes is None or needed_bytes(workload) <= spec.memory_bytes


def _buy_option(spec: DeviceSpec) -> Option:
    return Option(id=f"buy:{spec.device}", title=spec.device, kind=OptionKind.BUY, purchase=spec)
