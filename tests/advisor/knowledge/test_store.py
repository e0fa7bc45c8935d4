"""Tables are found, read and merged with the user's own rows."""

import dataclasses
from pathlib import Path

import pytest

from advisor.errors import DataError
from advisor.knowledge.rows import columns_of, dump_rows
from advisor.knowledge.store import (
    TABLES,
    Knowledge,
    Table,
    bundled_folder,
    data_dates,
    load_knowledge,
    load_tables,
    table_files,
)
from advisor.model.offer import BillingRule, FreeTier
from advisor.model.published import Finding, PublishedResult

RULE = BillingRule(vendor="aws", increment_s=1.0, minimum_s=60.0, note=None, source="x")


def finding(name: str, *, claim: str = "c") -> Finding:
    return Finding(id=name, study="s", claim=claim, verdict="OK", figures="f", consequence="c")


def put(folder: Path, path: str, text: str) -> None:
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8", newline="")


def test_every_table_is_a_field_of_knowledge_and_has_columns_for_its_key() -> None:
    fields = {field.name for field in dataclasses.fields(Knowledge)} - {"skipped", "weights"}
    assert {table.name for table in TABLES} == fields
    for table in TABLES:
        names = {column.name for column in columns_of(table.row_class)}
        assert names >= set(table.key)
        assert table.date_field is None or table.date_field in names


def test_absent_tables_are_empty(tmp_path: Path) -> None:
    assert load_tables(tmp_path) == Knowledge()
    assert data_dates(Knowledge()) == ()


def test_a_folder_of_files_is_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    table = next(table for table in TABLES if table.name == "published")
    for name in ("b.csv", "a.csv", "notes.txt"):
        put(tmp_path, f"published/{name}", "")
    assert [name for name, _ in table_files(tmp_path, table=table)] == [
        "published/a.csv",
        "published/b.csv",
    ]


def test_a_bad_bundled_row_is_an_error(tmp_path: Path) -> None:
    text = dump_rows([RULE], BillingRule).replace(",60,", ",soon,")
    put(tmp_path, "offers/billing_rules.csv", text)
    with pytest.raises(DataError, match=r"offers/billing_rules.csv:2: minimum_s: 'soon'"):
        load_tables(tmp_path)


def test_a_file_that_is_not_text_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "findings").mkdir()
    (tmp_path / "findings" / "findings.csv").write_bytes(b"id\xff\n")
    with pytest.raises(DataError, match=r"findings/findings.csv: not UTF-8 at byte 2"):
        load_tables(tmp_path)


def test_dates_are_the_newest_of_each_table() -> None:
    tiers = tuple(
        FreeTier(name=day, what="w", limit="l", observed_on=day, source="s", note=None)
        for day in ("2026-01-02", "2026-03-01", "2025-12-31")
    )
    dates = data_dates(Knowledge(free_tiers=tiers, findings=(finding("a"),)))
    assert [(date.table, date.newest, date.n_rows) for date in dates] == [
        ("findings", None, 1),
        ("free_tiers", "2026-03-01", 3),
    ]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_what_is_bundled_reads_back_the_same(table: Table) -> None:
    for name, file in table_files(bundled_folder(), table=table):
        text = file.read_bytes().decode("utf-8")
        rows = getattr(load_knowledge_once(), table.name)
        assert text.count("\n") > 1, name
        if not table.path.endswith(".csv"):
            continue
        assert dump_rows(rows, table.row_class) == text


_LOADED: list[Knowledge] = []


def load_knowledge_once() -> Knowledge:
    if not _LOADED:
        _LOADED.append(load_knowledge())
    return _LOADED[0]


def test_rows_made_through_slots_are_as_good_as_constructed_ones() -> None:
    for row in load_knowledge_once().published[:50]:
        values = {field.name: getattr(row, field.name) for field in dataclasses.fields(row)}
        twin = PublishedResult(**values)
        assert twin == row
        assert hash(twin) == hash(row)
        with pytest.raises(dataclasses.FrozenInstanceError):
            row.value = 1.0  # type: ignore[misc]
