"""Money of a rented machine: billing, set-up, upload, disk, traffic, lost work, what is unknown."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.i18n import translator_for
from advisor.knowledge.cloud import cloud_index
from advisor.knowledge.store import Knowledge
from advisor.model.offer import BillingRule, EgressPrice, SpotBand, StoragePrice
from advisor.model.quantity import Phase
from advisor.model.recommendation import Preferences
from advisor.recommend.cost import price
from advisor.recommend.effort import CLOUD_SETUP_S
from advisor.recommend.job_data import UPLOAD_BYTE_PER_S
from advisor.recommend.rent_cost import billed_s
from advisor.recommend.spot import interruptions_per_h
from advisor.report.said import said
from tests.advisor.recommend.builders import (
    GIB,
    TODAY,
    a_cloud_option,
    a_prediction,
    a_workload,
    an_offer,
    exactly,
    replace,
)

# The data of the usual job: 50,000 samples of 3,072 bytes.
UPLOAD_S = 50_000 * 3072 / UPLOAD_BYTE_PER_S
EXTRA_H = (CLOUD_SETUP_S + UPLOAD_S) / 3600.0


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


def test_rented_hours_setup_disk_and_traffic():
    option = a_cloud_option(an_offer(usd_per_hour=3.6))
    workload = a_workload(parameters=GIB // 8)
    cost = cost_of(option, hours=2.0, workload=workload)
    parts = parts_of(cost)
    assert parts["compute"] == pytest.approx(7.2)
    assert parts["setup"] == pytest.approx(CLOUD_SETUP_S * 0.001)
    assert parts["upload"] == pytest.approx(UPLOAD_S * 0.001)
    assert parts["disk"] == pytest.approx(0.08 * 32 / 730.0 * (2.0 + EXTRA_H))
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
    assert parts["compute"] == pytest.approx(1.2)
    in_all = sum(parts[code] for code in ("compute", "setup", "upload", "rounding"))
    assert in_all == pytest.approx(2.4)
    rounding = next(part for part in cost.parts if part.code == "rounding")
    assert "whole periods" in rounding.explanation


def test_a_vendor_that_bills_seconds_rounds_nothing_worth_a_line():
    assert "rounding" not in parts_of(cost_of(a_cloud_option(), hours=1.0))


def test_the_size_of_the_data_sets_upload_and_disk():
    said = cost_of(a_cloud_option(an_offer(usd_per_hour=3.6)), data_bytes=100 * 10**9)
    parts = parts_of(said)
    assert parts["upload"] == pytest.approx(100e9 / UPLOAD_BYTE_PER_S * 0.001)
    hours = 1.0 + (CLOUD_SETUP_S + 100e9 / UPLOAD_BYTE_PER_S) / 3600.0
    assert parts["disk"] == pytest.approx(0.08 * 216 / 730.0 * hours)
    texts = {part.code: part.explanation for part in said.parts}
    assert "as you said" in texts["upload"]
    assert texts["disk"].startswith("216 GiB")


def test_amounts_and_times_are_told_as_people_read_them():
    cost = cost_of(a_cloud_option(an_offer(usd_per_hour=0.0312)), hours=0.001)
    assert cost.parts[0].explanation.startswith("3.6 s at 0.0312 USD/h, price of")


def test_prices_of_disk_and_traffic_of_an_unknown_vendor_are_a_range_and_named_missing():
    option = a_cloud_option(an_offer(vendor="smallcloud"))
    cost = cost_of(option)
    disk = next(part for part in cost.parts if part.code == "disk")
    hours = 1.0 + EXTRA_H
    assert disk.usd.low == pytest.approx(0.08 * 32 / 730.0 * hours)
    assert disk.usd.high == pytest.approx(0.1 * 32 / 730.0 * hours)
    assert cost.missing == ("disk price of smallcloud", "price of traffic of smallcloud")
    assert cost.total_usd is not None


def test_without_any_table_disk_and_traffic_are_missing_not_zero():
    cost = cost_of(a_cloud_option(), knowledge=Knowledge())
    assert set(parts_of(cost)) == {"compute", "setup", "upload"}
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


def test_data_that_are_brought_again_are_part_of_the_lost_work_and_told():
    option = a_cloud_option(an_offer(spot_usd_per_hour=3.6), is_spot=True)

    def redone(data_bytes):
        cost = cost_of(option, hours=100.0, knowledge=Knowledge(), data_bytes=data_bytes)
        return next(part for part in cost.parts if part.code == "redone")

    small, large = redone(1), redone(100 * 10**9)
    assert small.explanation.endswith("saved after each epoch")
    assert large.explanation.endswith("saved after each epoch, and data brought there again")
    upload_s = 100e9 / UPLOAD_BYTE_PER_S
    stay_h = 100.0 + (CLOUD_SETUP_S + upload_s) / 3600.0
    for end, percent in (("low", 0.0), ("mid", 20.0), ("high", 95.0)):
        again = getattr(large.usd, end) - getattr(small.usd, end)
        expected = interruptions_per_h(percent) * stay_h * upload_s * 0.001
        assert again == pytest.approx(expected, rel=1e-6)


def test_a_price_of_the_disk_from_another_region_is_told_as_such():
    def words(region):
        cost = cost_of(a_cloud_option(an_offer(region=region)))
        return next(part.explanation for part in cost.parts if part.code == "disk")

    assert words("us-east-1") == "32 GiB while the machine runs"
    assert words("af-south-1") == "32 GiB while the machine runs, at the price of us-east-1"
    everywhere = replace(a_disk(), region=None)
    knowledge = replace(FACTS, storage_prices=(everywhere,))
    cost = cost_of(a_cloud_option(an_offer(region="af-south-1")), knowledge=knowledge)
    disk = next(part for part in cost.parts if part.code == "disk")
    assert disk.explanation == "32 GiB while the machine runs"


def test_a_price_of_traffic_from_another_region_is_told_as_such():
    def words(region, knowledge=FACTS):
        cost = cost_of(a_cloud_option(an_offer(region=region)), knowledge=knowledge)
        return next(part.explanation for part in cost.parts if part.code == "egress")

    plain = words("us-east-1")
    assert plain.startswith("download of the network, ")
    assert plain.endswith(" MiB")
    assert words("af-south-1") == f"{plain}, at the price of us-east-1"
    everywhere = replace(FACTS, egress_prices=(replace(an_egress(), region=None),))
    assert words("af-south-1", everywhere) == plain
    nobody = replace(FACTS, egress_prices=(an_egress("gcp", 0.12),))
    assert words("af-south-1", nobody) == f"{plain}, in the range of other vendors"
    told = said(words("af-south-1"), translator_for("zh_CN"))
    assert "us-east-1" in told
    assert "download" not in told


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


@pytest.mark.parametrize(("vcpus", "usd"), [(16, 0.127), (32, 0.255), (64, 0.509)])
def test_s2_1_preemptible_prices_of_2017(vcpus, usd):
    offer = an_offer(spot_usd_per_hour=0.060 * 1.0607 * vcpus / 8)
    cost = cost_of(a_cloud_option(offer, is_spot=True), hours=1.0, knowledge=Knowledge())
    assert parts_of(cost)["compute"] == pytest.approx(usd, abs=0.0005)


@pytest.mark.parametrize(
    ("phase", "data_bytes", "words"),
    [
        (Phase.TRAINING, 1, "saved after each epoch"),
        (Phase.INFERENCE, 1, "as if nothing were saved before the end"),
        (Phase.INFERENCE, 100 * 10**9,
         "as if nothing were saved before the end, and data brought there again"),
    ],
)  # fmt: skip
def test_inference_has_no_epochs_to_save_after(phase, data_bytes, words):
    option = a_cloud_option(an_offer(spot_usd_per_hour=3.6), is_spot=True)
    cost = cost_of(
        option, hours=100.0, knowledge=Knowledge(), workload=a_workload(phase=phase),
        data_bytes=data_bytes,
    )  # fmt: skip
    (redone,) = (part for part in cost.parts if part.code == "redone")
    assert redone.explanation.endswith(f", {words}")


@pytest.mark.parametrize(
    ("region", "title"),
    [
        ("us-east-1", "aws c7i.4xlarge in us-east-1, on demand"),
        ("any", "aws c7i.4xlarge, on demand"),
    ],
)
def test_a_source_names_a_place_where_there_is_one(region, title):
    cost = cost_of(a_cloud_option(an_offer(region=region)), knowledge=Knowledge())
    assert [source.title for source in cost.sources] == [title]
