"""The check of the dataset: clean on what is bundled, and it finds each kind of fault."""

import datetime as dt
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.knowledge.store import TABLES
from advisor.knowledge.validate import main, validate
from tests.advisor.knowledge.small_dataset import DATA, SCHEMAS, edit, swap, write_small_dataset

TODAY = dt.date(2026, 12, 1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_small_dataset(tmp_path / "data")


def faults_of(data: Path) -> list[str]:
    return [str(fault) for fault in validate(data, schemas=SCHEMAS, today=TODAY)]


def test_what_is_bundled_is_clean() -> None:
    assert faults_of(DATA) == []


def test_the_copy_is_clean(folder: Path) -> None:
    assert faults_of(folder) == []


def test_a_note_explains_a_rate_above_the_peak(folder: Path) -> None:
    row = (
        "babelstream-9999,babelstream,,kernel,stream triad,,,,,,,NVIDIA GeForce GTX 980,dgpu,,,"
        "bandwidth,900000000000,B/s,,,comparable,s,"
    )
    edit(folder, "published/babelstream.csv", lambda text: f"{text}{row}\n")
    assert any("above the peak 2.244e+11 of the device" in line for line in faults_of(folder))
    edit(folder, "published/babelstream.csv", lambda text: text.rstrip("\n") + "cache\n")
    assert faults_of(folder) == []


def test_what_a_faulty_table_lacks_is_not_told(folder: Path) -> None:
    """Without devices hundreds of rows would dangle: the one cause is enough."""
    (folder / "devices" / "specs.csv").unlink()
    assert faults_of(folder) == ["devices/specs.csv:1: the table is missing or empty"]


def test_a_missing_table_and_a_broken_file_are_told(folder: Path) -> None:
    (folder / "findings" / "findings.csv").unlink()
    (folder / "offers" / "billing_rules.csv").write_bytes(b"\xff\xfe")
    (folder / "SOURCES.md").unlink()
    found = faults_of(folder)
    assert "findings/findings.csv:1: the table is missing or empty" in found
    assert any(line.startswith("offers/billing_rules.csv:1: ") for line in found)
    assert any("has no heading" in line for line in found)


def test_a_row_from_the_future_is_told(folder: Path) -> None:
    past = dt.date(2016, 1, 1)
    found = [str(fault) for fault in validate(folder, schemas=SCHEMAS, today=past)]
    assert any("lies after 2016-01-01" in line for line in found)


def test_a_missing_schema_is_told(folder: Path, tmp_path: Path) -> None:
    empty = tmp_path / "none"
    empty.mkdir()
    found = validate(folder, schemas=empty, today=TODAY)
    assert len([fault for fault in found if "schema" in fault.problem]) == len(TABLES)


def test_the_command_prints_a_line_per_fault_and_fails(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(folder, "findings/findings.csv", swap(",OK,", ",MAYBE,"))
    assert main(["--folder", str(folder), "--today", "2026-12-01"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("findings/findings.csv:2: verdict: 'MAYBE'")


def test_the_module_can_be_run() -> None:
    command = [sys.executable, "-m", "advisor.knowledge.validate", "--today", "2026-12-01"]
    child = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (child.returncode, child.stdout, child.stderr) == (0, "", "")
