"""Regions of every vendor are in the part of the world that people mean."""

import pytest

from advisor.knowledge.regions import Continent, continent_of, is_in_regions
from tests.helpers.bundled import bundled_knowledge


@pytest.mark.parametrize(
    ("region", "place"),
    [
        ("eu-west-1", Continent.EUROPE),
        ("europe-west10", Continent.EUROPE),
        ("uksouth", Continent.EUROPE),
        ("swedencentral", Continent.EUROPE),
        ("us-east-1", Continent.NORTH_AMERICA),
        ("southcentralus", Continent.NORTH_AMERICA),
        ("northamerica-northeast2", Continent.NORTH_AMERICA),
        ("southamerica-east1", Continent.SOUTH_AMERICA),
        ("jioindiawest", Continent.ASIA_PACIFIC),
        ("australiaeast", Continent.ASIA_PACIFIC),
        ("southafricanorth", Continent.MIDDLE_EAST_AFRICA),
        ("any", None),
    ],
)
def test_where_a_region_is(region, place):
    assert continent_of(region) is place


def test_every_region_with_an_offer_is_somewhere():
    regions = {offer.region for offer in bundled_knowledge().offers}
    assert {region for region in regions if continent_of(region) is None} == {"any"}


@pytest.mark.parametrize(
    ("wanted", "is_in"),
    [
        ((), True),
        (("europe",), True),
        (("us-east-1", "Germany"), True),
        (("germanywestcentral",), True),
        (("asia-pacific", "north-america"), False),
        (("eu-",), False),
    ],
)
def test_what_is_asked_for(wanted, is_in):
    assert is_in_regions("germanywestcentral", wanted=wanted) is is_in
    assert not is_in_regions("any", wanted=("europe",))
