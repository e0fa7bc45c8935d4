"""Kept tables: whole, checked again when read, and put in place of older prices."""

import dataclasses
import json

import pytest

from advisor.errors import DataError
from advisor.knowledge.refresh.sources import PriceError
from advisor.knowledge.refresh.table import (
    BANDS,
    TableOrigin,
    add_refreshed,
    clean,
    keep_table,
    merge_offers,
    read_origin,
    read_table,
    table_file,
)
from advisor.model.offer import Offer, SpotBand
from tests.advisor.knowledge.refresh.servers import aws_offers, knowledge, offer

ORIGIN = TableOrigin(
    url="https://x/y", fetched_at="2026-11-21T10:00:00+00:00", etag=None, body_sha256="a",
    table_sha256="", regions=(), n_listed=600,
)  # fmt: skip
NEW = tuple(
    dataclasses.replace(o, usd_per_hour=9.0, observed_on="2026-11-21") for o in aws_offers()[:10]
)


def keep(folder, rows=NEW, *, name="aws", row_class=Offer):
    keep_table(folder, name=name, rows=rows, row_class=row_class, origin=ORIGIN)


def test_a_table_reads_back_and_knows_its_origin(tmp_path):
    keep(tmp_path / "new")
    assert read_table(tmp_path / "new", name="aws", row_class=Offer) == NEW
    origin = read_origin(tmp_path / "new", name="aws")
    assert dataclasses.replace(origin, table_sha256="") == ORIGIN


def test_nothing_there(tmp_path):
    known = knowledge()
    assert add_refreshed(known, folder=tmp_path / "nowhere") == known


def test_new_prices_replace_old_ones_of_the_same_machine(tmp_path):
    keep(tmp_path)
    merged = add_refreshed(knowledge(), folder=tmp_path).offers
    assert len(merged) == 180
    assert sum(o.usd_per_hour == 9.0 for o in merged) == 10


def test_gpu_clouds_are_replaced_whole():
    old = (offer("a", "any", 1.0, None, 1, vendor="lambda"), *aws_offers())
    new = offer("b", "us-west-1", 2.0, None, 1, vendor="lambda")
    merged = merge_offers(old, [new])
    assert [o for o in merged if o.vendor == "lambda"] == [new]
    assert len(merged) == 181


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "empty"),
        (b"\xff\xfe", "decode"),
        (b"vendor,instance_type\naws,x\n", "is missing"),
        (b"<html>", "not a column"),
    ],
)
def test_damaged_tables_are_skipped_and_said(content, problem, tmp_path):
    keep(tmp_path)
    table_file(tmp_path, name="aws").write_bytes(content)
    known = add_refreshed(knowledge(), folder=tmp_path)
    assert known.offers == knowledge().offers
    (fault,) = known.skipped
    assert fault.file == "aws.csv"
    assert problem in fault.problem


@pytest.mark.parametrize("usd", ["0", "-3", "1000", "inf"])
def test_prices_that_were_never_accepted_are_not_used(usd, tmp_path):
    keep(tmp_path)
    path = table_file(tmp_path, name="aws")
    path.write_text(path.read_text().replace(",9,", f",{usd},"))
    with pytest.raises(DataError):
        read_table(tmp_path, name="aws", row_class=Offer)


def test_table_of_another_vendor_is_not_used(tmp_path):
    keep(tmp_path, name="gcp")
    with pytest.raises(DataError, match="another vendor"):
        read_table(tmp_path, name="gcp", row_class=Offer)


def test_origin_of_another_table_is_none(tmp_path):
    keep(tmp_path)
    path = table_file(tmp_path, name="aws")
    path.write_text(path.read_text() + "\n")
    assert read_origin(tmp_path, name="aws") is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"url": 3}', "nonsense"])
def test_damaged_origin_is_none(text, tmp_path):
    keep(tmp_path)
    (tmp_path / "aws.json").write_text(text)
    assert read_origin(tmp_path, name="aws") is None
    assert len(read_table(tmp_path, name="aws", row_class=Offer)) == 10


def test_rows_that_cannot_be_written_leave_the_old_table(tmp_path):
    keep(tmp_path)
    bad = dataclasses.replace(NEW[0], instance_type="two\nlines")
    with pytest.raises(PriceError, match="not one line"):
        keep(tmp_path, (bad,))
    assert read_table(tmp_path, name="aws", row_class=Offer) == NEW


def test_bands(tmp_path):
    new = tuple(dataclasses.replace(b, high_percent=20.0) for b in knowledge().spot_bands[:3])
    keep(tmp_path, new, name=BANDS, row_class=SpotBand)
    bands = add_refreshed(knowledge(), folder=tmp_path).spot_bands
    assert len(bands) == 30
    assert sum(b.high_percent == 20.0 for b in bands) == 3


def test_leftovers_of_a_killed_run_are_removed(tmp_path):
    keep(tmp_path)
    left = tmp_path / ".aws.csv.abc.part"
    left.write_text("half")
    clean(tmp_path)
    assert not left.exists()
    clean(tmp_path / "nowhere")


def test_origin_is_plain_json(tmp_path):
    keep(tmp_path)
    assert json.loads((tmp_path / "aws.json").read_text())["url"] == "https://x/y"
