"""Money of one's own machine: electricity, purchase, and what is unknown."""

import pytest

from advisor.knowledge.store import Knowledge
from advisor.model.machine import DeviceKind
from advisor.model.option import OptionKind
from advisor.model.recommendation import Preferences
from advisor.recommend.cost import price
from advisor.recommend.own_power import DEFAULT_CPU_W, REST_OF_MACHINE_W
from tests.advisor.recommend.builders import (
    TODAY,
    a_gpu,
    a_prediction,
    a_profile,
    a_spec,
    a_workload,
    an_option,
    exactly,
    replace,
)


def cost_of(option, *, hours=1.0, knowledge=None, workload=None, profile=None, **wishes):
    prediction = a_prediction(option.id, hours=hours)
    prediction = replace(prediction, total_s=exactly(hours * 3600.0))
    return price(
        option,
        prediction,
        workload=workload or a_workload(),
        preferences=Preferences(**wishes),
        knowledge=knowledge or Knowledge(),
        today=TODAY,
        profile=profile,
    )


def parts_of(cost):
    return {part.code: part.usd.mid for part in cost.parts}


def test_staying_without_a_price_of_electricity_is_free_and_says_so():
    cost = cost_of(an_option())
    assert cost.total_usd == exactly(0.0)
    assert cost.parts == ()
    assert cost.missing == ("price of electricity",)


def test_electricity_by_the_processors_power():
    cpu = a_spec(device="AMD A10-7850K", kind=DeviceKind.CPU, vendor="AMD", tdp_w=95.0)
    knowledge = Knowledge(devices=(cpu,))
    cost = cost_of(
        an_option(), hours=10.0, knowledge=knowledge, profile=a_profile(),
        electricity_usd_per_kwh=0.30,
    )  # fmt: skip
    (part,) = cost.parts
    assert part.usd.mid == pytest.approx(10.0 * (95.0 + REST_OF_MACHINE_W) / 1000.0 * 0.30)
    assert part.usd.low == pytest.approx(part.usd.mid / 2.0)
    assert part.usd.high == pytest.approx(part.usd.mid * 1.5)
    assert "assumed" not in part.explanation
    assert cost.missing == ()


def test_an_unknown_power_is_assumed_and_said_so():
    cost = cost_of(an_option(), hours=10.0, electricity_usd_per_kwh=0.30)
    (part,) = cost.parts
    assert part.usd.mid == pytest.approx(10.0 * (DEFAULT_CPU_W + REST_OF_MACHINE_W) / 1000.0 * 0.30)
    assert "assumed" in part.explanation
    profile = a_profile()
    again = cost_of(an_option(), hours=10.0, electricity_usd_per_kwh=0.30, profile=profile)
    assert again == cost


def test_a_graphics_card_draws_its_own_power():
    card = a_spec()
    profile = a_profile(graphics=(a_gpu(kind=DeviceKind.DGPU, name=card.device, vendor="NVIDIA"),))
    option = an_option("device:gpu0", OptionKind.LOCAL_DEVICE, device_id="gpu0")
    cost = cost_of(
        option, hours=10.0, knowledge=Knowledge(devices=(card,)), profile=profile,
        electricity_usd_per_kwh=0.1,
    )  # fmt: skip
    assert cost.total_usd.mid == pytest.approx(10.0 * (170.0 + REST_OF_MACHINE_W) / 1000.0 * 0.1)


def test_a_free_service_costs_nothing():
    cost = cost_of(an_option("colab", OptionKind.FREE_TIER))
    assert cost.total_usd == exactly(0.0)
    assert cost.missing == ()


def test_a_purchase_is_the_launch_price_with_its_year():
    option = an_option("buy", OptionKind.BUY, purchase=a_spec())
    cost = cost_of(option, hours=1.0, electricity_usd_per_kwh=0.5)
    parts = parts_of(cost)
    assert parts["purchase"] == 329.0
    assert parts["electricity"] == pytest.approx((170.0 + REST_OF_MACHINE_W) / 1000.0 * 0.5)
    assert cost.price_date == "2021"
    assert "launch in 2021" in cost.parts[0].explanation


def test_a_purchase_of_unknown_price_has_no_total():
    card = a_spec(launch_price_usd=None)
    cost = cost_of(an_option("buy", OptionKind.BUY, purchase=card))
    assert cost.total_usd is None
    assert cost.missing == ("price of the device", "price of electricity")
