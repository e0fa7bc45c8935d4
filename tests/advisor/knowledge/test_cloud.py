import collections
import dataclasses

import pytest

from advisor.knowledge.cloud import cloud_index, is_burstable, physical_cores
from advisor.knowledge.store import Knowledge, load_knowledge
from advisor.model.machine import DeviceKind
from advisor.model.offer import (
    AcceleratorName,
    BillingRule,
    CpuPlatform,
    EgressPrice,
    Offer,
    Retirement,
    SpotBand,
    StoragePrice,
)
from advisor.model.published import DeviceSpec

GIB = 1024**3
TODAY = "2026-11-21"

# Families of the snapshot whose processor nobody observed or documented.
PLATFORM_GAPS = {
    ("aws", "g7"),
    ("aws", "m8azn"),
    ("azure", "Didsv7"),
    ("azure", "Disv7"),
    ("azure", "Dndsv6"),
    ("azure", "Dnldsv6"),
    ("azure", "Dnlsv6"),
    ("azure", "Dnsv6"),
    ("azure", "Ebdsv6"),
    ("azure", "Ebsv6"),
    ("azure", "Eibdsv6"),
    ("azure", "Eibsv6"),
    ("azure", "Eidsv7"),
    ("azure", "Eisv7"),
    ("azure", "Endsv6"),
    ("azure", "Ensv6"),
    ("azure", "Fiamsv6"),
    ("azure", "NCdsxlRTXPRO6000BSEv6"),
    ("azure", "NCldsxlRTXPRO6000BSEv6"),
    ("azure", "NDamsA100v4"),
    ("azure", "NDasrA100v4"),
    ("azure", "NDisflexH100v5"),
    ("azure", "NDisnoIBH100v5"),
}

OFFER = Offer(
    vendor="azure",
    instance_type="Standard_D8s_v6",
    region="eastus",
    family="Dsv6",
    architecture="x86_64",
    vcpus=8.0,
    memory_bytes=32 * GIB,
    accelerator=None,
    n_accelerators=None,
    accelerator_memory_bytes=None,
    usd_per_hour=0.4,
    spot_usd_per_hour=None,
    observed_on="2026-06-18",
    spot_observed_on=None,
    source="test",
    spot_source=None,
)


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


@pytest.fixture(scope="module")
def bundled():
    return load_knowledge()


@pytest.fixture(scope="module")
def bundled_index(bundled):
    return cloud_index(bundled)


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


class TestBundledOffers:
    def test_each_vendor_and_thousands_of_types_are_there(self, bundled):
        vendors = collections.Counter(offer.vendor for offer in bundled.offers)
        assert min(vendors[v] for v in ("aws", "gcp", "azure")) >= 1000
        assert len(vendors) >= 25

    def test_prices_are_known_positive_and_plausible(self, bundled):
        for offer in (*bundled.offers, *bundled.offers_2017):
            prices = [p for p in (offer.usd_per_hour, offer.spot_usd_per_hour) if p is not None]
            assert prices, offer
            assert all(0.0 < price < 1000.0 for price in prices), offer

    def test_spot_is_cheaper_than_on_demand_and_dated(self, bundled):
        for offer in (*bundled.offers, *bundled.offers_2017):
            if offer.spot_usd_per_hour is not None:
                assert offer.spot_observed_on, offer
                assert offer.spot_source, offer
                if offer.usd_per_hour is not None:
                    assert offer.spot_usd_per_hour < offer.usd_per_hour, offer

    def test_an_accelerator_has_a_number_and_a_memory_and_nothing_else_has(self, bundled):
        for offer in (*bundled.offers, *bundled.offers_2017):
            known = (offer.n_accelerators, offer.accelerator_memory_bytes)
            if offer.accelerator is None:
                assert known == (None, None), offer
            else:
                assert all(value is not None and value > 0 for value in known), offer

    def test_every_family_has_a_platform_but_for_the_known_gaps(self, bundled, bundled_index):
        gaps = {
            (offer.vendor, offer.family)
            for offer in bundled.offers
            if offer.family is not None and bundled_index.platform_of(offer) is None
        }
        assert gaps == PLATFORM_GAPS

    def test_only_gpu_clouds_leave_the_family_open(self, bundled):
        open_vendors = {offer.vendor for offer in bundled.offers if offer.family is None}
        assert not open_vendors & {"aws", "azure", "gcp", "hetzner"}

    def test_every_accelerator_spelling_is_listed(self, bundled):
        exact = {(row.accelerator, row.memory_bytes) for row in bundled.accelerators}
        for offer in (*bundled.offers, *bundled.offers_2017):
            if offer.accelerator is not None:
                memory = offer.accelerator_memory_bytes
                assert {(offer.accelerator, memory), (offer.accelerator, None)} & exact, offer

    def test_every_device_of_an_accelerator_is_specified(self, bundled):
        devices = {spec.device for spec in bundled.devices if spec.kind is not DeviceKind.CPU}
        for row in bundled.accelerators:
            assert row.device is None or row.device in devices, row

    def test_most_gpu_offers_have_a_specification(self, bundled, bundled_index):
        gpus = [offer for offer in bundled.offers if offer.accelerator is not None]
        known = [offer for offer in gpus if bundled_index.accelerator_device(offer) is not None]
        assert len(known) / len(gpus) > 0.75

    def test_a_plain_name_takes_the_slower_form(self, bundled, bundled_index):
        offer = next(o for o in bundled.offers if o.accelerator == "H100")
        assert bundled_index.accelerator_device(offer).device == "NVIDIA H100 PCIe 80 GB"

    @pytest.mark.parametrize("vendor", ["aws", "gcp", "azure"])
    def test_the_large_vendors_can_be_priced_completely(self, bundled, bundled_index, vendor):
        assert bundled_index.billing_rule(vendor).minimum_s == 60
        for region in {offer.region for offer in bundled.offers if offer.vendor == vendor}:
            assert 0 < bundled_index.disk_usd(vendor=vendor, region=region, gib=64, hours=5) < 0.1
            assert 0.05 < bundled_index.egress_usd(vendor=vendor, region=region, gib=1) < 0.2

    def test_an_interruption_band_is_a_band_of_an_offer(self, bundled):
        types = {(o.vendor, o.instance_type, o.region) for o in bundled.offers}
        for band in bundled.spot_bands:
            assert 0 <= band.low_percent < band.high_percent <= 100, band
            assert (band.vendor, band.instance_type, band.region) in types, band

    def test_retired_series_are_marked(self, bundled, bundled_index):
        retired = {
            offer.family for offer in bundled.offers if bundled_index.is_retired(offer, today=TODAY)
        }
        assert retired == {"p3", "dl1"}

    def test_a_retirement_names_its_series_and_nothing_newer(self, bundled_index):
        def series_of(instance_type):
            row = bundled_index.retirement_of(
                dataclasses.replace(OFFER, instance_type=instance_type)
            )
            return row and row.series

        assert series_of("Standard_NC6s_v3") == "NCv3"
        assert series_of("Standard_F16s_v2") == "Fsv2"
        assert series_of("Standard_B2ms") == "B (v1)"
        assert series_of("Standard_D2_v2") == "D, Ds, Dv2, Dsv2, Ls"
        assert series_of("Standard_D4s_v3").startswith("Dv3")
        assert series_of("Standard_E8ads_v5") is None
        assert series_of("Standard_D8s_v6") is None
        assert series_of("Standard_B2as_v2") is None
        assert series_of("Standard_F8as_v6") is None

    def test_a_platform_names_one_of_our_microarchitectures_slowest_last(self, bundled):
        rates = {}
        for row in bundled.cpu_isa:
            for name in row.microarchitecture.split(" / "):
                rates[name] = row.fp32_flop_per_cycle_per_core
            rates[row.microarchitecture] = row.fp32_flop_per_cycle_per_core
        rates["Skylake-SP"] = rates["Skylake-SP/X"]
        rates["Sapphire Rapids"] = rates["Emerald Rapids"]
        known = [p for p in bundled.cpu_platforms if p.microarchitecture is not None]
        assert len(known) > 250
        for platform in known:
            found = [rates[name] for name in platform.microarchitecture.split(" | ")]
            assert found == sorted(found, reverse=True), platform

    def test_flags_of_a_platform_are_consistent(self, bundled):
        for platform in bundled.cpu_platforms:
            flags = set(platform.isa_features)
            assert not ("avx512f" in flags and "avx2" not in flags), platform
            assert not ("avx2" in flags and "avx" not in flags), platform
            assert not ({"avx", "asimd"} <= flags), platform


class TestPricesOf2017:
    @pytest.fixture
    def july(self, bundled):
        return {o.instance_type: o for o in bundled.offers_2017 if o.observed_on == "2017-07-01"}

    @pytest.mark.parametrize(
        ("instance_type", "vcpus", "usd"),
        [("n1-highcpu-16", 16, 0.127), ("n1-highcpu-32", 32, 0.255), ("n1-highcpu-64", 64, 0.509)],
    )
    def test_the_preemptible_rates_of_the_study(self, july, instance_type, vcpus, usd):
        offer = july[instance_type]
        assert offer.vcpus == vcpus
        assert offer.spot_usd_per_hour == pytest.approx(0.060 * 1.0607 * vcpus / 8, abs=1e-6)
        assert offer.spot_usd_per_hour == pytest.approx(usd, abs=5e-4)

    def test_the_gpu_of_the_study_costs_machine_and_accelerator(self, july):
        gpu = july["n1-standard-1+K80x1"]
        assert gpu.usd_per_hour == pytest.approx(0.700 + 0.045)
        ratio = july["n1-highcpu-64"].spot_usd_per_hour / gpu.usd_per_hour
        assert ratio == pytest.approx(0.683, abs=1e-3)

    def test_the_follow_up_has_its_own_prices(self, bundled):
        november = {
            o.instance_type: o for o in bundled.offers_2017 if o.observed_on == "2017-11-01"
        }
        assert november["n1-standard-1+K80x1"].usd_per_hour == pytest.approx(0.4975)
        assert november["n1-standard-1+P100x1"].usd_per_hour == pytest.approx(1.5075)
        assert november["n1-highcpu-16"].spot_usd_per_hour == pytest.approx(0.12)

    def test_ordinary_machines_cost_about_four_times_the_preemptible_ones(self, bundled):
        may = [
            o
            for o in bundled.offers_2017
            if o.observed_on == "2017-05-09" and o.instance_type.startswith("n1-highcpu")
        ]
        assert len(may) >= 15
        for offer in may:
            assert 3.5 < offer.usd_per_hour / offer.spot_usd_per_hour < 5.0, offer

    def test_a_k80_is_one_chip_with_a_specification(self, bundled_index, july):
        spec = bundled_index.accelerator_device(july["n1-standard-1+K80x1"])
        assert spec.device == "NVIDIA Tesla K80"
        assert july["n1-standard-1+K80x1"].accelerator_memory_bytes == 12 * GIB

    def test_they_are_from_2017(self, bundled):
        assert {offer.observed_on[:4] for offer in bundled.offers_2017} == {"2017"}
