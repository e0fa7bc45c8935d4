"""When a change pays."""

import pytest

from advisor.recommend.break_even import break_even_h, jobs_until_paid, price_that_pays_usd
from advisor.recommend.effort import Effort


def test_work_is_regained_at_the_rate_of_the_speedup():
    effort = Effort(work_s=1800.0, wait_s=1800.0, basis="x")
    hours = break_even_h(effort, speedup=2.0)
    assert hours == pytest.approx(2.0)
    # After so many hours here, one hour of effort and half the hours there come to the same.
    assert 1.0 + hours / 2.0 == pytest.approx(hours)


@pytest.mark.parametrize("speedup", [1.0, 0.5])
def test_what_is_not_faster_never_pays(speedup):
    assert break_even_h(Effort(work_s=60.0, wait_s=0.0, basis="x"), speedup=speedup) is None


def test_buying_against_renting():
    assert jobs_until_paid(300.0, rent_usd_per_job=3.5, own_usd_per_job=0.5) == 100.0
    assert jobs_until_paid(300.0, rent_usd_per_job=0.5, own_usd_per_job=0.5) is None
    assert price_that_pays_usd(100, rent_usd_per_job=3.5, own_usd_per_job=0.5) == 300.0
    assert price_that_pays_usd(100, rent_usd_per_job=0.1, own_usd_per_job=0.5) is None
