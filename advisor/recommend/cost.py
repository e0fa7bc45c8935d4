"""Money for a job under an option: time x price with the vendor's rounding, and what comes on top.

A part is an interval because the time is one. The price of an hour, or of a device, is needed:
without it there is no total. Prices of disk and traffic are small; where a vendor's are unknown
they are taken from the range of the others, and said so in `missing`.
Leaves to others: times (`advisor.predict`), how money counts (`advisor.recommend.rank`).
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from advisor.knowledge.cloud import HOURS_PER_MONTH, CloudIndex, cloud_index
from advisor.knowledge.lookup import find_device
from advisor.knowledge.store import Knowledge
from advisor.model.machine import DeviceKind, MachineProfile
from advisor.model.offer import BillingRule, Offer
from advisor.model.option import Option, OptionKind
from advisor.model.prediction import Cost, CostPart, Prediction
from advisor.model.quantity import Interval, Source
from advisor.model.recommendation import Preferences
from advisor.model.workload import Workload
from advisor.recommend.cloud_steps import DISK_GIB
from advisor.recommend.effort import CLOUD_SETUP_S
from advisor.recommend.preferences import age_days
from advisor.recommend.spot import redone_s

# A processor whose power nobody states: a desktop's usual limit.
DEFAULT_CPU_W = 65.0
# Board, memory, disk and losses of the power supply beside a graphics card.
REST_OF_MACHINE_W = 60.0
# The power drawn lies between half the limit and half more (the rest of the machine).
_POWER_RANGE = (0.5, 1.0, 1.5)
# The stored network: weights, and as much again for the optimiser's state.
_SAVED_BYTES_PER_PARAMETER = 8
_GIB = 1024**3
# Rounding to whole seconds is not worth a line.
_MOMENT_S = 1.0
_HOUR_S = 3600.0
_ZERO = Interval(low=0.0, mid=0.0, high=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    """A price beside the hour: a part, or the name of what is unknown, or both."""

    part: CostPart | None = None
    missing: str | None = None


def price(
    option: Option,
    prediction: Prediction,
    *,
    workload: Workload,
    preferences: Preferences,
    knowledge: Knowledge,
    today: str,
    profile: MachineProfile | None = None,
    index: CloudIndex | None = None,
) -> Cost:
    """Return what a job costs under an option.

    Args:
        option: what is chosen.
        prediction: its time.
        workload: the job; decides the size of what is downloaded at the end.
        preferences: `electricity_usd_per_kwh`; None: electricity is not counted, and said so.
        knowledge: specifications and, where `index` is None, the price tables.
        today: ISO date, for the age of prices.
        profile: this machine, for the power it draws; None takes a usual one.
        index: of the price tables, when many options are priced.
    """
    if option.kind is OptionKind.CLOUD:
        tables = index if index is not None else cloud_index(knowledge)
        return _cloud_cost(option, prediction, workload=workload, index=tables, today=today)
    if option.kind is OptionKind.FREE_TIER:
        return Cost(total_usd=_ZERO, parts=(), missing=())
    watt = power_w(option, profile=profile, knowledge=knowledge)
    electricity = _electricity(prediction, watt=watt, preferences=preferences)
    if option.kind is OptionKind.BUY:
        return _purchase_cost(option, electricity)
    return _added(
        parts=[] if electricity.part is None else [electricity.part],
        missing=[] if electricity.missing is None else [electricity.missing],
    )


def _added(
    *,
    parts: Sequence[CostPart],
    missing: Sequence[str],
    price_date: str | None = None,
    sources: tuple[Source, ...] = (),
) -> Cost:
    total = Interval(
        low=sum(part.usd.low for part in parts),
        mid=sum(part.usd.mid for part in parts),
        high=sum(part.usd.high for part in parts),
    )
    return Cost(
        total_usd=total,
        parts=tuple(parts),
        missing=tuple(missing),
        price_date=price_date,
        sources=sources,
    )


# --- rented -------------------------------------------------------------------------------------


def hourly_usd(option: Option) -> float | None:
    """Return the price of an hour of a CLOUD option in its form, None when it is unknown."""
    if option.offer is None:
        return None
    return option.offer.spot_usd_per_hour if option.is_spot else option.offer.usd_per_hour


def billed_s(seconds: float, *, rule: BillingRule | None) -> float:
    """Return the seconds that a vendor bills: rounded up, at least its minimum.

    Without a rule, or with an unknown increment, no rounding is added.
    """
    if rule is None:
        return seconds
    billed = seconds
    if rule.increment_s:
        billed = math.ceil(seconds / rule.increment_s - 1e-9) * rule.increment_s
    return max(billed, rule.minimum_s or 0.0)


def _cloud_cost(
    option: Option, prediction: Prediction, *, workload: Workload, index: CloudIndex, today: str
) -> Cost:
    usd_per_hour = hourly_usd(option)
    offer = option.offer
    if offer is None or usd_per_hour is None:
        return Cost(total_usd=None, parts=(), missing=("price of an hour",))
    redone = redone_s(option, prediction, band=index.spot_band(offer))
    observed_on = offer.observed_on
    source = offer.source
    if option.is_spot:
        observed_on = offer.spot_observed_on or observed_on
        source = offer.spot_source or source
    parts = _hour_parts(
        prediction,
        redone,
        usd_per_hour=usd_per_hour,
        rule=index.billing_rule(offer.vendor),
        dated=_dated(observed_on, today),
    )
    hours = prediction.total_s.shifted(CLOUD_SETUP_S).scaled(1.0 / _HOUR_S)
    missing = []
    for side in (_disk(offer, hours, index), _egress(offer, workload, index)):
        if side.part is not None:
            parts.append(side.part)
        if side.missing is not None:
            missing.append(side.missing)
    form = "spot" if option.is_spot else "on demand"
    title = f"{offer.vendor} {offer.instance_type} in {offer.region}, {form}"
    return _added(
        parts=parts,
        missing=missing,
        price_date=observed_on,
        sources=(Source(title=title, reference=source, date=observed_on),),
    )


def _dated(observed_on: str, today: str) -> str:
    days = age_days(observed_on, today=today)
    return f"price of {observed_on}" if days is None else f"price of {observed_on}, {days} days old"


def _hour_parts(
    prediction: Prediction,
    redone: Interval,
    *,
    usd_per_hour: float,
    rule: BillingRule | None,
    dated: str,
) -> list[CostPart]:
    """Return computing, set-up and redone work, rounded as the vendor does.

    Where rounding takes more than a moment, computing holds what it and redone work add.
    """
    usd_per_s = usd_per_hour / _HOUR_S
    total = prediction.total_s
    setup = CostPart(
        code="setup",
        usd=_exactly(CLOUD_SETUP_S * usd_per_s),
        explanation=f"{CLOUD_SETUP_S / 60.0:.0f} min to start, install and copy (assumed)",
    )
    words = f"{total.mid / _HOUR_S:.2f} h x {usd_per_hour:g} USD/h, {dated}"
    raw = Interval(
        low=total.low + redone.low, mid=total.mid + redone.mid, high=total.high + redone.high
    )
    billed = Interval(
        low=billed_s(raw.low + CLOUD_SETUP_S, rule=rule) - CLOUD_SETUP_S,
        mid=billed_s(raw.mid + CLOUD_SETUP_S, rule=rule) - CLOUD_SETUP_S,
        high=billed_s(raw.high + CLOUD_SETUP_S, rule=rule) - CLOUD_SETUP_S,
    )
    if billed.mid - raw.mid > _MOMENT_S or billed.high - raw.high > _MOMENT_S:
        explanation = f"{words}; billed in whole periods or for a least time"
        return [
            CostPart(code="compute", usd=billed.scaled(usd_per_s), explanation=explanation),
            setup,
        ]
    parts = [CostPart(code="compute", usd=total.scaled(usd_per_s), explanation=words), setup]
    if redone.high > 0.0:
        explanation = "expected work lost to interruptions, saved after each epoch"
        usd = redone.scaled(usd_per_s)
        parts.append(CostPart(code="redone", usd=usd, explanation=explanation))
    return parts


def _exactly(usd: float) -> Interval:
    return Interval(low=usd, mid=usd, high=usd)


def _range_of(values: Sequence[float], factor: float) -> Interval | None:
    if not values:
        return None
    return Interval(
        low=min(values) * factor,
        mid=statistics.median(values) * factor,
        high=max(values) * factor,
    )


def _disk(offer: Offer, hours: Interval, index: CloudIndex) -> _Side:
    known = index.disk_usd(vendor=offer.vendor, region=offer.region, gib=DISK_GIB, hours=1.0)
    if known is not None:
        return _Side(
            part=CostPart(
                code="disk",
                usd=hours.scaled(known),
                explanation=f"{DISK_GIB} GiB while the machine runs",
            )
        )
    prices = [rows[0].usd_per_gib_month for rows in index.disks.values() if rows]
    usual = _range_of(prices, hours.mid * DISK_GIB / HOURS_PER_MONTH)
    missing = f"disk price of {offer.vendor}"
    if usual is None:
        return _Side(missing=missing)
    explanation = f"{DISK_GIB} GiB, in the range of other vendors"
    return _Side(part=CostPart(code="disk", usd=usual, explanation=explanation), missing=missing)


def _egress(offer: Offer, workload: Workload, index: CloudIndex) -> _Side:
    gib = workload.parameters * _SAVED_BYTES_PER_PARAMETER / _GIB
    explanation = f"download of the network, {gib * 1024:.0f} MiB"
    known = index.egress_usd(vendor=offer.vendor, region=offer.region, gib=gib)
    if known is not None:
        return _Side(part=CostPart(code="egress", usd=_exactly(known), explanation=explanation))
    prices = [rows[0].usd_per_gib for rows in index.egress.values() if rows]
    # Some vendors charge nothing for traffic.
    usual = _range_of([0.0, *prices] if prices else [], gib)
    missing = f"price of traffic of {offer.vendor}"
    if usual is None:
        return _Side(missing=missing)
    return _Side(
        part=CostPart(
            code="egress", usd=usual, explanation=f"{explanation}, in the range of other vendors"
        ),
        missing=missing,
    )


# --- one's own ----------------------------------------------------------------------------------


def power_w(
    option: Option, *, profile: MachineProfile | None, knowledge: Knowledge
) -> tuple[float, bool]:
    """Return the watts that computing takes under an option, and whether they were assumed."""
    if option.purchase is not None:
        card = option.purchase.tdp_w
        return (card or 3 * DEFAULT_CPU_W) + REST_OF_MACHINE_W, card is None
    if profile is None:
        return DEFAULT_CPU_W, True
    gpu = next((g for g in profile.graphics if g.id == option.device_id), None)
    if gpu is not None and gpu.kind is DeviceKind.DGPU:
        spec = find_device(knowledge, gpu.name, kind=DeviceKind.DGPU)
        if spec is not None and spec.tdp_w is not None:
            return spec.tdp_w + REST_OF_MACHINE_W, False
    spec = find_device(knowledge, profile.cpu.brand, kind=DeviceKind.CPU)
    if spec is not None and spec.tdp_w is not None:
        return spec.tdp_w, False
    return DEFAULT_CPU_W, True


def _electricity(
    prediction: Prediction, *, watt: tuple[float, bool], preferences: Preferences
) -> _Side:
    watts, is_assumed = watt
    usd_per_kwh = preferences.electricity_usd_per_kwh
    if usd_per_kwh is None:
        return _Side(missing="price of electricity")
    total = prediction.total_s
    low, mid, high = (
        seconds / _HOUR_S * watts * share / 1000.0 * usd_per_kwh
        for seconds, share in zip((total.low, total.mid, total.high), _POWER_RANGE, strict=True)
    )
    note = " (assumed)" if is_assumed else ""
    return _Side(
        part=CostPart(
            code="electricity",
            usd=Interval(low=low, mid=mid, high=high),
            explanation=(
                f"{watts:.0f} W{note} for {total.mid / _HOUR_S:.2f} h at {usd_per_kwh:g} USD/kWh"
            ),
        )
    )


def _purchase_cost(option: Option, electricity: _Side) -> Cost:
    device = option.purchase
    missing = [] if electricity.missing is None else [electricity.missing]
    parts = [] if electricity.part is None else [electricity.part]
    if device is None or device.launch_price_usd is None:
        return Cost(total_usd=None, parts=tuple(parts), missing=("price of the device", *missing))
    year = str(device.year) if device.year is not None else None
    label = "price at launch" if year is None else f"price at launch in {year}"
    bought = CostPart(
        code="purchase",
        usd=_exactly(device.launch_price_usd),
        explanation=f"{device.device}: {label}, not the price of today",
    )
    source = Source(title=f"{device.device}: {label}", reference=device.source, date=year)
    return _added(parts=[bought, *parts], missing=missing, price_date=year, sources=(source,))
