"""How old prices are."""

from advisor.knowledge.refresh.status import PriceStatus, price_status
from advisor.knowledge.refresh.table import table_file
from advisor.model.codec import dump_document, load_document
from tests.advisor.knowledge.refresh.servers import knowledge, offer
from tests.advisor.knowledge.refresh.test_table import NEW, keep


def status(folder, today="2026-11-21", **more):
    return price_status(knowledge(), folder=folder, today=today, **more)


def test_bundled_prices(tmp_path):
    (aws,) = status(tmp_path).vendors
    assert (aws.vendor, aws.n_offers, aws.n_spot) == ("aws", 180, 180)
    assert (aws.oldest, aws.newest, aws.age_days) == ("2026-07-20", "2026-07-20", 124)
    assert (aws.n_old, aws.n_spot_old) == (180, 180)
    assert (aws.fetched_at, aws.sources, aws.is_refreshable) == (None, ("old-list",), True)


def test_limits_of_age(tmp_path):
    assert status(tmp_path, "2026-10-18").vendors[0].n_old == 0
    assert status(tmp_path, "2026-10-19").vendors[0].n_old == 180
    assert status(tmp_path, "2025-07-05").vendors[0].n_spot_old == 0
    assert status(tmp_path, "2025-07-06").vendors[0].n_spot_old == 180
    assert status(tmp_path, "2020-01-01").vendors[0].age_days == 0


def test_refreshed_prices(tmp_path):
    keep(tmp_path)
    (aws,) = status(tmp_path).vendors
    assert (aws.oldest, aws.newest) == ("2026-07-20", "2026-11-21")
    assert aws.n_old == 180 - len(NEW)
    assert aws.fetched_at == "2026-11-21T10:00:00+00:00"


def test_vendor_without_spot_prices(tmp_path):
    row = offer(
        "x", "any", 1.0, None, 1, vendor="vultr", spot_usd_per_hour=None, spot_observed_on=None
    )
    found = price_status(knowledge(row), folder=tmp_path, today="2026-11-21").vendors[1]
    assert (found.vendor, found.n_spot, found.spot_age_days) == ("vultr", 0, None)
    assert not found.is_refreshable


def test_damaged_table_is_a_problem(tmp_path):
    keep(tmp_path)
    table_file(tmp_path, name="aws").write_text("")
    assert len(status(tmp_path).problems) == 1


def test_round_trip(tmp_path):
    value = status(tmp_path)
    assert load_document(dump_document(value), PriceStatus) == value
