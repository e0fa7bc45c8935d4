"""Schemas agree with the row classes, and refuse what they are there to refuse."""

import importlib.resources
import json
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from advisor.errors import DataError
from advisor.knowledge.schema import load_schema, schema_faults, value_faults
from advisor.knowledge.store import TABLES, Table
from advisor.model.machine import DeviceKind

SCHEMAS = importlib.resources.files("resources") / "schema"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    name: str
    kind: DeviceKind
    size: float | None
    tags: tuple[str, ...] = ()


def text(**more: Any) -> dict[str, Any]:
    return {"type": "string", **more}


SCHEMA = {
    "type": "object",
    "properties": {
        "name": text(pattern="^[a-z]+$"),
        "kind": text(enum=[kind.value for kind in DeviceKind]),
        "size": {"type": ["number", "null"], "exclusiveMinimum": 0},
        "tags": {"type": "array", "items": text(minLength=2)},
    },
    "required": ["name", "kind", "size"],
}
ROW = Row(name="a", kind=DeviceKind.CPU, size=1.0, tags=("aa",))


def test_a_right_schema_has_no_faults() -> None:
    assert list(schema_faults(SCHEMA, row_class=Row)) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda s: s["properties"].pop("tags"), "are not the fields"),
        (lambda s: s["required"].append("tags"), "required is"),
        (lambda s: s["properties"]["size"].update(type="number"), "size: type is 'number'"),
        (lambda s: s["properties"]["name"].update(type="integer"), "name: type is 'integer'"),
        (lambda s: s["properties"]["kind"].update(enum=["cpu"]), "kind: enum lacks"),
        (lambda s: s["properties"]["tags"].update(items={}), "tags: items: type is None"),
    ],
)
def test_disagreement_is_told(change: Any, fault: str) -> None:
    schema = deepcopy(SCHEMA)
    change(schema)
    assert any(fault in found for found in schema_faults(schema, row_class=Row))


def test_values_outside_the_schema_are_told_with_their_row() -> None:
    rows = [ROW, replace(ROW, size=0.0), replace(ROW, name="A"), replace(ROW, tags=("x",)), ROW]
    found = [(position, field) for position, field, _ in value_faults(rows, schema=SCHEMA)]
    assert found == [(2, "name"), (1, "size"), (3, "tags")]


def test_every_row_of_a_refused_value_is_told() -> None:
    rows = [replace(ROW, size=-1.0)] * 3
    assert [position for position, _, _ in value_faults(rows, schema=SCHEMA)] == [0, 1, 2]


def test_none_is_allowed_where_the_schema_says_so() -> None:
    assert list(value_faults([replace(ROW, size=None)], schema=SCHEMA)) == []


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_bundled_schemas_agree_with_their_classes(table: Table) -> None:
    schema = load_schema(SCHEMAS, table=table.name)
    assert list(schema_faults(schema, row_class=table.row_class)) == []


@pytest.mark.parametrize("content", ["", "[]", '{"type": 7}'])
def test_a_file_that_is_no_schema_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "x.json").write_text(content)
    with pytest.raises(DataError, match=r"schema x.json"):
        load_schema(tmp_path, table="x")


def test_a_missing_schema_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"schema x.json"):
        load_schema(tmp_path, table="x")


def test_there_is_no_schema_without_a_table() -> None:
    names = {entry.name for entry in SCHEMAS.iterdir() if entry.name.endswith(".json")}
    assert names == {f"{table.name}.json" for table in TABLES}
    for name in names:
        assert json.loads((SCHEMAS / name).read_text(encoding="utf-8"))["type"] == "object"
