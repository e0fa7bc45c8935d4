"""Each check on a list, at its limit."""

import dataclasses

import pytest

from advisor.knowledge.refresh.accept import anchors, check_bands, check_list
from advisor.knowledge.refresh.priced import PriceList
from advisor.knowledge.refresh.sources import SOURCES, PriceError
from tests.advisor.knowledge.refresh.servers import aws_offers, knowledge, offer

AWS = SOURCES["aws"]
USED = aws_offers()


def check(offers=USED, *, listed=1000, before=None, used=USED, source=AWS, odd=0, above=0):
    prices = PriceList(offers=tuple(offers), n_listed=listed, n_impossible=odd, n_spot_above=above)
    check_list(prices, source=source, used=used, n_listed_before=before)


def dearer(factor, *, which=lambda _row: True):
    return tuple(
        dataclasses.replace(row, usd_per_hour=row.usd_per_hour * factor) if which(row) else row
        for row in USED
    )


def test_same_list_is_accepted():
    check()
    check(listed=500)
    check(listed=800, before=1000)
    check(dearer(1.9))
    check(dearer(0.51))
    check(odd=10, above=10)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"listed": 499}, "499 rows, at least 500"),
        ({"listed": 799, "before": 1000}, "799 rows, where the last list had 1000"),
        ({"odd": 11}, "11 prices are not between"),
        ({"above": 11}, "11 spot prices are above"),
        ({"offers": ()}, "no machine that we know"),
        ({"offers": USED[:143]}, "offers, where"),
        ({"offers": dearer(2.1)}, "would cost"),
        ({"offers": dearer(0.49)}, "would cost"),
    ],
)
def test_each_check_says_what_failed(more, message):
    with pytest.raises(PriceError, match=message):
        check(**more)


def test_many_moved_prices_are_refused_even_when_the_anchors_stand():
    fixed = anchors(USED, USED, source=AWS)
    moved = dearer(3.0, which=lambda o: (o.instance_type, o.region) not in fixed)
    with pytest.raises(PriceError, match="175 of 180 prices moved"):
        check(moved)


def test_one_moved_price_that_is_no_anchor_is_a_change_of_price():
    fixed = anchors(USED, USED, source=AWS)
    free = next(o for o in USED if (o.instance_type, o.region) not in fixed)
    check(dearer(3.0, which=lambda o: o is free))


def test_families_that_a_list_never_had_are_not_missed():
    check([row for row in USED if row.family != "c8g"])


def test_anchors_are_spread_and_do_not_depend_on_order():
    fixed = anchors(USED, USED, source=AWS)
    assert len(fixed) == len(set(fixed)) == 5
    assert fixed == anchors(USED[::-1], USED, source=AWS)
    assert len({name for name, _ in fixed}) > 1


def test_without_anything_in_common_there_is_nothing_to_compare():
    assert anchors((), USED, source=AWS) == ()
    check(used=())


def test_marketplaces_are_compared_by_accelerator():
    source = SOURCES["vast-ai"]

    def gpu(name, usd):
        return offer(
            name, "any", usd, None, 1, vendor="vast-ai", accelerator="A100-SXM",
            n_accelerators=1.0, accelerator_memory_bytes=80 * 2**30,
        )  # fmt: skip

    check([gpu("new", 2.0)], used=[gpu("old", 0.5)], source=source)
    with pytest.raises(PriceError, match="A100-SXM"):
        check([gpu("new", 3.0)], used=[gpu("old", 0.5)], source=source)


def test_bands():
    used = knowledge().spot_bands
    other = [dataclasses.replace(used[0], high_percent=20.0), *used[1:]]
    check_bands(other, used=used)
    with pytest.raises(PriceError, match="bands, where 30 are in use"):
        check_bands(other[:23], used=used)
    with pytest.raises(PriceError, match="same band"):
        check_bands(used, used=used)
    with pytest.raises(PriceError):
        check_bands((), used=())
