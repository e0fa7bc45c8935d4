"""Finding platform, disk, egress, spot price and retirement of an offer."""

import dataclasses

import pytest

from advisor.knowledge.cloud import cloud_index, is_burstable, physical_cores
from advisor.knowledge.store import Knowledge
from advisor.model.machine import DeviceKind
from advisor.model.offer import (
    AcceleratorName,
    BillingRule,
    CpuPlatform,
    EgressPrice,
    Retirement,
    SpotBand,
    StoragePrice,
)
from advisor.model.published import DeviceSpec
from tests.advisor.knowledge.cloud_values import OFFER, TODAY


def _disk(vendor, region, usd, *, kind="ssd", doublings=False):
    return StoragePrice(
        vendor=vendor,
        region=region,
        kind=kind,
        usd_per_gib_month=usd,
        observed_on="2026-01-01",
        source="test",
        is_billed_in_doublings=doublings,
    )


def _egress(region, usd, free):
    return EgressPrice(
        vendor="azure",
        region=region,
        usd_per_gib=usd,
        free_gib_per_month=free,
        observed_on="2026-01-01",
        source="test",
    )


def _platform(family="Dsv6", vcpus_per_core=2):
    return CpuPlatform(
        vendor="azure",
        family=family,
        architecture="x86_64",
        cpu_models="8573C",
        microarchitecture="Emerald Rapids",
        vcpus_per_core=vcpus_per_core,
        reported_ghz=2.3,
        isa_features=("avx2",),
        source="test",
        observed_on=None,
        note=None,
    )


def _device(name, kind=DeviceKind.DGPU):
    unknown = dict.fromkeys(
        field.name for field in dataclasses.fields(DeviceSpec) if field.name != "aliases"
    )
    return DeviceSpec(
        **{**unknown, "device": name, "kind": kind, "vendor": "X", "source": "t"}, aliases=()
    )


def _retirement(pattern, status, date):
    return Retirement(
        vendor="azure",
        series=pattern,
        instance_pattern=pattern,
        status=status,
        date=date,
        source="test",
    )


class TestLookups:
    def test_nothing_is_known_of_an_empty_knowledge(self):
        index = cloud_index(Knowledge())
        assert index.platform_of(OFFER) is None
        assert index.billing_rule("azure") is None
        assert index.disk_usd(vendor="azure", region="eastus", gib=64, hours=1) is None
        assert index.egress_usd(vendor="azure", region="eastus", gib=1) is None
        assert index.spot_band(OFFER) is None
        assert index.retirement_of(OFFER) is None
        assert not index.is_retired(OFFER, today=TODAY)
        gpu = dataclasses.replace(OFFER, accelerator="T4")
        assert index.accelerator_device(gpu) is None

    def test_platform_joins_on_vendor_and_family(self):
        index = cloud_index(Knowledge(cpu_platforms=(_platform(), _platform("Dasv6"))))
        assert index.platform_of(OFFER) == _platform()
        assert index.platform_of(dataclasses.replace(OFFER, vendor="aws")) is None
        assert index.platform_of(dataclasses.replace(OFFER, family=None)) is None

    def test_a_vendor_has_one_billing_rule(self):
        rule = BillingRule(vendor="azure", increment_s=1, minimum_s=60, note=None, source="t")
        index = cloud_index(Knowledge(billing_rules=(rule,)))
        assert index.billing_rule("azure") is rule
        assert index.billing_rule("nobody") is None

    def test_a_month_of_disk_costs_the_month_price(self):
        index = cloud_index(Knowledge(storage_prices=(_disk("gcp", "us", 0.1),)))
        usd = index.disk_usd(vendor="gcp", region="us", gib=100, hours=730)
        assert usd == pytest.approx(10.0)

    def test_the_usual_disk_of_the_region_is_taken_before_other_regions(self):
        rows = (
            _disk("gcp", "us", 0.1),
            _disk("gcp", "asia", 0.2),
            _disk("gcp", "asia", 0.3, kind="fast"),
        )
        index = cloud_index(Knowledge(storage_prices=rows))
        assert index.disk_price(vendor="gcp", region="asia") is rows[1]
        assert index.disk_price(vendor="gcp", region="mars") is rows[0]
        assert index.disk_price(vendor="aws", region="us") is None

    @pytest.mark.parametrize(("gib", "billed"), [(1, 4), (33, 64), (64, 64), (64.5, 128)])
    def test_a_size_in_doublings_is_rounded_up(self, gib, billed):
        index = cloud_index(Knowledge(storage_prices=(_disk("azure", None, 1.0, doublings=True),)))
        usd = index.disk_usd(vendor="azure", region="eastus", gib=gib, hours=730)
        assert usd == pytest.approx(billed)

    @pytest.mark.parametrize(
        ("used", "usd"), [(None, 20.0), (0.0, 0.0), (100.0, 20.0), (60.0, 12.0)]
    )
    def test_free_traffic_counts_only_when_the_used_part_is_told(self, used, usd):
        index = cloud_index(Knowledge(egress_prices=(_egress("eastus", 0.2, 100.0),)))
        cost = index.egress_usd(vendor="azure", region="eastus", gib=100, used_gib=used)
        assert cost == pytest.approx(usd)

    def test_traffic_without_a_known_allowance_is_paid_from_the_first_byte(self):
        index = cloud_index(Knowledge(egress_prices=(_egress("eastus", 0.2, None),)))
        cost = index.egress_usd(vendor="azure", region="westus", gib=10, used_gib=0.0)
        assert cost == pytest.approx(2.0)

    def test_a_spot_band_belongs_to_a_type_in_a_region(self):
        band = SpotBand(
            vendor="azure",
            instance_type=OFFER.instance_type,
            region="eastus",
            low_percent=5,
            high_percent=10,
            observed_on="2025-06-28",
            source="t",
        )
        index = cloud_index(Knowledge(spot_bands=(band,)))
        assert index.spot_band(OFFER) is band
        assert index.spot_band(dataclasses.replace(OFFER, region="westus")) is None

    @pytest.mark.parametrize(
        ("status", "date", "expected"),
        [
            ("retired", "2026-11-21", True),
            ("retired", None, True),
            ("announced", "2026-11-22", False),
            ("announced", "2026-11-20", True),
            ("announced", None, False),
            ("not_listed", None, True),
            ("previous_generation", None, False),
        ],
    )
    def test_a_series_is_retired_from_its_date_on(self, status, date, expected):
        row = _retirement(r"Standard_D\d+s_v6", status, date)
        index = cloud_index(Knowledge(retirements=(row,)))
        assert index.retirement_of(OFFER) is row
        assert index.is_retired(OFFER, today=TODAY) is expected

    def test_a_retirement_must_fit_the_whole_type(self):
        row = _retirement(r"Standard_D\d+s", "retired", None)
        index = cloud_index(Knowledge(retirements=(row,)))
        assert index.retirement_of(OFFER) is None

    def test_an_accelerator_is_told_apart_by_its_memory(self):
        small, large, old = _device("A100 40"), _device("A100 80"), _device("T4")
        rows = (
            AcceleratorName(accelerator="A100", memory_bytes=40, device="A100 40", note=None),
            AcceleratorName(accelerator="A100", memory_bytes=80, device="A100 80", note=None),
            AcceleratorName(accelerator="T4", memory_bytes=None, device="T4", note=None),
            AcceleratorName(accelerator="X1", memory_bytes=None, device=None, note=None),
            AcceleratorName(accelerator="C1", memory_bytes=None, device="C1", note=None),
        )
        cpu = _device("C1", DeviceKind.CPU)
        index = cloud_index(Knowledge(devices=(small, large, old, cpu), accelerators=rows))

        def found(accelerator, memory):
            offer = dataclasses.replace(
                OFFER, accelerator=accelerator, accelerator_memory_bytes=memory
            )
            return index.accelerator_device(offer)

        assert found("A100", 40) is small
        assert found("A100", 80) is large
        assert found("A100", 20) is None
        assert found("T4", 16) is old
        assert found("T4", None) is old
        assert found("X1", 1) is None
        assert found("C1", 1) is None
        assert found(None, None) is None

    @pytest.mark.parametrize(
        ("vendor", "instance_type", "expected"),
        [
            ("aws", "t3.large", True),
            ("aws", "t4g.2xlarge", True),
            ("aws", "trn1.2xlarge", False),
            ("aws", "c7i.large", False),
            ("azure", "Standard_B2as_v2", True),
            ("azure", "Standard_D2as_v5", False),
            ("gcp", "e2-medium", True),
            ("gcp", "e2-standard-4", False),
            ("lambda", "t3.large", False),
        ],
    )
    def test_burstable_types_are_recognised(self, vendor, instance_type, expected):
        offer = dataclasses.replace(OFFER, vendor=vendor, instance_type=instance_type)
        assert is_burstable(offer) is expected

    def test_cores_follow_the_rule_of_the_platform(self):
        assert physical_cores(OFFER, platform=_platform()) == 4.0
        assert physical_cores(OFFER, platform=_platform(vcpus_per_core=1)) == 8.0
        assert physical_cores(OFFER, platform=_platform(vcpus_per_core=None)) is None
        assert physical_cores(OFFER, platform=None) is None
        unknown = dataclasses.replace(OFFER, vcpus=None)
        assert physical_cores(unknown, platform=_platform()) is None
