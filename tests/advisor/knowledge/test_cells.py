"""Cells by annotation. Whole tables are tested with `test_rows`."""

import pytest

from advisor.errors import DataError
from advisor.knowledge.cells import converters, parse_optional_text, parse_text
from advisor.model.measurement import Setting


def test_text_must_not_be_empty() -> None:
    assert parse_text("a") == "a"
    with pytest.raises(ValueError, match="must not be empty"):
        parse_text("")


def test_optional_text_is_none_when_empty() -> None:
    assert parse_optional_text("") is None
    assert parse_optional_text("a") == "a"


@pytest.mark.parametrize(
    ("value", "text"),
    [(1e11, "100000000000"), (0.1, "0.1"), (1e300, "1e+300"), (-2.0, "-2"), (3, "3")],
)
def test_numbers_have_one_spelling(value: float, text: str) -> None:
    parse, form = converters(float)
    assert form(value) == text
    assert parse(text) == value


def test_whole_numbers_beyond_the_digits_of_python_are_a_fault() -> None:
    parse, _ = converters(int)
    with pytest.raises(ValueError, match="not a whole number"):
        parse("9" * 5000)


def test_settings_keep_equal_signs_in_their_value() -> None:
    parse, form = converters(tuple[Setting, ...])
    settings = parse("XLA_FLAGS=--a=b;B=1")
    assert settings == (Setting(name="XLA_FLAGS", value="--a=b"), Setting(name="B", value="1"))
    assert form(settings) == "XLA_FLAGS=--a=b;B=1"


def test_an_empty_item_cannot_be_written() -> None:
    _, form = converters(tuple[str, ...])
    with pytest.raises(DataError, match="cannot stand in a list"):
        form(("a", ""))


@pytest.mark.parametrize("annotation", [bytes, dict, int | str, tuple[int, str], None])
def test_other_annotations_are_refused(annotation: object) -> None:
    with pytest.raises(TypeError, match="a table cannot hold"):
        converters(annotation)
