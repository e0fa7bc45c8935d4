"""The bundled offers, of today and of 2017: complete, consistent, and found."""

import collections
import dataclasses

import pytest

from advisor.knowledge.cloud import cloud_index
from advisor.model.machine import DeviceKind
from tests.advisor.knowledge.cloud_values import GIB, OFFER, TODAY
from tests.helpers.bundled import bundled_knowledge

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


@pytest.fixture(scope="module")
def bundled():
    return bundled_knowledge()


@pytest.fixture(scope="module")
def bundled_index(bundled):
    return cloud_index(bundled)


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
