"""Tables are read and written by one parser and one dumper, and errors name their place."""

from dataclasses import dataclass
from enum import StrEnum
from string import printable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.errors import DataError
from advisor.knowledge.rows import columns_of, dump_rows, parse_rows, parse_table
from advisor.model.measurement import Setting


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    name: str
    count: int
    size: float
    is_old: bool
    colour: Colour
    label: str | None
    peak: float | None
    year: int | None
    is_good: bool | None
    tags: tuple[str, ...]
    settings: tuple[Setting, ...] = ()


HEADER = "name,count,size,is_old,colour,label,peak,year,is_good,tags,settings"
GOOD = "a,1,2.5,true,red,,,,,,"


def parse(*lines: str) -> tuple[Row, ...]:
    return parse_rows("\n".join([HEADER, *lines]) + "\n", Row, file="t.csv")


def test_every_kind_of_cell() -> None:
    row = parse('"a, b",3,1e12,false,blue,x,0.5,2017,true,p;q,OMP_NUM_THREADS=4;A=')[0]
    assert row == Row(
        name="a, b",
        count=3,
        size=1e12,
        is_old=False,
        colour=Colour.BLUE,
        label="x",
        peak=0.5,
        year=2017,
        is_good=True,
        tags=("p", "q"),
        settings=(Setting(name="OMP_NUM_THREADS", value="4"), Setting(name="A", value="")),
    )


def test_empty_cell_is_unknown_where_the_field_allows_it() -> None:
    row = parse(GOOD)[0]
    assert (row.label, row.peak, row.year, row.is_good, row.tags) == (None, None, None, None, ())


@pytest.mark.parametrize(
    ("line", "field", "problem"),
    [
        (",1,2,true,red,,,,,,", "name", "must not be empty"),
        ("a,,2,true,red,,,,,,", "count", "not a whole number"),
        ("a,1.5,2,true,red,,,,,,", "count", "not a whole number"),
        ("a,1_0,2,true,red,,,,,,", "count", "not a whole number"),
        ("a,1,,true,red,,,,,,", "size", "not a number"),
        ("a,1,nan,true,red,,,,,,", "size", "not a number"),
        ("a,1,inf,true,red,,,,,,", "size", "not a number"),
        ("a,1,1_0.5,true,red,,,,,,", "size", "not a number"),
        ("a,1,2,True,red,,,,,,", "is_old", "neither true nor false"),
        ("a,1,2,true,green,,,,,,", "colour", "not one of red, blue"),
        ("a,1,2,true,red,,x,,,,", "peak", "not a number"),
        ("a,1,2,true,red,,,,,p;;q,", "tags", "must not be empty"),
        ("a,1,2,true,red,,,,,,NAME", "settings", "'NAME' is not NAME=VALUE"),
    ],
)
def test_error_names_file_line_field_and_value(line: str, field: str, problem: str) -> None:
    with pytest.raises(DataError) as caught:
        parse(GOOD, line)
    text = str(caught.value)
    assert text.startswith(f"t.csv:3: {field}: ")
    assert text.endswith(problem)


def test_wrong_number_of_cells() -> None:
    with pytest.raises(DataError, match=r"t.csv:2: 2 cells where the header has 11"):
        parse("a,1")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the file is empty"),
        ("\n", "the file is empty"),
        (HEADER.replace("size", "weight") + "\n", "'weight' is not a column of Row"),
        (HEADER.replace(",size", "") + "\n", "column 'size' of Row is missing"),
        (HEADER.replace("size", "name") + "\n", "stands twice"),
        (f'{HEADER}\n"a', "unexpected end of data"),
    ],
)
def test_a_file_without_a_right_header_is_refused(text: str, problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        parse_rows(text, Row, file="t.csv")


def test_column_with_a_default_may_be_absent() -> None:
    text = HEADER.removesuffix(",settings") + "\n" + GOOD.removesuffix(",") + "\n"
    assert parse_rows(text, Row, file="t.csv")[0].settings == ()


def test_good_rows_survive_bad_ones() -> None:
    text = "\n".join([HEADER, GOOD, "b,x,1,true,red,,,,,,", "c", GOOD]) + "\n"
    table = parse_table(text, Row, file="mine.csv")
    assert len(table.rows) == 2
    assert table.lines == (2, 5)
    assert [str(fault) for fault in table.faults] == [
        "mine.csv:3: count: 'x': not a whole number",
        "mine.csv:4: 1 cells where the header has 11",
    ]


def test_a_row_that_its_class_refuses_is_a_fault() -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Positive:
        n: int

        def __post_init__(self) -> None:
            if self.n < 1:
                raise ValueError("n must be positive")

    table = parse_table("n\n1\n0\n", Positive, file="p.csv")
    assert [row.n for row in table.rows] == [1]
    assert str(table.faults[0]) == "p.csv:3: n must be positive"


def test_byte_order_mark_and_windows_line_ends_are_read() -> None:
    assert len(parse_rows(f"\ufeff{HEADER}\r\n{GOOD}\r\n", Row, file="t.csv")) == 1


def test_a_class_with_an_unknown_annotation_is_refused() -> None:
    @dataclass(frozen=True)
    class Strange:
        mapping: dict[str, int]

    with pytest.raises(TypeError, match="a table cannot hold"):
        columns_of(Strange)


TEXT = st.text(alphabet=printable[:95] + "é×；", min_size=1).filter(lambda s: s == s.strip())
ITEM = TEXT.filter(lambda s: ";" not in s)
NAME = ITEM.filter(lambda s: "=" not in s)
SETTINGS = st.builds(Setting, name=NAME, value=ITEM)
NUMBER = st.floats(allow_nan=False, allow_infinity=False)
ROWS = st.builds(
    Row,
    name=TEXT,
    count=st.integers(),
    size=NUMBER,
    is_old=st.booleans(),
    colour=st.sampled_from(Colour),
    label=st.none() | TEXT,
    peak=st.none() | NUMBER,
    year=st.none() | st.integers(),
    is_good=st.none() | st.booleans(),
    tags=st.lists(ITEM, max_size=3).map(tuple),
    settings=st.lists(SETTINGS, max_size=3).map(tuple),
)


@given(st.lists(ROWS, max_size=5))
def test_what_is_written_is_read_back(rows: list[Row]) -> None:
    text = dump_rows(rows, Row)
    again = parse_rows(text, Row, file="t.csv")
    assert again == tuple(rows)
    assert dump_rows(again, Row) == text


@pytest.mark.parametrize("bad", [" a", "a\nb", "a\tb"])
def test_text_that_is_not_one_clean_line_is_not_written(bad: str) -> None:
    row = parse(GOOD)[0]
    values = {name: getattr(row, name) for name in Row.__slots__}
    with pytest.raises(DataError, match="name: "):
        dump_rows([Row(**{**values, "name": bad})], Row)


def test_list_item_with_a_separator_is_not_written() -> None:
    row = parse(GOOD)[0]
    values = {name: getattr(row, name) for name in Row.__slots__}
    with pytest.raises(DataError, match="cannot stand in a list"):
        dump_rows([Row(**{**values, "tags": ("a;b",)})], Row)


def test_whole_numbers_are_written_as_digits() -> None:
    text = dump_rows(parse("a,1,1.4e11,true,red,,0.1,,,,"), Row)
    assert text.splitlines()[1] == "a,1,140000000000,true,red,,0.1,,,,"
