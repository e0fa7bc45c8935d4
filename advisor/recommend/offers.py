"""Rented machines worth predicting: hard filters over all offers, then those that nothing beats.

Thousands of offers differ in region and price only: filters look at each machine once. Of each
machine the cheapest region counts; of each speed the cheapest machines. Speed is judged here by
the data sheet, roughly and only to leave out what is both slower and dearer; times come later.
Leaves to others: times (`advisor.predict`), money (`advisor.recommend.cost`).
"""

import functools
import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from advisor.knowledge.catalog import MachineType, machine_type
from advisor.knowledge.cloud import CloudIndex, is_burstable
from advisor.knowledge.regions import is_in_regions
from advisor.model.offer import CpuPlatform, Offer
from advisor.model.option import Option, OptionKind
from advisor.model.quantity import Precision
from advisor.model.recommendation import Preferences, Reason, ReasonCode, Rejection
from advisor.model.workload import Workload
from advisor.predict.anchors import peak_flop_per_s
from advisor.recommend.frameworks import runs_when_rented
from advisor.recommend.reasons import reason
from advisor.recommend.room import memory_fits, needed_bytes

# Machines whose data sheets differ by less are of one speed class.
SPEED_CLASS_FACTOR = 1.3
# Vendors whose machines are started by commands that we print, with regions and quotas; small
# GPU clouds are often cheaper, and compared apart so that neither hides the other.
LARGE_VENDORS = frozenset({"aws", "azure", "gcp"})
# What stands for the region where a vendor has none.
ANY_REGION = "any"

# Types made for memory have up to 32 GiB for a vCPU, most others 8 at most.
_MOST_BYTES_OF_VCPU = 32 * 1024**3
_ARM = ("arm64", "aarch64")
# Float32 flop per cycle and core by instruction set, for putting machines in order only.
_WIDTHS = (("avx512f", 64.0), ("avx2", 32.0), ("avx", 16.0), ("sve", 32.0), ("asimd", 16.0))
_USUAL_GHZ = 2.8


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferChoice:
    """Options to predict, why others were left out, and how many prices were looked at."""

    options: tuple[Option, ...]
    rejections: tuple[Rejection, ...]
    n_considered: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Machine:
    """An offer in one form of renting, with its rough speed (arbitrary unit, higher is faster)."""

    offer: Offer
    is_spot: bool
    usd_per_hour: float
    speed: float


@dataclass(slots=True)
class _Look:
    """What was seen so far: how many offers were refused why, and the cheapest of the others."""

    refused: Counter[ReasonCode]
    cheapest: dict[tuple[object, ...], _Machine]
    n_considered: int = 0

    def at(self, here: MachineType, *, workload: Workload, index: CloudIndex, today: str) -> None:
        """Add a machine."""
        if here.n_unpriced:
            self.refused[ReasonCode.PRICE_UNKNOWN] += here.n_unpriced
        code = _machine_refusal(here.sample, workload=workload, index=index, today=today)
        if code is not None:
            self.refused[code] += len(here.offers) - here.n_unpriced
            return
        self.n_considered += here.n_prices
        for machine in _forms(here, index):
            key = (*_type_key(machine.offer), machine.is_spot)
            best = self.cheapest.get(key)
            if best is None or _price_order(machine) < _price_order(best):
                self.cheapest[key] = machine


def choose_offers(
    machines: Iterable[MachineType],
    *,
    workload: Workload,
    preferences: Preferences,
    index: CloudIndex,
    today: str,
) -> OfferChoice:
    """Return the rented machines worth predicting, on demand and spot apart.

    Args:
        machines: all that are known, each with its offers.
        workload: decides the memory needed.
        preferences: region and whether renting is allowed at all.
        index: of the cloud tables.
        today: ISO date, for retirements.
    """
    if not preferences.allows_cloud:
        refusal = Rejection(
            option_id="cloud",
            title="Rented machines",
            reasons=(reason(ReasonCode.CLOUD_NOT_ALLOWED),),
        )
        return OfferChoice(options=(), rejections=(refusal,), n_considered=0)
    look = _Look(refused=Counter(), cheapest={})
    # There are a hundred regions and many thousand offers.
    is_wanted = functools.cache(functools.partial(is_in_regions, wanted=preferences.regions))
    for known in machines:
        here: MachineType | None = known
        if preferences.regions:
            here = _in_regions(known, is_wanted)
            look.refused[ReasonCode.REGION_NOT_CHOSEN] += len(known.offers) - _n_offers(here)
        if here is not None:
            look.at(here, workload=workload, index=index, today=today)
    groups: dict[tuple[bool, bool, bool], list[_Machine]] = {}
    for machine in look.cheapest.values():
        groups.setdefault(_group_key(machine), []).append(machine)
    kept = [machine for key in sorted(groups) for machine in _front(groups[key])]
    return OfferChoice(
        options=tuple(cloud_option(machine.offer, is_spot=machine.is_spot) for machine in kept),
        rejections=_rejections(look.refused),
        n_considered=look.n_considered,
    )


def cloud_option(offer: Offer, *, is_spot: bool) -> Option:
    """Return the option of renting an offer on demand, or interruptible."""
    form = "spot" if is_spot else "on-demand"
    return Option(
        id=f"cloud:{offer.vendor}:{offer.instance_type}:{offer.region}:{form}",
        title=", ".join([_machine_name(offer), *_place(offer), form]),
        kind=OptionKind.CLOUD,
        offer=offer,
        is_spot=is_spot,
    )


def _machine_name(offer: Offer) -> str:
    """Return vendor, type and GPU; the GPU once where the type is named after it."""
    name = f"{offer.vendor} {offer.called}"
    if offer.accelerator is None or offer.accelerator in offer.instance_type:
        return name
    return f"{name} ({offer.accelerator})"


def _place(offer: Offer) -> list[str]:
    return [] if offer.region == ANY_REGION else [offer.region]


def _in_regions(known: MachineType, is_wanted: Callable[[str], bool]) -> MachineType | None:
    """Return a machine with its offers in the user's regions only; None when there are none."""
    offers = [offer for offer in known.offers if is_wanted(offer.region)]
    return machine_type(offers) if offers else None


def _n_offers(machine: MachineType | None) -> int:
    return 0 if machine is None else len(machine.offers)


def refusal_of(
    offer: Offer,
    *,
    workload: Workload,
    preferences: Preferences,
    index: CloudIndex,
    today: str,
) -> ReasonCode | None:
    """Return why an offer is out of the question, None when it is not."""
    if not is_in_regions(offer.region, wanted=preferences.regions):
        return ReasonCode.REGION_NOT_CHOSEN
    if offer.usd_per_hour is None and offer.spot_usd_per_hour is None:
        return ReasonCode.PRICE_UNKNOWN
    return _machine_refusal(offer, workload=workload, index=index, today=today)


def _machine_refusal(
    offer: Offer, *, workload: Workload, index: CloudIndex, today: str
) -> ReasonCode | None:
    """Return why a machine is out of the question wherever it stands and whatever it costs."""
    if memory_fits(workload, size_bytes=_most_memory_bytes(offer)) is False:
        return ReasonCode.MEMORY_TOO_SMALL
    if is_burstable(offer):
        return ReasonCode.BURSTABLE
    if offer.accelerator is None:
        if not offer.vcpus:
            return ReasonCode.TIME_UNKNOWN
    else:
        code = _accelerator_refusal(offer, workload, index)
        if code is not None:
            return code
    return ReasonCode.RETIRED if index.is_retired(offer, today=today) else None


def _most_memory_bytes(offer: Offer) -> int | None:
    """Return the memory of an offer; where it is not stated, the most that its vCPUs come with."""
    if offer.memory_bytes is not None or not offer.vcpus:
        return offer.memory_bytes
    return int(offer.vcpus * _MOST_BYTES_OF_VCPU)


def _accelerator_refusal(offer: Offer, workload: Workload, index: CloudIndex) -> ReasonCode | None:
    device = index.accelerator_device(offer)
    if device is None or not device.peak_fp32_flop_per_s:
        return ReasonCode.TIME_UNKNOWN
    if offer.architecture in _ARM or device.vendor.upper() != "NVIDIA":
        # Keras' default backend has a GPU wheel for NVIDIA beside x86 alone.
        return ReasonCode.FRAMEWORK_DOES_NOT_RUN
    if not runs_when_rented(index.families.get(device.device)):
        return ReasonCode.FRAMEWORK_DOES_NOT_RUN
    memory = offer.accelerator_memory_bytes or device.memory_bytes
    if memory is not None and needed_bytes(workload) > memory:
        return ReasonCode.MEMORY_TOO_SMALL
    return None


def _type_key(offer: Offer) -> tuple[object, ...]:
    return (
        offer.vendor,
        offer.instance_type,
        offer.accelerator,
        offer.n_accelerators,
        offer.accelerator_memory_bytes,
    )


def _group_key(machine: _Machine) -> tuple[bool, bool, bool]:
    """Machines that compete: of one form, one kind, and vendors of like size."""
    offer = machine.offer
    return machine.is_spot, offer.accelerator is not None, offer.vendor not in LARGE_VENDORS


def _price_order(machine: _Machine) -> tuple[float, str]:
    return machine.usd_per_hour, machine.offer.region


def _forms(machine: MachineType, index: CloudIndex) -> list[_Machine]:
    """Return the cheapest offer of a machine on demand, and the cheapest interruptible one."""
    offer = machine.sample
    speed = _gpu_speed(offer, index) if offer.accelerator else _cpu_speed(offer, index)
    forms = []
    if machine.on_demand is not None and machine.on_demand.usd_per_hour is not None:
        usd = machine.on_demand.usd_per_hour
        forms.append(
            _Machine(offer=machine.on_demand, is_spot=False, usd_per_hour=usd, speed=speed)
        )
    if machine.spot is not None and machine.spot.spot_usd_per_hour is not None:
        usd = machine.spot.spot_usd_per_hour
        forms.append(_Machine(offer=machine.spot, is_spot=True, usd_per_hour=usd, speed=speed))
    return forms


def _gpu_speed(offer: Offer, index: CloudIndex) -> float:
    device = index.accelerator_device(offer)
    peak = None if device is None else peak_flop_per_s(device, Precision.FLOAT32)
    # One GPU does the work, however many the machine has; a share of one is slower.
    return (peak or 0.0) * min(1.0, offer.n_accelerators or 1.0)


def _cpu_speed(offer: Offer, index: CloudIndex) -> float:
    platform = index.platform_of(offer)
    vcpus = offer.vcpus or 0.0
    if platform is None:
        per_core = 1.0 if offer.architecture in _ARM else 2.0
        return vcpus / per_core * _USUAL_GHZ * 16.0
    cores = vcpus / (platform.vcpus_per_core or 2)
    return cores * (index.clock_ghz(platform) or _USUAL_GHZ) * _width(platform)


def _width(platform: CpuPlatform) -> float:
    for flag, width in _WIDTHS:
        if flag in platform.isa_features:
            return width
    return 8.0


def _front(machines: Iterable[_Machine]) -> list[_Machine]:
    """Return the cheapest machine of each speed class that no faster class undercuts.

    Beside it stands the cheapest of another vendor, as a choice.
    """
    classes: dict[int, list[_Machine]] = {}
    for machine in machines:
        classes.setdefault(_speed_class(machine.speed), []).append(machine)
    kept: list[_Machine] = []
    least_usd = float("inf")
    for level in sorted(classes, reverse=True):
        members = sorted(
            classes[level], key=lambda m: (m.usd_per_hour, m.offer.vendor, m.offer.instance_type)
        )
        first = members[0]
        if first.usd_per_hour >= least_usd:
            continue
        least_usd = first.usd_per_hour
        kept.append(first)
        kept += [m for m in members if m.offer.vendor != first.offer.vendor][:1]
    return kept


def _speed_class(speed: float) -> int:
    return 0 if speed <= 0.0 else round(math.log(speed) / math.log(SPEED_CLASS_FACTOR))


_WHY: dict[ReasonCode, str] = {
    ReasonCode.REGION_NOT_CHOSEN: "Offers in other regions",
    ReasonCode.PRICE_UNKNOWN: "Offers without a price",
    ReasonCode.MEMORY_TOO_SMALL: "Offers with too little memory",
    ReasonCode.BURSTABLE: "Offers that are fast only for a while",
    ReasonCode.TIME_UNKNOWN: "Offers whose processor or accelerator is not known",
    ReasonCode.FRAMEWORK_DOES_NOT_RUN: "Offers on whose accelerator the framework does not run",
    ReasonCode.RETIRED: "Offers of retired series",
}


def _rejections(refused: Counter[ReasonCode]) -> tuple[Rejection, ...]:
    """Return one line for each reason, not one for each of thousands of offers."""
    return tuple(
        Rejection(
            option_id=f"cloud:{code.value}",
            title=title,
            reasons=(_counted(code, refused[code]),),
        )
        for code, title in _WHY.items()
        if refused[code]
    )


def _counted(code: ReasonCode, count: int) -> Reason:
    return reason(code, n_offers=float(count))
