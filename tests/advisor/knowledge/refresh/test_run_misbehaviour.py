"""A refresh against a server that misbehaves in every way: the table in use stays."""

import time

import pytest

from advisor.knowledge.refresh.run import Verdict
from advisor.knowledge.refresh.table import BANDS, add_refreshed, read_origin, table_file
from tests.advisor.knowledge.refresh.misbehaviours import MISBEHAVIOURS
from tests.advisor.knowledge.refresh.refreshing import GOOD, VMS, refresh
from tests.advisor.knowledge.refresh.servers import (
    SHORT,
    answer,
    aws_offers,
    catalog,
    knowledge,
)


@pytest.mark.alone
@pytest.mark.parametrize("name", MISBEHAVIOURS)
def test_misbehaving_server_leaves_the_table_in_use(name, good_server, tmp_path):
    good_server.routes["/primary" + VMS] = answer(catalog(aws_offers(), factor=1.05))
    refresh(good_server, tmp_path)
    table = table_file(tmp_path, name="aws")
    before = table.read_bytes(), (tmp_path / "aws.json").read_bytes()
    script, message = MISBEHAVIOURS[name]
    for base in ("/primary", "/mirror"):
        good_server.routes[base + VMS] = script
    began = time.monotonic()
    done = refresh(good_server, tmp_path)
    assert time.monotonic() - began < SHORT.total_s + 1.0
    assert done["aws"].verdict is Verdict.KEPT
    assert message in done["aws"].message
    assert "\n" not in done["aws"].message
    assert len(done["aws"].message) < 300
    assert done[BANDS].verdict is Verdict.REFRESHED
    assert (table.read_bytes(), (tmp_path / "aws.json").read_bytes()) == before
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(
        ["aws.csv", "aws.json", f"{BANDS}.csv", f"{BANDS}.json"]
    )
    assert {o.source for o in add_refreshed(knowledge(), folder=tmp_path).offers} == {
        "skypilot-catalog-v8"
    }


@pytest.mark.parametrize("name", ["429", "500", "gone", "truncated", "web page", "hang", "nan"])
def test_mirror_is_asked_whatever_the_first_one_does(name, good_server, tmp_path):
    good_server.routes["/primary" + VMS] = MISBEHAVIOURS[name][0]
    good_server.routes["/mirror" + VMS] = answer(GOOD)
    assert refresh(good_server, tmp_path)["aws"].verdict is Verdict.REFRESHED
    assert read_origin(tmp_path, name="aws").url.endswith("/mirror" + VMS)


def test_newer_version_of_another_form_falls_back_to_the_older(good_server, tmp_path):
    good_server.routes["/primary/v9/aws/vms.csv"] = answer(b"a,b\n1,2\n")
    assert refresh(good_server, tmp_path)["aws"].verdict is Verdict.REFRESHED
