"""The user's own rows reach the advice; a bad one is one line on standard error."""

import json
from pathlib import Path

import platformdirs
import pytest

from advisor.knowledge.rows import dump_rows
from advisor.knowledge.store import load_knowledge
from advisor.model.offer import Offer
from tests.advisor.recommend.builders import replace
from ui import dataset
from ui.cli import run
from ui.settings import own_rows_folder

A10 = Path(__file__).resolve().parents[1] / "data/machines/a10-7850k/profile.json"
# The cheapest: whether a machine is among the fastest is not what these tests ask.
ADVICE = [
    *("recommend", "cifar10-deep-cnn", "--objective", "cheapest"),
    *("--profile", str(A10), "--json"),
]


@pytest.fixture(autouse=True)
def fresh_knowledge():
    """Let each test read its own folder."""
    dataset.bundled_knowledge.cache_clear()
    dataset.bundled_index.cache_clear()
    yield
    dataset.bundled_knowledge.cache_clear()
    dataset.bundled_index.cache_clear()


def put_offers(*offers: Offer) -> None:
    file = own_rows_folder() / "offers" / "offers.csv"
    file.parent.mkdir(parents=True)
    file.write_text(dump_rows(offers, Offer), encoding="utf-8", newline="")


def my_offer() -> Offer:
    """Return a machine like one of the bundled ones, nearly for nothing, in one's own cellar."""
    known = next(o for o in load_knowledge().offers if o.accelerator == "L4" and o.usd_per_hour)
    return replace(
        known,
        vendor="my-rack",
        instance_type="rig",
        region="cellar",
        usd_per_hour=0.0001,
        spot_usd_per_hour=None,
        spot_observed_on=None,
        spot_source=None,
    )


def test_the_folder_is_below_the_users_data():
    expected = Path(platformdirs.user_data_dir("dl-advisor", appauthor=False)) / "data"
    assert own_rows_folder() == expected


def test_an_own_machine_is_recommended(capsys):
    put_offers(my_offer())
    assert run(ADVICE) == 0
    told = capsys.readouterr()
    ids = [row["option"]["id"] for row in json.loads(told.out)["value"]["ranked"]]
    assert "cloud:my-rack:rig:cellar:on-demand" in ids
    assert told.err == ""


def test_a_bad_row_is_told_in_one_line_and_costs_nothing_else(capsys):
    put_offers(replace(my_offer(), usd_per_hour=-1.0), my_offer())
    assert run(ADVICE) == 0
    told = capsys.readouterr()
    assert "my-rack" in told.out
    assert told.err.count("\n") == 1
    assert told.err.startswith(
        "dl-advisor: 1 row of your own data cannot be used; first: "
        "offers/offers.csv:2: usd_per_hour: '-1.0': "
    )


def test_without_a_folder_nothing_is_told(capsys):
    assert run(ADVICE) == 0
    assert capsys.readouterr().err == ""
