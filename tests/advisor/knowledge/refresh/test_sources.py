"""Which lists a request asks for."""

import re

import pytest

from advisor.errors import InputError
from advisor.knowledge.refresh.sources import SOURCES, Endpoints, RefreshRequest, is_region
from tests.helpers.bundled import bundled_knowledge


def test_vendors_without_such_regions_are_left_alone():
    def names(**more):
        return [source.vendor for source in RefreshRequest(**more).chosen()]

    assert names(regions=("us-east-1",)) == ["aws"]
    assert names(regions=("us-central1", "eastus")) == ["azure", "gcp"]
    assert names(vendors=("lambda", "aws"), regions=("us-east-1",)) == ["aws", "lambda"]
    assert names() == list(SOURCES)


def test_usual_regions_are_regions_of_the_bundled_table():
    bundled = {(offer.vendor, offer.region) for offer in bundled_knowledge().offers}
    for source in SOURCES.values():
        assert source.is_same_naming == bool(source.usual_regions)
        for region in source.usual_regions:
            assert (source.vendor, region) in bundled
            assert is_region(region, source=source)


def test_every_region_of_the_bundled_table_can_be_asked_for():
    bundled = {(offer.vendor, offer.region) for offer in bundled_knowledge().offers}
    for vendor, region in bundled:
        if vendor in SOURCES and SOURCES[vendor].is_same_naming:
            assert is_region(region, source=SOURCES[vendor]), (vendor, region)


@pytest.mark.parametrize("region", ["", "eastus' or 1 eq 1", "EASTUS", "east us", "../eastus"])
def test_words_that_are_no_region_are_not_sent(region):
    with pytest.raises(InputError, match=re.escape(repr(region))):
        RefreshRequest(vendors=("azure",), regions=(region,)).chosen()


def test_all_addresses_have_tls():
    usual = Endpoints()
    for url in (*usual.catalogs, usual.azure, usual.spot_advisor):
        assert url.startswith("https://")
