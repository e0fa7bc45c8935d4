"""A small dataset with every table: whole small tables, the first rows of large ones."""

import csv
import importlib.resources
import shutil
from collections.abc import Callable
from pathlib import Path

from advisor.knowledge.store import TABLES

RESOURCES = Path(str(importlib.resources.files("resources")))
DATA = RESOURCES / "data"
SCHEMAS = RESOURCES / "schema"

STUDIES = ("hkbu.csv", "babelstream.csv")
NETWORKS = ("fcn-s", "mnist-mlp", "mnist-cnn")

# Tables of which so many rows are enough, so that their last line does not move.
FIRST_ROWS = ("findings/findings.csv", "hardware/gpu_families.csv", "offers/billing_rules.csv")
N_FIRST_ROWS = 5


def write_small_dataset(data: Path) -> Path:
    """Write the dataset into a folder that is not there yet, and return it."""
    for table in TABLES:
        source, target = DATA / table.path, data / table.path
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    (data / "published").mkdir()
    for name in STUDIES:
        shutil.copy(DATA / "published" / name, data / "published" / name)
    shutil.copy(DATA / "SOURCES.md", data / "SOURCES.md")
    for name in NETWORKS:
        shutil.copy(DATA / "networks" / f"{name}.json", data / "networks" / f"{name}.json")
    _keep(data / "networks/networks.csv", lambda row: row["name"] in NETWORKS)
    for path in FIRST_ROWS:
        _keep_first(data / path)
    _cut_offers(data / "offers")
    _cut_unresolved(data)
    _cut_devices(data)
    return data


def _keep_first(file: Path) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()[: N_FIRST_ROWS + 1]
    file.write_text("\n".join([*lines, ""]), encoding="utf-8", newline="")


def _keep(file: Path, is_kept: Callable[[dict[str, str]], bool]) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()
    names = next(csv.reader(lines))
    rows = [dict(zip(names, next(csv.reader([line])), strict=True)) for line in lines[1:]]
    kept = [line for line, row in zip(lines[1:], rows, strict=True) if is_kept(row)]
    file.write_text("\n".join([lines[0], *kept, ""]), encoding="utf-8", newline="")


def _cut_offers(folder: Path) -> None:
    """Keep three bands with their offers, and one offer of each vendor and accelerator."""
    bands = (folder / "spot_bands.csv").read_text(encoding="utf-8").splitlines()[:4]
    (folder / "spot_bands.csv").write_text("\n".join([*bands, ""]), encoding="utf-8", newline="")
    with_band = {tuple(line.split(",")[:3]) for line in bands[1:]}
    seen = set()

    def is_kept(row: dict[str, str]) -> bool:
        kind = (row["vendor"], row["accelerator"])
        is_first = kind not in seen
        seen.add(kind)
        return is_first or (row["vendor"], row["instance_type"], row["region"]) in with_band

    _keep(folder / "offers.csv", is_kept)


def _cut_unresolved(data: Path) -> None:
    """Keep the devices that the kept studies name."""
    published = "".join(file.read_text() for file in (data / "published").iterdir())
    lines = (DATA / "devices" / "unresolved.csv").read_text().splitlines()
    kept = [line for line in lines[1:] if f",{line}," in published]
    (data / "devices" / "unresolved.csv").write_text("\n".join([lines[0], *kept, ""]))


def _cut_devices(data: Path) -> None:
    """Keep what the other tables name, and the A10s."""
    files = (*(data / "published").iterdir(), data / "offers" / "accelerators.csv")
    named = "".join(file.read_text(encoding="utf-8") for file in files)
    _keep(
        data / "devices/specs.csv",
        lambda row: row["device"] in named or row["device"].startswith("AMD A10-"),
    )


def edit(data: Path, path: str, change: Callable[[str], str]) -> None:
    """Change the text of a file; a change that does nothing is a fault of the test."""
    file = data / path
    text = file.read_bytes().decode("utf-8")
    changed = change(text)
    assert changed != text, "the edit did nothing"
    file.write_bytes(changed.encode("utf-8"))


def swap(old: str, new: str) -> Callable[[str], str]:
    """Return a change of the first place where a text stands."""
    return lambda text: text.replace(old, new, 1)


def set_cells(line: int, **cells: str) -> Callable[[str], str]:
    """Return a change of cells in a line (the header is line 1)."""

    def change(text: str) -> str:
        lines = text.split("\n")
        names = next(csv.reader([lines[0]]))
        values = next(csv.reader([lines[line - 1]]))
        for name, value in cells.items():
            values[names.index(name)] = value
        lines[line - 1] = ",".join(_quoted(value) for value in values)
        return "\n".join(lines)

    return change


def _quoted(value: str) -> str:
    return '"' + value.replace('"', '""') + '"' if set(value) & set('",') else value
