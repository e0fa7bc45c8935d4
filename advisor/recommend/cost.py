"""Money for a job under an option: time x price with the vendor's rounding, and what comes on top.

Here stands what one's own machine costs: electricity, and the price of a bought device.
Leaves to others: the watts (`advisor.recommend.own_power`), rented machines
(`advisor.recommend.rent_cost`), times (`advisor.predict`), how money counts
(`advisor.recommend.rank`).
"""

from advisor.format import format_duration
from advisor.knowledge.cloud import CloudIndex, cloud_index
from advisor.knowledge.store import Knowledge
from advisor.model.machine import MachineProfile
from advisor.model.option import Option, OptionKind
from advisor.model.prediction import Cost, CostPart, Prediction
from advisor.model.quantity import Interval, Source
from advisor.model.recommendation import Preferences
from advisor.model.workload import Workload
from advisor.recommend.cost_parts import NOTHING_USD, Side, added, exactly
from advisor.recommend.job_data import job_data
from advisor.recommend.own_power import power_w
from advisor.recommend.rent_cost import rent_cost

# The power drawn lies between half of the limits and half more.
_POWER_RANGE = (0.5, 1.0, 1.5)
_HOUR_S = 3600.0


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
        preferences: the price of electricity, None: it is not counted, and said so; the size of
            the data.
        knowledge: specifications and, where `index` is None, the price tables.
        today: ISO date, for the age of prices.
        profile: this machine, for the power it draws; None takes a usual one.
        index: of the price tables, when many options are priced.
    """
    if option.kind is OptionKind.CLOUD:
        tables = index if index is not None else cloud_index(knowledge)
        data = job_data(workload, preferences)
        return rent_cost(
            option, prediction, workload=workload, data=data, index=tables, today=today
        )
    if option.kind is OptionKind.FREE_TIER:
        return Cost(total_usd=NOTHING_USD, parts=(), missing=())
    watt = power_w(option, profile=profile, knowledge=knowledge)
    electricity = _electricity(prediction, watt=watt, preferences=preferences)
    if option.kind is OptionKind.BUY:
        return _purchase_cost(option, electricity)
    return added(
        parts=[] if electricity.part is None else [electricity.part],
        missing=[] if electricity.missing is None else [electricity.missing],
    )


def _electricity(
    prediction: Prediction, *, watt: tuple[float, bool], preferences: Preferences
) -> Side:
    watts, is_assumed = watt
    usd_per_kwh = preferences.electricity_usd_per_kwh
    if usd_per_kwh is None:
        return Side(missing="price of electricity")
    total = prediction.total_s
    low, mid, high = (
        seconds / _HOUR_S * watts * share / 1000.0 * usd_per_kwh
        for seconds, share in zip((total.low, total.mid, total.high), _POWER_RANGE, strict=True)
    )
    note = " (assumed)" if is_assumed else ""
    return Side(
        part=CostPart(
            code="electricity",
            usd=Interval(low=low, mid=mid, high=high),
            explanation=(
                f"{watts:.0f} W{note} for {format_duration(total.mid)} at {usd_per_kwh:g} USD/kWh"
            ),
        )
    )


def _purchase_cost(option: Option, electricity: Side) -> Cost:
    device = option.purchase
    missing = [] if electricity.missing is None else [electricity.missing]
    parts = [] if electricity.part is None else [electricity.part]
    if device is None or device.launch_price_usd is None:
        return Cost(total_usd=None, parts=tuple(parts), missing=("price of the device", *missing))
    year = str(device.year) if device.year is not None else None
    label = "price at launch" if year is None else f"price at launch in {year}"
    bought = CostPart(
        code="purchase",
        usd=exactly(device.launch_price_usd),
        explanation=f"{device.device}: {label}, not the price of today",
    )
    source = Source(title=f"{device.device}: {label}", reference=device.source, date=year)
    return added(parts=[bought, *parts], missing=missing, price_date=year, sources=(source,))
