"""The check of the dataset: clean on what is bundled, and it finds each kind of fault."""

import datetime as dt
import importlib.resources
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from advisor.knowledge.store import TABLES
from advisor.knowledge.validate import main, validate

TODAY = dt.date(2026, 12, 1)
RESOURCES = Path(str(importlib.resources.files("resources")))
SCHEMAS = RESOURCES / "schema"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a small copy of the bundled data: whole tables, two studies."""
    data = tmp_path / "data"
    for table in TABLES:
        source, target = RESOURCES / "data" / table.path, data / table.path
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    (data / "published").mkdir()
    for name in ("hkbu.csv", "babelstream.csv"):
        shutil.copy(RESOURCES / "data" / "published" / name, data / "published" / name)
    shutil.copy(RESOURCES / "data" / "SOURCES.md", data / "SOURCES.md")
    unresolved = data / "devices" / "unresolved.csv"
    published = "".join(p.read_text() for p in (data / "published").iterdir())
    lines = (RESOURCES / "data" / "devices" / "unresolved.csv").read_text().splitlines()
    kept = [line for line in lines[1:] if f",{line}," in published]
    unresolved.write_text("\n".join([lines[0], *kept]) + "\n")
    return data


def faults_of(data: Path) -> list[str]:
    return [str(fault) for fault in validate(data, schemas=SCHEMAS, today=TODAY)]


def edit(data: Path, path: str, change: Callable[[str], str]) -> None:
    file = data / path
    text = file.read_text(encoding="utf-8")
    changed = change(text)
    assert changed != text, "the edit did nothing"
    file.write_text(changed, encoding="utf-8", newline="")


def swap(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new, 1)


def test_what_is_bundled_is_clean() -> None:
    assert faults_of(RESOURCES / "data") == []


def test_the_copy_is_clean(folder: Path) -> None:
    assert faults_of(folder) == []


@pytest.mark.parametrize(
    ("path", "change", "expected"),
    [
        (
            "findings/findings.csv",
            swap("S0-1,so-non-nvidia-2017", "S0-1,so-2017"),
            "findings/findings.csv:2: study: 'so-2017': has no heading in SOURCES.md",
        ),
        (
            "findings/findings.csv",
            lambda text: text.replace("\n", "\r\n"),
            "findings/findings.csv:1: not in canonical form",
        ),
        (
            "findings/findings.csv",
            lambda text: text + text.splitlines()[1] + "\n",
            "id=S0-1 stands in findings/findings.csv:2 already",
        ),
        (
            "findings/findings.csv",
            swap(",OK,", ",MAYBE,"),
            "verdict: 'MAYBE': 'MAYBE' is not one of",
        ),
        (
            "published/babelstream.csv",
            swap(",B/s,", ",s,"),
            "unit: 's': bandwidth is given in B/s",
        ),
        (
            "published/babelstream.csv",
            swap("NVIDIA GeForce GTX 980,", "NVIDIA GeForce GTX 981,"),
            "device: 'NVIDIA GeForce GTX 981': neither specified nor in devices/unresolved.csv",
        ),
        (
            "published/hkbu.csv",
            swap("step_time,1.8872", "step_time,fast"),
            "value: 'fast': not a number",
        ),
        (
            "published/hkbu.csv",
            swap("step_time,1.8872", "step_time,-1.8872"),
            "value: '-1.8872': -1.8872 is less than or equal to the minimum of 0",
        ),
        (
            "devices/specs.csv",
            swap("AMD A10-6800K,cpu", "AMD A10-7850K,cpu"),
            "device=AMD A10-7850K, kind=cpu stands in devices/specs.csv:2 already",
        ),
        (
            "devices/unresolved.csv",
            lambda text: text + "AMD A10-7850K,cpu\n",
            "has a specification now: remove this line",
        ),
        (
            "devices/unresolved.csv",
            lambda text: text + "Unknown thing,cpu\n",
            "no published row names it: remove this line",
        ),
        ("SOURCES.md", swap("### hkbu-v6-text", "### hkbu"), "has no heading in SOURCES.md"),
    ],
)
def test_each_kind_of_fault_is_found(
    folder: Path, path: str, change: Callable[[str], str], expected: str
) -> None:
    edit(folder, path, change)
    found = faults_of(folder)
    assert any(expected in line for line in found), found


def test_a_rate_above_the_peak_needs_a_note(folder: Path) -> None:
    header, row = (folder / "published" / "babelstream.csv").read_text().splitlines()[:2]
    cells = dict(zip(header.split(","), [""] * 23, strict=True))
    cells |= {
        "id": "babelstream-9999",
        "study": "babelstream",
        "phase": "kernel",
        "workload": "stream triad",
        "device": "NVIDIA GeForce GTX 980",
        "device_kind": "dgpu",
        "metric": "bandwidth",
        "value": "900000000000",
        "unit": "B/s",
        "comparability": "comparable",
        "source": "s",
    }
    assert row
    edit(folder, "published/babelstream.csv", lambda t: t + ",".join(cells.values()) + "\n")
    assert any("above the peak 2.244e+11 of the device" in line for line in faults_of(folder))
    edit(folder, "published/babelstream.csv", lambda t: t.rstrip("\n") + "cache\n")
    assert faults_of(folder) == []


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
