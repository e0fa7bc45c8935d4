"""References between tables: what `test_faults` does not plant."""

import gzip
from pathlib import Path

import pytest

from advisor.knowledge.placed import Placed, PlacedRow, PlacedTable
from advisor.knowledge.references import UNRESOLVED, find_broken_references
from advisor.knowledge.store import TABLES, load_tables
from tests.advisor.knowledge.small_dataset import write_small_dataset


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_small_dataset(tmp_path / "data")


def placed(folder: Path, *broken: str) -> Placed:
    """Return the tables of a folder, some of them said to have faults of their own."""
    knowledge = load_tables(folder)
    tables = {
        table.name: PlacedTable(
            rows=tuple(
                PlacedRow(row=row, file=table.path, line=line)
                for line, row in enumerate(getattr(knowledge, table.name), start=2)
            ),
            is_whole=table.name not in broken,
        )
        for table in TABLES
    }
    return {**tables, UNRESOLVED: PlacedTable(rows=(), is_whole=False)}


def test_a_sound_dataset_has_no_fault(folder: Path):
    assert list(find_broken_references(folder, placed(folder))) == []


def test_a_packed_configuration_is_read_too(folder: Path):
    plain = folder / "networks" / "mnist-mlp.json"
    packed = plain.with_suffix(".json.gz")
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()
    assert list(find_broken_references(folder, placed(folder))) == []
    packed.write_bytes(b"no gzip")
    (fault,) = find_broken_references(folder, placed(folder))
    assert fault.field == "name"


def test_without_sources_every_study_dangles(folder: Path):
    (folder / "SOURCES.md").unlink()
    found = list(find_broken_references(folder, placed(folder)))
    assert len(found) > 100
    assert {fault.field for fault in found} == {"study"}


@pytest.mark.parametrize("table", ["devices", "accelerators", "offers", "networks"])
def test_what_refers_to_a_faulty_table_is_left_alone(folder: Path, table: str):
    tables = placed(folder, table)
    tables[table] = PlacedTable(rows=(), is_whole=False)
    assert list(find_broken_references(folder, tables)) == []


@pytest.mark.parametrize("table", ["devices", "accelerators", "offers"])
def test_what_refers_to_rows_that_are_not_there_dangles(folder: Path, table: str):
    tables = placed(folder)
    tables[table] = PlacedTable(rows=(), is_whole=True)
    assert list(find_broken_references(folder, tables)) != []
