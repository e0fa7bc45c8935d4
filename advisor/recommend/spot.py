"""Work that is expected to be done again because an interruptible machine was taken away.

Leaves to others: what it costs (`advisor.recommend.cost`), its place (`advisor.recommend.rank`).
"""

import math

from advisor.knowledge.cloud import HOURS_PER_MONTH
from advisor.model.offer import SpotBand
from advisor.model.option import Option
from advisor.model.prediction import Prediction
from advisor.model.quantity import Interval
from advisor.recommend.effort import CLOUD_SETUP_S

NOTHING = Interval(low=0.0, mid=0.0, high=0.0)
# Where no band is published: from never to nearly always, the middle as the vendors that publish.
UNKNOWN_BAND_PERCENT = (0.0, 20.0, 95.0)
# The highest band has no upper end in the source ("more than 20 %").
HIGHEST_PERCENT = 95.0


def redone_s(
    option: Option, prediction: Prediction, *, band: SpotBand | None, upload_s: float = 0.0
) -> Interval:
    """Return the expected seconds lost to interruptions; nothing unless the option is spot.

    An interruption costs half an epoch (the work since it was last saved) and a new start; and
    the disk goes with the machine, so that the data are brought again, also where it is taken
    away before it computes. The band tells the share of machines interrupted in a month; the
    rate is taken as constant.

    Args:
        option: any option.
        prediction: its time; `epoch_s` is how often the work is saved.
        band: how often machines of this type are interrupted, None when nobody publishes it.
        upload_s: seconds to bring the data there.
    """
    if not option.is_spot:
        return NOTHING
    percents = UNKNOWN_BAND_PERCENT
    if band is not None:
        high = min(band.high_percent, HIGHEST_PERCENT)
        low = min(band.low_percent, high)
        percents = (low, (low + high) / 2.0, high)
    lost_s = prediction.epoch_s.mid / 2.0 + CLOUD_SETUP_S
    before_s = CLOUD_SETUP_S + upload_s
    total = prediction.total_s
    low_s, mid_s, high_s = (
        interruptions_per_h(percent) / 3600.0 * (seconds * lost_s + (before_s + seconds) * upload_s)
        for percent, seconds in zip(percents, (total.low, total.mid, total.high), strict=True)
    )
    return Interval(low=low_s, mid=mid_s, high=high_s)


def interruptions_per_h(percent_per_month: float) -> float:
    """Return the constant rate at which this share of machines is interrupted within a month."""
    return -math.log1p(-percent_per_month / 100.0) / HOURS_PER_MONTH
