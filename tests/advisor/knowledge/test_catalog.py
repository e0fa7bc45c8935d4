"""Offers grouped into machines: what differs in region and price only is one."""

import pytest

from advisor.knowledge.catalog import machine_type, machine_types
from tests.advisor.recommend.builders import a_gpu_offer, an_offer, replace
from tests.helpers.bundled import bundled_knowledge

NEAR = an_offer(usd_per_hour=0.7, spot_usd_per_hour=0.2)
FAR = replace(NEAR, region="us-west-9", usd_per_hour=0.5, spot_usd_per_hour=None)


def test_regions_and_prices_make_no_machine():
    other = replace(NEAR, region="zz", observed_on="2020-01-01", source="elsewhere")
    (machine,) = machine_types([NEAR, FAR, other])
    assert machine.offers == (NEAR, FAR, other)
    assert machine.sample is NEAR


@pytest.mark.parametrize(
    "changes",
    [
        {"vendor": "gcp"},
        {"instance_type": "other"},
        {"family": "other"},
        {"architecture": "arm64"},
        {"vcpus": 3.0},
        {"memory_bytes": None},
        {"accelerator": "T4"},
        {"n_accelerators": 2.0},
        {"accelerator_memory_bytes": 1},
    ],
)
def test_whatever_else_differs_is_another_machine(changes):
    assert len(machine_types([NEAR, replace(FAR, **changes)])) == 2


def test_the_cheapest_of_each_form():
    machine = machine_type([NEAR, FAR])
    assert (machine.on_demand, machine.spot) == (FAR, NEAR)
    assert (machine.n_prices, machine.n_unpriced) == (3, 0)


def test_of_equal_prices_the_first_region_by_name():
    twin = replace(NEAR, region="aa")
    assert machine_type([NEAR, twin]).on_demand is twin
    assert machine_type([twin, NEAR]).spot is twin


def test_unknown_prices_are_counted_not_compared():
    nothing = replace(NEAR, usd_per_hour=None, spot_usd_per_hour=None)
    machine = machine_type([nothing, NEAR, nothing])
    assert (machine.on_demand, machine.n_prices, machine.n_unpriced) == (NEAR, 2, 2)
    unpriced = machine_type([nothing])
    assert (unpriced.on_demand, unpriced.spot, unpriced.n_unpriced) == (None, None, 1)


def test_machines_stand_in_the_order_of_their_first_offer():
    found = machine_types([a_gpu_offer(), NEAR, a_gpu_offer(region="zz")])
    assert [machine.sample for machine in found] == [a_gpu_offer(), NEAR]


def test_no_bundled_offer_is_lost():
    offers = bundled_knowledge().offers
    machines = machine_types(offers)
    assert sorted(map(id, offers)) == sorted(id(o) for m in machines for o in m.offers)
    assert len(machines) < len(offers) / 3
