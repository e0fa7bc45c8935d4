"""The user's own rows: good ones are used, bad ones are skipped and told."""

import datetime as dt
from pathlib import Path

import pytest

from advisor.knowledge.rows import dump_rows
from advisor.knowledge.store import Knowledge
from advisor.knowledge.user_folder import add_user_folder, skipped_sentence
from advisor.model.offer import BillingRule, Offer
from advisor.model.published import Finding
from tests.advisor.recommend.builders import an_offer, replace
from tests.helpers.bundled import bundled_knowledge

TODAY = dt.date(2026, 12, 1)
RULE = BillingRule(vendor="aws", increment_s=1.0, minimum_s=60.0, note=None, source="x")
MINE = an_offer(vendor="my-rack", region="cellar", usd_per_hour=0.02, spot_usd_per_hour=None)
MINE = replace(MINE, spot_observed_on=None, spot_source=None)


def finding(name: str, *, claim: str = "c", verdict: str = "OK") -> Finding:
    return Finding(id=name, study="s", claim=claim, verdict=verdict, figures="f", consequence="c")


def put(folder: Path, path: str, text: str | bytes) -> None:
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)


def add(knowledge: Knowledge, folder: Path) -> Knowledge:
    return add_user_folder(knowledge, folder=folder, today=TODAY)


def test_rows_replace_and_add_and_bad_ones_are_told(tmp_path: Path):
    bundled = Knowledge(findings=(finding("a"), finding("b")), billing_rules=(RULE,))
    own = dump_rows([finding("b", claim="mine"), finding("c")], Finding) + "d,only two\n"
    put(tmp_path, "findings/findings.csv", own)
    put(tmp_path, "offers/billing_rules.csv", "no,header\n")
    merged = add(bundled, tmp_path)
    assert [(row.id, row.claim) for row in merged.findings] == [
        ("a", "c"),
        ("b", "mine"),
        ("c", "c"),
    ]
    assert merged.billing_rules == (RULE,)
    assert [str(fault) for fault in merged.skipped] == [
        "findings/findings.csv:4: 2 cells where the header has 6",
        "offers/billing_rules.csv:1: 'no' is not a column of BillingRule",
    ]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (replace(MINE, usd_per_hour=-1.0), "usd_per_hour: '-1.0': -1.0 is less than"),
        (replace(MINE, usd_per_hour=None), "usd_per_hour: 'None': an offer needs a price"),
        (replace(MINE, observed_on="2027-01-01"), "observed_on: '2027-01-01': lies after"),
        (replace(MINE, vcpus=1e9), "vcpus: '1000000000.0': 1000000000.0 is greater than"),
    ],
)
def test_a_row_that_cannot_be_true_is_skipped(tmp_path: Path, row: Offer, told: str):
    put(tmp_path, "offers/offers.csv", dump_rows([row, MINE], Offer))
    merged = add(Knowledge(), tmp_path)
    assert merged.offers == (MINE,)
    (fault,) = merged.skipped
    assert str(fault).startswith(f"offers/offers.csv:2: {told}")


def test_a_row_with_two_faults_is_told_once(tmp_path: Path):
    row = replace(MINE, usd_per_hour=-1.0, observed_on="soon")
    put(tmp_path, "offers/offers.csv", dump_rows([row], Offer))
    assert len(add(Knowledge(), tmp_path).skipped) == 1


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"\xff\xfe", "'utf-8' codec can't decode"),
        (b"", "1: the file is empty"),
        (b'id,study,claim,verdict,figures,consequence\n"open', "2: unexpected end of data"),
    ],
)
def test_a_file_that_cannot_be_read_is_told(tmp_path: Path, content: bytes, told: str):
    put(tmp_path, "findings/findings.csv", content)
    bundled = Knowledge(findings=(finding("a"),))
    merged = add(bundled, tmp_path)
    assert merged.findings == bundled.findings
    (fault,) = merged.skipped
    assert told in str(fault)


def test_what_spreadsheets_write_is_read(tmp_path: Path):
    text = "\ufeff" + dump_rows([MINE], Offer).replace("\n", "\r\n")
    put(tmp_path, "offers/offers.csv", text)
    merged = add(Knowledge(), tmp_path)
    assert (merged.offers, merged.skipped) == ((MINE,), ())


def test_files_of_a_folder_table_are_added_in_order(tmp_path: Path):
    bundled = bundled_knowledge()
    header = dump_rows([], type(bundled.published[0]))
    changed = replace(bundled.published[0], note="mine")
    put(tmp_path, "published/b.csv", dump_rows([changed], type(changed)))
    put(tmp_path, "published/a.csv", header)
    merged = add(bundled, tmp_path)
    assert len(merged.published) == len(bundled.published)
    assert merged.published[-1] == changed


def test_a_folder_that_is_not_there_changes_nothing(tmp_path: Path):
    knowledge = Knowledge(billing_rules=(RULE,))
    assert add(knowledge, tmp_path / "none") is knowledge
    assert add(knowledge, tmp_path) == knowledge


def test_the_sentence_names_the_first_fault(tmp_path: Path):
    assert skipped_sentence(Knowledge()) is None
    put(tmp_path, "findings/findings.csv", dump_rows([], Finding) + "a,b\nc,d\n")
    assert skipped_sentence(add(Knowledge(), tmp_path)) == (
        "2 rows of your own data cannot be used; first: "
        "findings/findings.csv:2: 2 cells where the header has 6"
    )
    put(tmp_path, "findings/findings.csv", "\n")
    told = skipped_sentence(add(Knowledge(), tmp_path))
    assert told is not None
    assert told.startswith("1 row of your own data")
