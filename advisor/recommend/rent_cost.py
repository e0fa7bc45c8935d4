"""Money for a job on a rented machine, in parts: computing, setting up, upload, lost work, disk.

The price of an hour is needed: without it there is no total. Prices of disk and traffic are small;
where a vendor's are unknown they are taken from the range of the others, and said so in `missing`.
Leaves to others: what one's own machine costs (`advisor.recommend.cost`), the size of the data
(`advisor.recommend.job_data`), interruptions (`advisor.recommend.spot`).
"""

import math
import statistics
from collections.abc import Sequence

from advisor.format import format_bytes, format_duration, format_usd_per_hour
from advisor.i18n import N_
from advisor.knowledge.cloud import HOURS_PER_MONTH, CloudIndex
from advisor.model.offer import BillingRule, Offer
from advisor.model.option import Option
from advisor.model.prediction import Cost, CostPart, Prediction
from advisor.model.quantity import Interval, Phase, Source
from advisor.model.workload import Workload
from advisor.recommend.cost_parts import Side, added, exactly
from advisor.recommend.effort import CLOUD_SETUP_S
from advisor.recommend.job_data import UPLOAD_BYTE_PER_S, JobData
from advisor.recommend.offers import ANY_REGION
from advisor.recommend.preferences import age_days
from advisor.recommend.spot import redone_s

# The stored network: weights, and as much again for the optimiser's state.
_SAVED_BYTES_PER_PARAMETER = 8
_GIB = 1024**3
# Rounding to whole seconds is not worth a line.
_MOMENT_S = 1.0
_HOUR_S = 3600.0

_REDONE = N_("expected work lost to interruptions, saved after each epoch")
_REDONE_WITH_DATA = N_(
    "expected work lost to interruptions, saved after each epoch, and data brought there again"
)
# All samples are one epoch of inference, and nobody knows what of its results is saved on the way.
_REDONE_INFERENCE = N_(
    "expected work lost to interruptions, as if nothing were saved before the end"
)
_REDONE_INFERENCE_WITH_DATA = N_(
    "expected work lost to interruptions, as if nothing were saved before the end, and data "
    "brought there again"
)
_REDONE_WORDS = {
    (Phase.TRAINING, False): _REDONE,
    (Phase.TRAINING, True): _REDONE_WITH_DATA,
    (Phase.INFERENCE, False): _REDONE_INFERENCE,
    (Phase.INFERENCE, True): _REDONE_INFERENCE_WITH_DATA,
}
_DISK = N_("{size} GiB while the machine runs")
_DOWNLOAD = N_("download of the network, {size} MiB")
_DOWNLOAD_ELSEWHERE = N_("download of the network, {size} MiB, at the price of {place}")
_DISK_ELSEWHERE = N_("{size} GiB while the machine runs, at the price of {place}")


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


def rent_cost(
    option: Option,
    prediction: Prediction,
    *,
    workload: Workload,
    data: JobData,
    index: CloudIndex,
    today: str,
) -> Cost:
    """Return what a job costs on a rented machine, with its parts.

    Args:
        option: a CLOUD option with its offer.
        prediction: its time.
        workload: decides the size of what is downloaded at the end.
        data: what is uploaded at the beginning and lies on the disk.
        index: of the price tables.
        today: ISO date, for the age of prices.
    """
    usd_per_hour = hourly_usd(option)
    offer = option.offer
    if offer is None or usd_per_hour is None:
        return Cost(total_usd=None, parts=(), missing=("price of an hour",))
    redone = redone_s(option, prediction, band=index.spot_band(offer), upload_s=data.upload_s)
    observed_on = offer.observed_on
    source = offer.source
    if option.is_spot:
        observed_on = offer.spot_observed_on or observed_on
        source = offer.spot_source or source
    parts = _hour_parts(
        prediction.total_s,
        redone,
        data,
        phase=workload.phase,
        usd_per_hour=usd_per_hour,
        rule=index.billing_rule(offer.vendor),
        dated=_dated(observed_on, today),
    )
    hours = prediction.total_s.shifted(CLOUD_SETUP_S + data.upload_s).scaled(1.0 / _HOUR_S)
    missing = []
    for side in (_disk(offer, hours, data, index), _egress(offer, workload, index)):
        if side.part is not None:
            parts.append(side.part)
        if side.missing is not None:
            missing.append(side.missing)
    form = "spot" if option.is_spot else "on demand"
    where = "" if offer.region == ANY_REGION else f" in {offer.region}"
    title = f"{offer.vendor} {offer.called}{where}, {form}"
    return added(
        parts=parts,
        missing=missing,
        price_date=observed_on,
        sources=(Source(title=title, reference=source, date=observed_on),),
    )


def _dated(observed_on: str, today: str) -> str:
    days = age_days(observed_on, today=today)
    return f"price of {observed_on}" if days is None else f"price of {observed_on}, {days} days old"


def _hour_parts(
    total: Interval,
    redone: Interval,
    data: JobData,
    *,
    phase: Phase,
    usd_per_hour: float,
    rule: BillingRule | None,
    dated: str,
) -> list[CostPart]:
    """Return what is billed by the hour: computing, set-up, upload, redone work, rounding."""
    usd_per_s = usd_per_hour / _HOUR_S
    words = f"{format_duration(total.mid)} at {format_usd_per_hour(usd_per_hour)}, {dated}"
    parts = [
        CostPart(code="compute", usd=total.scaled(usd_per_s), explanation=words),
        CostPart(
            code="setup",
            usd=exactly(CLOUD_SETUP_S * usd_per_s),
            explanation=f"{format_duration(CLOUD_SETUP_S)} to start and to install (assumed)",
        ),
    ]
    if data.upload_s > _MOMENT_S:
        usd = exactly(data.upload_s * usd_per_s)
        parts.append(CostPart(code="upload", usd=usd, explanation=_upload_words(data)))
    if redone.high > 0.0:
        explanation = _REDONE_WORDS[phase, data.upload_s > _MOMENT_S]
        usd = redone.scaled(usd_per_s)
        parts.append(CostPart(code="redone", usd=usd, explanation=explanation))
    before_s = CLOUD_SETUP_S + data.upload_s
    rounding = _rounding_s(total, redone, before_s=before_s, rule=rule)
    if rounding.high > _MOMENT_S:
        explanation = "billed in whole periods or for a least time"
        usd = rounding.scaled(usd_per_s)
        parts.append(CostPart(code="rounding", usd=usd, explanation=explanation))
    return parts


def _upload_words(data: JobData) -> str:
    size = format_bytes(data.size_bytes)
    origin = "as you said" if data.is_stated else "reckoned from the samples"
    rate = f"{UPLOAD_BYTE_PER_S / 1e6:.0f} MB/s (assumed)"
    return f"{size} of data ({origin}) at {rate}: {format_duration(data.upload_s)}"


def _rounding_s(
    total: Interval, redone: Interval, *, before_s: float, rule: BillingRule | None
) -> Interval:
    """Return the seconds that are billed and not used.

    Its middle is exact; rounding does not grow with time, so that its ends are the extremes of
    the three cases.
    """
    used = (
        before_s + total.low + redone.low,
        before_s + total.mid + redone.mid,
        before_s + total.high + redone.high,
    )
    extra = [max(0.0, billed_s(seconds, rule=rule) - seconds) for seconds in used]
    return Interval(low=min(extra), mid=extra[1], high=max(extra))


def _range_of(values: Sequence[float], factor: float) -> Interval | None:
    if not values:
        return None
    return Interval(
        low=min(values) * factor,
        mid=statistics.median(values) * factor,
        high=max(values) * factor,
    )


def _disk(offer: Offer, hours: Interval, data: JobData, index: CloudIndex) -> Side:
    gib = data.disk_gib
    known = index.disk_usd(vendor=offer.vendor, region=offer.region, gib=gib, hours=1.0)
    if known is not None:
        return Side(
            part=CostPart(
                code="disk",
                usd=hours.scaled(known),
                explanation=_disk_words(offer, gib, index),
            )
        )
    prices = [rows[0].usd_per_gib_month for rows in index.disks.values() if rows]
    usual = _range_of(prices, hours.mid * gib / HOURS_PER_MONTH)
    missing = f"disk price of {offer.vendor}"
    if usual is None:
        return Side(missing=missing)
    explanation = f"{gib} GiB, in the range of other vendors"
    return Side(part=CostPart(code="disk", usd=usual, explanation=explanation), missing=missing)


def _disk_words(offer: Offer, gib: int, index: CloudIndex) -> str:
    """Return what is told of the disk: of some vendors the price of one region is known."""
    price = index.disk_price(vendor=offer.vendor, region=offer.region)
    if price is None or price.region in (None, offer.region):
        return _DISK.format(size=gib)
    return _DISK_ELSEWHERE.format(size=gib, place=price.region)


def _egress_words(offer: Offer, gib: float, index: CloudIndex) -> str:
    """Return what is told of the traffic: its price is known of one region of each vendor."""
    size = f"{gib * 1024:.0f}"
    price = index.egress_price(vendor=offer.vendor, region=offer.region)
    if price is None or price.region in (None, offer.region):
        return _DOWNLOAD.format(size=size)
    return _DOWNLOAD_ELSEWHERE.format(size=size, place=price.region)


def _egress(offer: Offer, workload: Workload, index: CloudIndex) -> Side:
    gib = workload.parameters * _SAVED_BYTES_PER_PARAMETER / _GIB
    explanation = _egress_words(offer, gib, index)
    known = index.egress_usd(vendor=offer.vendor, region=offer.region, gib=gib)
    if known is not None:
        return Side(part=CostPart(code="egress", usd=exactly(known), explanation=explanation))
    prices = [rows[0].usd_per_gib for rows in index.egress.values() if rows]
    # Some vendors charge nothing for traffic.
    usual = _range_of([0.0, *prices] if prices else [], gib)
    missing = f"price of traffic of {offer.vendor}"
    if usual is None:
        return Side(missing=missing)
    return Side(
        part=CostPart(
            code="egress", usd=usual, explanation=f"{explanation}, in the range of other vendors"
        ),
        missing=missing,
    )
