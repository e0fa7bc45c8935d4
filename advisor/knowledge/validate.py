"""Checks on every bundled row: `python -m advisor.knowledge.validate`.

Form (canonical text, types, schema bounds), identity (unique keys), references (studies,
devices), and sense (units, dates, published rates against peaks). One line per fault.
Leaves to others: reading (`advisor.knowledge.rows`), bounds (`advisor.knowledge.schema`).
"""

import argparse
import datetime as dt
import importlib.resources
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from advisor.errors import DataError
from advisor.knowledge.rows import RowFault, dump_rows, parse_table
from advisor.knowledge.schema import load_schema, schema_faults, value_faults
from advisor.knowledge.sense import find_nonsense
from advisor.knowledge.store import DATA_FOLDER, DATA_PACKAGE, TABLES, Table, table_files
from advisor.model.machine import DeviceKind

SOURCES_FILE = "SOURCES.md"
UNRESOLVED_FILE = "devices/unresolved.csv"
SCHEMA_FOLDER = "schema"

_HEADING = re.compile(r"^### (\S+)\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnresolvedDevice:
    """A device of published rows that has no specification."""

    device: str
    kind: DeviceKind


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedRow:
    """A row and where it stands."""

    row: Any
    file: str
    line: int

    def fault(self, problem: str, *, field: str | None = None) -> RowFault:
        """Return a fault of this row."""
        value = None if field is None else str(getattr(self.row, field))
        return RowFault(file=self.file, line=self.line, field=field, value=value, problem=problem)


Placed = dict[str, tuple[PlacedRow, ...]]


def validate(data: Traversable, *, schemas: Traversable, today: dt.date) -> tuple[RowFault, ...]:
    """Return all faults of a data folder; an empty tuple means that it may be bundled.

    Args:
        data: folder laid out as `advisor.knowledge.store.TABLES` says.
        schemas: folder of the schemas, one JSON file per table.
        today: no row may be younger.
    """
    faults: list[RowFault] = []
    placed: Placed = {}
    for table in TABLES:
        rows, bad = _read_table(data, table)
        placed[table.name] = rows
        faults += bad
        faults += _check_schema(rows, table, schemas)
        faults += _check_keys(rows, table)
    faults += _check_references(data, placed)
    for table in TABLES:
        for entry in placed[table.name]:
            for field, problem in find_nonsense(entry.row, today=today):
                faults.append(entry.fault(problem, field=field))
    faults += _check_peaks(placed)
    return tuple(faults)


def _read_table(data: Traversable, table: Table) -> tuple[tuple[PlacedRow, ...], list[RowFault]]:
    rows: list[PlacedRow] = []
    faults: list[RowFault] = []
    for name, file in table_files(data, table=table):
        placed, bad = _read_file(file, name, table.row_class)
        rows += placed
        faults += bad
    if not rows and not faults:
        faults.append(_file_fault(table.path, "the table is missing or empty"))
    return tuple(rows), faults


def _file_fault(file: str, problem: str, *, line: int = 1) -> RowFault:
    return RowFault(file=file, line=line, field=None, value=None, problem=problem)


def _read_file(
    file: Traversable, name: str, row_class: type[Any]
) -> tuple[list[PlacedRow], list[RowFault]]:
    try:
        text = file.read_bytes().decode("utf-8")
        parsed = parse_table(text, row_class, file=name)
        canonical = dump_rows(parsed.rows, row_class)
    except (DataError, UnicodeDecodeError) as error:
        return [], [_file_fault(name, str(error).removeprefix(f"{name}:1: "))]
    faults = list(parsed.faults)
    if not faults and text != canonical:
        faults.append(_first_difference(text, canonical, name))
    rows = [
        PlacedRow(row=row, file=name, line=line)
        for row, line in zip(parsed.rows, parsed.lines, strict=True)
    ]
    return rows, faults


def _first_difference(text: str, canonical: str, name: str) -> RowFault:
    lines, wanted = text.split("\n"), canonical.split("\n")
    pairs = zip(lines, wanted, strict=False)
    line = next((i for i, (a, b) in enumerate(pairs, start=1) if a != b), len(wanted))
    expected = wanted[line - 1] if line <= len(wanted) else ""
    return _file_fault(name, f"not in canonical form, expected: {expected[:120]}", line=line)


def _check_schema(
    rows: Sequence[PlacedRow], table: Table, schemas: Traversable
) -> Iterator[RowFault]:
    try:
        schema = load_schema(schemas, table=table.name)
    except DataError as error:
        yield _file_fault(table.path, str(error))
        return
    for problem in schema_faults(schema, row_class=table.row_class):
        yield _file_fault(f"{SCHEMA_FOLDER}/{table.name}.json", problem)
    values = [entry.row for entry in rows]
    for position, field, problem in value_faults(values, schema=schema):
        yield rows[position].fault(problem, field=field)


def _check_keys(rows: Iterable[PlacedRow], table: Table) -> Iterator[RowFault]:
    first: dict[tuple[Any, ...], PlacedRow] = {}
    for entry in rows:
        key = tuple(getattr(entry.row, name) for name in table.key)
        other = first.setdefault(key, entry)
        if table.key and other is not entry:
            words = ", ".join(f"{n}={v}" for n, v in zip(table.key, key, strict=True))
            yield entry.fault(f"{words} stands in {other.file}:{other.line} already")


def _check_references(data: Traversable, placed: Placed) -> Iterator[RowFault]:
    sources = data / SOURCES_FILE
    text = sources.read_text(encoding="utf-8") if sources.is_file() else ""
    studies = set(_HEADING.findall(text))
    for table in ("published", "findings"):
        for entry in placed[table]:
            if entry.row.study not in studies:
                yield entry.fault(f"has no heading in {SOURCES_FILE}", field="study")
    known = {(entry.row.device, entry.row.kind) for entry in placed["devices"]}
    unresolved, faults = _read_unresolved(data)
    yield from faults
    used = Counter((entry.row.device, entry.row.device_kind) for entry in placed["published"])
    excused = {(entry.row.device, entry.row.kind) for entry in unresolved}
    for entry in placed["published"]:
        device = (entry.row.device, entry.row.device_kind)
        if device not in known and device not in excused:
            yield entry.fault(f"neither specified nor in {UNRESOLVED_FILE}", field="device")
    for entry in unresolved:
        device = (entry.row.device, entry.row.kind)
        if device in known:
            yield entry.fault("has a specification now: remove this line", field="device")
        elif device not in used:
            yield entry.fault("no published row names it: remove this line", field="device")


def _read_unresolved(data: Traversable) -> tuple[list[PlacedRow], list[RowFault]]:
    file = data.joinpath(*UNRESOLVED_FILE.split("/"))
    if not file.is_file():
        return [], []
    return _read_file(file, UNRESOLVED_FILE, UnresolvedDevice)


def _check_peaks(placed: Placed) -> Iterator[RowFault]:
    """Yield published rates that their device cannot reach, unless a note explains them."""
    specs = {(entry.row.device, entry.row.kind): entry.row for entry in placed["devices"]}
    for entry in placed["published"]:
        row = entry.row
        spec = specs.get((row.device, row.device_kind))
        if spec is None or row.note is not None:
            continue
        peaks = {"flop/s": spec.peak_fp32_flop_per_s, "B/s": spec.memory_bandwidth_byte_per_s}
        if row.precision is not None and row.precision.value == "float16":
            peaks["flop/s"] = spec.peak_fp16_flop_per_s
        peak = peaks.get(row.unit)
        if peak is not None and row.value > peak * (row.n_devices or 1):
            yield entry.fault(
                f"above the peak {peak:g} of the device, without a note", field="value"
            )


def main(arguments: Sequence[str] | None = None) -> int:
    """Validate the bundled data, or a folder; return 1 when there are faults."""
    parser = argparse.ArgumentParser(prog="advisor.knowledge.validate", description=main.__doc__)
    parser.add_argument("--folder", type=Path, help="data folder instead of the bundled one")
    parser.add_argument(
        "--today",
        type=dt.date.fromisoformat,
        default=None,
        help="date that no row may be younger than (YYYY-MM-DD)",
    )
    options = parser.parse_args(arguments)
    package = importlib.resources.files(DATA_PACKAGE)
    data = options.folder or package / DATA_FOLDER
    today = options.today or dt.date.today()
    faults = validate(data, schemas=package / SCHEMA_FOLDER, today=today)
    for fault in faults:
        sys.stdout.write(f"{fault}\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
