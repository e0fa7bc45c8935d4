"""Expected lost work of interruptible machines."""

import math

import pytest

from advisor.model.offer import SpotBand
from advisor.recommend.effort import CLOUD_SETUP_S
from advisor.recommend.spot import NOTHING, interruptions_per_h, redone_s
from tests.advisor.recommend.builders import a_cloud_option, a_prediction

BAND = SpotBand(
    vendor="aws", instance_type="c7i.4xlarge", region="us-east-1", low_percent=5.0,
    high_percent=10.0, observed_on="2025-06-28", source="a list",
)  # fmt: skip


def test_on_demand_loses_nothing():
    assert redone_s(a_cloud_option(), a_prediction(hours=100.0), band=BAND) == NOTHING


def test_an_interruption_costs_half_an_epoch_and_a_new_start():
    prediction = a_prediction(hours=100.0, epochs=20)
    lost = redone_s(a_cloud_option(is_spot=True), prediction, band=BAND)
    rate = -math.log(1.0 - 0.075) / 730.0
    assert lost.mid == pytest.approx(100.0 * rate * (5 * 3600.0 / 2.0 + CLOUD_SETUP_S))
    assert lost.low < lost.mid < lost.high


def test_an_unknown_band_is_wide():
    prediction = a_prediction(hours=100.0)
    option = a_cloud_option(is_spot=True)
    known, unknown = (redone_s(option, prediction, band=band) for band in (BAND, None))
    assert unknown.low == 0.0
    assert unknown.high > known.high


def test_the_open_band_stays_finite():
    band = SpotBand(
        vendor="aws", instance_type="t", region="r", low_percent=20.0, high_percent=100.0,
        observed_on="2025-06-28", source="a list",
    )  # fmt: skip
    lost = redone_s(a_cloud_option(is_spot=True), a_prediction(hours=1000.0), band=band)
    assert math.isfinite(lost.high)


def test_rate_of_interruptions_makes_the_share_after_a_month():
    assert 1.0 - math.exp(-interruptions_per_h(20.0) * 730.0) == pytest.approx(0.2)
    assert interruptions_per_h(0.0) == 0.0


def test_each_interruption_brings_the_data_again():
    prediction = a_prediction(hours=100.0, epochs=20)
    option = a_cloud_option(is_spot=True)
    without = redone_s(option, prediction, band=BAND)
    upload_s = 8 * 3600.0
    lost = redone_s(option, prediction, band=BAND, upload_s=upload_s)
    total = prediction.total_s
    for end, percent in (("low", 5.0), ("mid", 7.5), ("high", 10.0)):
        stay_h = (getattr(total, end) + CLOUD_SETUP_S + upload_s) / 3600.0
        again_s = interruptions_per_h(percent) * stay_h * upload_s
        assert getattr(lost, end) == pytest.approx(getattr(without, end) + again_s)
    assert lost.low < lost.mid < lost.high


def test_what_is_never_interrupted_brings_nothing_again_and_the_open_band_stays_finite():
    option = a_cloud_option(is_spot=True)
    lost = redone_s(option, a_prediction(hours=1.0), band=None, upload_s=1e6)
    assert lost.low == 0.0
    assert math.isfinite(lost.high)
    assert redone_s(a_cloud_option(), a_prediction(hours=1.0), band=BAND, upload_s=1e6) == NOTHING
