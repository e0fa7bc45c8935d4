"""Money: billing, set-up, disk, traffic, lost work, electricity, purchase, and what is unknown."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.knowledge.cloud import cloud_index
from advisor.knowledge.store import Knowledge
from advisor.model.machine import DeviceKind
from advisor.model.offer import BillingRule, EgressPrice, SpotBand, StoragePrice
from advisor.model.option import OptionKind
from advisor.model.recommendation import Preferences
from advisor.recommend.cost import DEFAULT_CPU_W, REST_OF_MACHINE_W, billed_s, price
from advisor.recommend.effort import CLOUD_SETUP_S
from tests.advisor.recommend.builders import (
    GIB,
    TODAY,
    a_cloud_option,
    a_gpu,
    a_prediction,
    a_profile,
    a_spec,
    a_workload,
    an_offer,
    an_option,
    exactly,
    replace,
)


def a_rule(vendor="aws", increment_s=1.0, minimum_s=60.0):
    return BillingRule(
        vendor=vendor, increment_s=increment_s, minimum_s=minimum_s, note=None, source="a page"
    )


def a_disk(vendor="aws", usd=0.08):
    return StoragePrice(
        vendor=vendor, region="us-east-1", kind="gp3", usd_per_gib_month=usd,
        observed_on="2026-09-06", source="a list",
    )  # fmt: skip


def an_egress(vendor="aws", usd=0.09):
    return EgressPrice(
        vendor=vendor, region="us-east-1", usd_per_gib=usd, free_gib_per_month=100.0,
        observed_on="2026-05-06", source="a list",
    )  # fmt: skip


FACTS = Knowledge(
    billing_rules=(a_rule(), a_rule("linode", 3600.0, 3600.0)),
    storage_prices=(a_disk(), a_disk("gcp", 0.1)),
    egress_prices=(an_egress(), an_egress("gcp", 0.12)),
)


def cost_of(option, *, hours=1.0, knowledge=FACTS, workload=None, profile=None, **wishes):
    prediction = a_prediction(option.id, hours=hours)
    prediction = replace(prediction, total_s=exactly(hours * 3600.0))
    return price(
        option,
        prediction,
        workload=workload or a_workload(),
        preferences=Preferences(**wishes),
        knowledge=knowledge,
        today=TODAY,
        profile=profile,
    )


def parts_of(cost):
    return {part.code: part.usd.mid for part in cost.parts}


# --- rented -------------------------------------------------------------------------------------


def test_rented_hours_setup_disk_and_traffic():
    option = a_cloud_option(an_offer(usd_per_hour=3.6))
    workload = a_workload(parameters=GIB // 8)
    cost = cost_of(option, hours=2.0, workload=workload)
    parts = parts_of(cost)
    assert parts["compute"] == pytest.approx(7.2)
    assert parts["setup"] == pytest.approx(CLOUD_SETUP_S * 0.001)
    assert parts["disk"] == pytest.approx(0.08 * 64 / 730.0 * (2.0 + 1 / 6))
    assert parts["egress"] == pytest.approx(0.09)
    assert cost.total_usd.mid == pytest.approx(sum(parts.values()))
    assert cost.missing == ()


def test_every_total_is_the_sum_of_its_parts_with_their_intervals():
    option = a_cloud_option(is_spot=True)
    cost = price(
        option,
        a_prediction(option.id, hours=3.0),
        workload=a_workload(),
        preferences=Preferences(),
        knowledge=FACTS,
        today=TODAY,
    )
    for end in ("low", "mid", "high"):
        total = sum(getattr(part.usd, end) for part in cost.parts)
        assert getattr(cost.total_usd, end) == pytest.approx(total)
    assert cost.total_usd.low < cost.total_usd.mid < cost.total_usd.high


def test_price_has_its_date_source_and_age():
    cost = cost_of(a_cloud_option(an_offer(observed_on="2026-11-01", source="a list")))
    assert cost.price_date == "2026-11-01"
    (source,) = cost.sources
    assert (source.reference, source.date) == ("a list", "2026-11-01")
    assert "20 days old" in cost.parts[0].explanation


def test_spot_has_its_own_price_date_and_source():
    option = a_cloud_option(is_spot=True)
    cost = cost_of(option)
    assert parts_of(cost)["compute"] == pytest.approx(option.offer.spot_usd_per_hour)
    assert cost.price_date == "2026-07-01"
    assert cost.sources[0].reference == "advisor"


def test_unknown_hourly_price_has_no_total():
    cost = cost_of(a_cloud_option(an_offer(spot_usd_per_hour=None), is_spot=True))
    assert cost.total_usd is None
    assert cost.missing == ("price of an hour",)


@pytest.mark.parametrize(
    ("seconds", "rule", "billed"),
    [
        (10.0, a_rule(), 60.0),
        (90.2, a_rule(), 91.0),
        (3600.0, a_rule(increment_s=3600.0), 3600.0),
        (3601.0, a_rule(increment_s=3600.0), 7200.0),
        (3601.0, a_rule(increment_s=None, minimum_s=3600.0), 3601.0),
        (10.0, a_rule(increment_s=None, minimum_s=3600.0), 3600.0),
        (10.0, a_rule(increment_s=1.0, minimum_s=None), 10.0),
        (10.5, a_rule(increment_s=None, minimum_s=None), 10.5),
        (10.5, None, 10.5),
    ],
)
def test_billed_time(seconds, rule, billed):
    assert billed_s(seconds, rule=rule) == pytest.approx(billed)


def test_an_hourly_vendor_bills_the_hour_begun():
    option = a_cloud_option(an_offer(vendor="linode", usd_per_hour=1.2))
    cost = cost_of(option, hours=1.0)
    parts = parts_of(cost)
    assert parts["compute"] + parts["setup"] == pytest.approx(2.4)
    assert "whole periods" in cost.parts[0].explanation


def test_prices_of_disk_and_traffic_of_an_unknown_vendor_are_a_range_and_named_missing():
    option = a_cloud_option(an_offer(vendor="smallcloud"))
    cost = cost_of(option)
    disk = next(part for part in cost.parts if part.code == "disk")
    hours = 1.0 + 1 / 6
    assert disk.usd.low == pytest.approx(0.08 * 64 / 730.0 * hours)
    assert disk.usd.high == pytest.approx(0.1 * 64 / 730.0 * hours)
    assert cost.missing == ("disk price of smallcloud", "price of traffic of smallcloud")
    assert cost.total_usd is not None


def test_without_any_table_disk_and_traffic_are_missing_not_zero():
    cost = cost_of(a_cloud_option(), knowledge=Knowledge())
    assert set(parts_of(cost)) == {"compute", "setup"}
    assert cost.missing == ("disk price of aws", "price of traffic of aws")


def test_lost_work_is_priced_for_spot_only():
    band = SpotBand(
        vendor="aws", instance_type="c7i.4xlarge", region="us-east-1", low_percent=20.0,
        high_percent=100.0, observed_on="2025-06-28", source="a list",
    )  # fmt: skip
    knowledge = Knowledge(billing_rules=(a_rule(),), spot_bands=(band,))
    assert "redone" not in parts_of(cost_of(a_cloud_option(), hours=100.0, knowledge=knowledge))
    spot = a_cloud_option(is_spot=True)
    assert parts_of(cost_of(spot, hours=100.0, knowledge=knowledge))["redone"] > 0.0


def test_an_index_made_before_gives_the_same():
    option = a_cloud_option()
    prediction = a_prediction(option.id)
    arguments = {
        "workload": a_workload(),
        "preferences": Preferences(),
        "knowledge": FACTS,
        "today": TODAY,
    }
    index = cloud_index(FACTS)
    assert price(option, prediction, **arguments) == price(
        option, prediction, **arguments, index=index
    )


@settings(max_examples=50, deadline=None)
@given(
    st.floats(min_value=0.001, max_value=5000.0),
    st.floats(min_value=1.0, max_value=3.0),
    st.floats(min_value=0.001, max_value=100.0),
    st.floats(min_value=1.0, max_value=3.0),
    st.sampled_from(["aws", "linode", "unheard"]),
)
def test_more_hours_or_a_higher_price_never_cost_less(hours, longer, usd, dearer, vendor):
    def total(h, u):
        option = a_cloud_option(an_offer(vendor=vendor, usd_per_hour=u))
        return cost_of(option, hours=h).total_usd.mid

    base = total(hours, usd)
    assert total(hours * longer, usd) >= base * (1 - 1e-12)
    assert total(hours, usd * dearer) >= base * (1 - 1e-12)


# --- one's own ----------------------------------------------------------------------------------


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
    assert part.usd.mid == pytest.approx(10.0 * 95.0 / 1000.0 * 0.30)
    assert part.usd.low == pytest.approx(part.usd.mid / 2.0)
    assert part.usd.high == pytest.approx(part.usd.mid * 1.5)
    assert "assumed" not in part.explanation
    assert cost.missing == ()


def test_an_unknown_power_is_assumed_and_said_so():
    cost = cost_of(an_option(), hours=10.0, electricity_usd_per_kwh=0.30)
    (part,) = cost.parts
    assert part.usd.mid == pytest.approx(10.0 * DEFAULT_CPU_W / 1000.0 * 0.30)
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


# --- the founding study's prices ----------------------------------------------------------------


@pytest.mark.parametrize(("vcpus", "usd"), [(16, 0.127), (32, 0.255), (64, 0.509)])
def test_s2_1_preemptible_prices_of_2017(vcpus, usd):
    offer = an_offer(spot_usd_per_hour=0.060 * 1.0607 * vcpus / 8)
    cost = cost_of(a_cloud_option(offer, is_spot=True), hours=1.0, knowledge=Knowledge())
    assert parts_of(cost)["compute"] == pytest.approx(usd, abs=0.0005)
