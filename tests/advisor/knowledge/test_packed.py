"""Packed copies: the same rows as the CSV, used only while they are copies of it."""

import dataclasses
import json
import zlib
from pathlib import Path

import pytest

from advisor.errors import DataError
from advisor.knowledge.pack import main, pack_tables
from advisor.knowledge.packed import pack, unpack
from advisor.knowledge.rows import dump_rows, parse_rows
from advisor.knowledge.store import (
    TABLES,
    bundled_folder,
    load_tables,
    packed_file,
    table_files,
)
from advisor.model.offer import Offer, SpotBand
from tests.advisor.recommend.builders import an_offer


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    text: str


OFFERS = next(table for table in TABLES if table.name == "offers")
PACKED = [table for table in TABLES if table.is_packed]

ROWS = (
    an_offer(),
    an_offer(region="üñ,\"x\"", memory_bytes=None, spot_usd_per_hour=None),
    an_offer(vcpus=0.5, usd_per_hour=1e-7),
)  # fmt: skip


def parts_of(rows, cls=Offer, name="offers/offers.csv"):
    return [(name, dump_rows(rows, cls).encode("utf-8"))]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "offers").mkdir()
    ((name, content),) = parts_of(ROWS)
    (tmp_path / name).write_bytes(content)
    return tmp_path


@pytest.mark.parametrize("table", PACKED, ids=lambda table: table.name)
def test_the_bundled_copies_are_those_of_the_bundled_files(table):
    parts = [(n, file.read_bytes()) for n, file in table_files(bundled_folder(), table=table)]
    stored = packed_file(bundled_folder(), table=table).read_bytes()
    assert stored == pack(parts, table.row_class), "run: python -m advisor.knowledge.pack"
    read = [
        row
        for name, content in parts
        for row in parse_rows(content.decode(), table.row_class, file=name)
    ]
    assert unpack(stored, table.row_class, parts=parts) == tuple(read)


def test_the_dataset_is_small_in_a_wheel():
    files = [path for path in Path(str(bundled_folder())).rglob("*") if path.is_file()]
    sizes = [len(zlib.compress(file.read_bytes(), 1)) for file in files]
    assert sum(sizes) < 4 * 2**20


def test_rows_come_back_the_same():
    parts = parts_of(ROWS)
    assert unpack(pack(parts, Offer), Offer, parts=parts) == ROWS


def test_several_files_are_one_table():
    first, second = parts_of(ROWS[:1], name="a.csv"), parts_of(ROWS[1:], name="b.csv")
    parts = [*first, *second]
    assert unpack(pack(parts, Offer), Offer, parts=parts) == ROWS


@pytest.mark.parametrize(("n_cells", "width"), [(256, 1), (257, 2), (65_537, 4)])
def test_many_different_cells_need_wider_numbers(n_cells, width):
    rows = tuple(Word(text=f"w{n}") for n in range(n_cells))
    parts = parts_of(rows, Word)
    packed = pack(parts, Word)
    (entry,) = json.loads(packed.partition(b"\n")[0])["columns"]
    assert entry["width"] == width
    assert unpack(packed, Word, parts=parts) == rows


@pytest.mark.parametrize(
    "parts",
    [
        parts_of((*ROWS, an_offer(region="new"))),
        parts_of(ROWS, name="offers/other.csv"),
        parts_of(tuple(reversed(ROWS))),
        [],
    ],
)
def test_a_copy_of_another_text_is_not_used(parts):
    assert unpack(pack(parts_of(ROWS), Offer), Offer, parts=parts) is None


def damaged(packed: bytes, **changes: object) -> bytes:
    line, _, body = packed.partition(b"\n")
    return json.dumps({**json.loads(line), **changes}).encode() + b"\n" + body


@pytest.mark.parametrize(
    "harm",
    [
        lambda packed: packed[:-1],
        lambda packed: packed + b"\0",
        lambda packed: packed[: len(packed) // 2],
        lambda _packed: b"",
        lambda _packed: b"no JSON\nrest",
        lambda _packed: b"[]\n",
        lambda packed: packed[:-1] + b"\xff",
        lambda packed: damaged(packed, version=99),
        lambda packed: damaged(packed, columns=[]),
        lambda packed: damaged(packed, n_rows=2),
        lambda packed: damaged(packed, n_rows="many"),
    ],
)
def test_a_damaged_copy_is_not_used(harm):
    parts = parts_of(ROWS)
    assert unpack(harm(pack(parts, Offer)), Offer, parts=parts) is None


def test_a_copy_of_another_class_is_not_used():
    parts = parts_of(ROWS)
    assert unpack(pack(parts, Offer), SpotBand, parts=parts) is None


def test_columns_of_another_class_cannot_be_packed():
    with pytest.raises(DataError, match=r"offers/offers.csv:1: its columns are not those"):
        pack(parts_of(ROWS), SpotBand)


def test_the_copy_is_read_in_place_of_the_file(folder: Path):
    assert pack_tables(folder) == ("offers",)
    # A copy of other rows that claims to be of this text: what is read shows which was read.
    other = (an_offer(region="from-the-copy"),)
    parts = parts_of(ROWS)
    claim = json.loads(pack(parts, Offer).partition(b"\n")[0])["checksum"]
    forged = damaged(pack(parts_of(other), Offer), checksum=claim)
    packed_path = Path(str(packed_file(folder, table=OFFERS)))
    packed_path.write_bytes(forged)
    assert load_tables(folder).offers == other


def test_an_edited_file_is_read_itself(folder: Path):
    pack_tables(folder)
    changed = (*ROWS, dataclasses.replace(ROWS[0], region="edited"))
    ((name, content),) = parts_of(changed)
    (folder / name).write_bytes(content)
    assert load_tables(folder).offers == changed


def test_without_a_copy_the_file_is_read(folder: Path):
    assert load_tables(folder).offers == ROWS


def test_the_command_packs_a_folder(folder: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["--folder", str(folder)]) == 0
    assert capsys.readouterr().out == "packed offers\n"
    assert packed_file(folder, table=OFFERS).is_file()
