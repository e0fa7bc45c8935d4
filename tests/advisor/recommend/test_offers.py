"""Hard filters over offers, and the front of those that nothing beats."""

import dataclasses

import pytest

from advisor.knowledge.catalog import machine_types
from advisor.knowledge.cloud import cloud_index
from advisor.knowledge.store import Knowledge
from advisor.model.offer import AcceleratorName, CpuPlatform, Retirement
from advisor.model.recommendation import Preferences, ReasonCode
from advisor.recommend.cloud_steps import cloud_steps
from advisor.recommend.offers import choose_offers, cloud_option, refusal_of
from tests.advisor.recommend.builders import (
    GIB,
    TODAY,
    a_gpu_offer,
    a_spec,
    a_workload,
    an_offer,
    replace,
)

T4 = a_spec(
    device="NVIDIA Tesla T4", peak_fp32_flop_per_s=8.141e12, memory_bytes=16 * GIB, year=2018
)


def a_platform(family, **changes):
    values = {
        "vendor": "aws",
        "family": family,
        "architecture": "x86_64",
        "cpu_models": "a model",
        "microarchitecture": None,
        "vcpus_per_core": 2,
        "reported_ghz": 3.0,
        "isa_features": ("avx", "avx2", "fma"),
        "source": "a list",
        "observed_on": None,
        "note": None,
    }
    return CpuPlatform(**{**values, **changes})


V520 = dataclasses.replace(T4, device="AMD Radeon Pro V520", vendor="AMD")
FACTS = Knowledge(
    devices=(T4, V520),
    accelerators=(
        AcceleratorName(accelerator="T4", memory_bytes=None, device=T4.device, note=None),
        AcceleratorName(accelerator="V520", memory_bytes=None, device=V520.device, note=None),
        AcceleratorName(accelerator="Inferentia", memory_bytes=None, device=None, note=None),
    ),
    retirements=(
        Retirement(
            vendor="aws", series="p2", instance_pattern=r"p2\..+", status="not_listed", date=None,
            source="a list",
        ),
        Retirement(
            vendor="aws", series="c4", instance_pattern=r"c4\..+", status="announced",
            date="2027-01-01", source="a list",
        ),
    ),
    cpu_platforms=(
        a_platform("c7i", isa_features=("avx", "avx2", "avx512f")),
        a_platform("c5a"),
        a_platform("c8a", vcpus_per_core=1, isa_features=("avx", "avx2", "avx512f")),
    ),
)  # fmt: skip
INDEX = cloud_index(FACTS)


def refusal(offer, *, workload=None, today=TODAY, **wishes):
    return refusal_of(
        offer,
        workload=workload or a_workload(),
        preferences=Preferences(**wishes),
        index=INDEX,
        today=today,
    )


def chosen(*offers, workload=None, **wishes):
    return choose_offers(
        machine_types(offers),
        workload=workload or a_workload(),
        preferences=Preferences(**wishes),
        index=INDEX,
        today=TODAY,
    )


def ids(choice):
    return [option.id for option in choice.options]


# --- filters ------------------------------------------------------------------------------------


def test_a_fit_offer_is_not_refused():
    assert refusal(an_offer()) is None
    assert refusal(a_gpu_offer()) is None


@pytest.mark.parametrize(
    ("offer", "code"),
    [
        (an_offer(usd_per_hour=None, spot_usd_per_hour=None), ReasonCode.PRICE_UNKNOWN),
        (an_offer(memory_bytes=GIB), ReasonCode.MEMORY_TOO_SMALL),
        (an_offer(instance_type="t3.large"), ReasonCode.BURSTABLE),
        (an_offer(vcpus=None), ReasonCode.TIME_UNKNOWN),
        (a_gpu_offer(accelerator="Inferentia"), ReasonCode.TIME_UNKNOWN),
        (a_gpu_offer(accelerator="Unheard-of"), ReasonCode.TIME_UNKNOWN),
        (a_gpu_offer(accelerator_memory_bytes=GIB), ReasonCode.MEMORY_TOO_SMALL),
        (a_gpu_offer(architecture="arm64"), ReasonCode.FRAMEWORK_DOES_NOT_RUN),
        (a_gpu_offer(accelerator="V520"), ReasonCode.FRAMEWORK_DOES_NOT_RUN),
        (an_offer(instance_type="p2.xlarge"), ReasonCode.RETIRED),
    ],
)
def test_hard_filters(offer, code):
    assert refusal(offer) is code


def test_unknown_memory_is_not_too_small():
    assert refusal(an_offer(memory_bytes=None)) is None


def test_unknown_memory_is_too_small_for_what_no_such_machine_holds():
    huge = a_workload(memory_training_bytes=9000 * GIB)
    assert refusal(an_offer(memory_bytes=None), workload=huge) is ReasonCode.MEMORY_TOO_SMALL
    assert refusal(an_offer(memory_bytes=None, vcpus=None)) is ReasonCode.TIME_UNKNOWN


def test_an_announced_end_counts_from_its_day():
    offer = an_offer(instance_type="c4.large")
    assert refusal(offer, today="2026-12-31") is None
    assert refusal(offer, today="2027-01-01") is ReasonCode.RETIRED


def test_regions_that_are_not_wanted():
    assert refusal(an_offer(), regions=("eu",)) is ReasonCode.REGION_NOT_CHOSEN
    assert refusal(an_offer(), regions=("europe",)) is ReasonCode.REGION_NOT_CHOSEN
    assert refusal(an_offer(), regions=("north-america",)) is not ReasonCode.REGION_NOT_CHOSEN


# --- choice -------------------------------------------------------------------------------------


def test_renting_not_allowed():
    choice = chosen(an_offer(), allows_cloud=False)
    assert choice.options == ()
    assert choice.n_considered == 0
    (rejection,) = choice.rejections
    assert rejection.reasons[0].code is ReasonCode.CLOUD_NOT_ALLOWED


def test_on_demand_and_spot_are_options_of_their_own():
    choice = chosen(an_offer())
    assert ids(choice) == [
        "cloud:aws:c7i.4xlarge:us-east-1:on-demand",
        "cloud:aws:c7i.4xlarge:us-east-1:spot",
    ]
    assert [option.is_spot for option in choice.options] == [False, True]
    assert choice.n_considered == 2


def test_an_offer_without_a_spot_price_is_no_spot_option():
    assert ids(chosen(an_offer(spot_usd_per_hour=None))) == [
        "cloud:aws:c7i.4xlarge:us-east-1:on-demand"
    ]


def test_of_one_machine_the_cheapest_region_counts():
    near = an_offer(spot_usd_per_hour=None)
    far = replace(near, region="us-west-9", usd_per_hour=0.5)
    assert ids(chosen(near, far)) == ["cloud:aws:c7i.4xlarge:us-west-9:on-demand"]
    assert ids(chosen(far, near)) == ids(chosen(near, far))


def test_slower_and_dearer_is_left_out():
    good = an_offer(spot_usd_per_hour=None)
    worse = replace(good, instance_type="c5a.4xlarge", family="c5a", usd_per_hour=0.8)
    cheap = replace(good, instance_type="c5a.2xlarge", family="c5a", vcpus=8.0, usd_per_hour=0.3)
    kept = ids(chosen(good, worse, cheap))
    assert "cloud:aws:c5a.4xlarge:us-east-1:on-demand" not in kept
    assert len(kept) == 2


def test_whole_cores_count_as_such():
    threads = an_offer(spot_usd_per_hour=None, usd_per_hour=0.7)
    cores = replace(threads, instance_type="c8a.4xlarge", family="c8a", usd_per_hour=0.69)
    assert ids(chosen(threads, cores)) == ["cloud:aws:c8a.4xlarge:us-east-1:on-demand"]


def test_the_cheapest_of_another_vendor_is_kept_as_a_choice():
    first = a_gpu_offer(spot_usd_per_hour=None)
    other = replace(first, vendor="gcp", instance_type="n1+T4x1", usd_per_hour=0.6)
    third = replace(first, instance_type="g4dn.8xlarge", usd_per_hour=2.0)
    assert ids(chosen(first, other, third)) == [
        "cloud:aws:g4dn.xlarge:us-east-1:on-demand",
        "cloud:gcp:n1+T4x1:us-east-1:on-demand",
    ]


def test_small_vendors_do_not_hide_large_ones():
    large = a_gpu_offer(spot_usd_per_hour=None)
    small = replace(large, vendor="smallcloud", instance_type="1x-T4", usd_per_hour=0.1)
    assert len(ids(chosen(large, small))) == 2


def test_refused_offers_are_one_line_for_each_reason():
    choice = chosen(
        an_offer(instance_type="t3.large"),
        an_offer(instance_type="t3.small"),
        an_offer(memory_bytes=GIB),
    )
    found = {
        rejection.reasons[0].code: rejection.reasons[0].parameters[0].value
        for rejection in choice.rejections
    }
    assert found == {ReasonCode.BURSTABLE: 2.0, ReasonCode.MEMORY_TOO_SMALL: 1.0}


def test_the_order_of_offers_does_not_matter():
    offers = [
        an_offer(instance_type=f"c7i.{n}", vcpus=float(n), usd_per_hour=0.05 * n)
        for n in range(1, 20)
    ]
    assert chosen(*offers) == chosen(*reversed(offers))


def test_title_names_the_accelerator():
    option = cloud_option(a_gpu_offer(), is_spot=True)
    assert option.title == "aws g4dn.xlarge (T4), us-east-1, spot"


def test_a_title_says_once_that_a_machine_may_be_taken_away():
    option = cloud_option(
        a_gpu_offer(vendor="salad", instance_type="1x-T4-16g/spot", region="any"), is_spot=True
    )
    assert option.title == "salad 1x-T4-16g, spot"
    assert option.id == "cloud:salad:1x-T4-16g/spot:any:spot"
    (start, *_others) = cloud_steps(option, hours=1.0, disk_gib=50)
    assert "choose 1x-T4-16g (interruptible) with" in start.content
