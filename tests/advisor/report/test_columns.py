"""Text in columns: nothing is lost, nothing is too wide, wide characters count twice."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.report.columns import (
    display_width,
    longest_word,
    pad,
    plain_text,
    shorten,
    wrap,
)

ALPHABET = st.text(alphabet="ab -–é漢字かなＡ", max_size=60)


@pytest.mark.parametrize(
    ("text", "width"), [("abc", 3), ("漢字", 4), ("e\u0301", 1), ("1.8× ±", 6), ("", 0)]
)
def test_columns_that_a_text_takes(text, width):
    assert display_width(text) == width


@given(ALPHABET, st.integers(2, 30))
def test_lines_fit_and_hold_everything(text, width):
    lines = wrap(text, width)
    assert lines
    assert all(display_width(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


@given(ALPHABET, st.integers(2, 30))
def test_whole_words_stay_whole(text, width):
    width = max(width, longest_word(text))
    assert wrap(text, width) == wrap(text, width, breaks_words=False)


def test_breaks_after_hyphens_between_wide_characters_and_at_line_ends():
    assert wrap("an on-demand price", 6) == ["an on-", "demand", "price"]
    assert wrap("漢字漢字", 5) == ["漢字", "漢字"]
    assert wrap("one\ntwo three", 20) == ["one", "two three"]
    assert wrap("add --pdf FILE", 6) == ["add", "--pdf", "FILE"]


def test_a_number_stays_with_its_unit_where_there_is_room():
    assert wrap("takes 12 min 3 s (11 min 5 s – 1 h)", 12) == [
        "takes 12 min", "3 s (11 min", "5 s – 1 h)",
    ]  # fmt: skip
    assert wrap("66.4 GFLOP/s", 8) == ["66.4", "GFLOP/s"]
    assert wrap("of 80 % or 1,240 USD", 9) == ["of 80 %", "or", "1,240 USD"]
    assert wrap("in 3 sentences", 5) == ["in 3", "sente", "nces"]
    assert (longest_word("12 min"), longest_word("12 min", has_units=True)) == (3, 6)


def test_a_dash_begins_no_line():
    assert wrap("2025-03-02 – 2026-07-20", 12) == ["2025-03-02 –", "2026-07-20"]


def test_a_long_word_is_broken_at_its_joints_while_it_can_be():
    assert wrap("akash 1x-RTX-4060-Ti-16g/marketplace, spot", 15) == [
        "akash", "1x-RTX-4060-Ti-", "16g/", "marketplace,", "spot",
    ]  # fmt: skip
    assert wrap("github.com/name/deep-learning-benchmark@1a2b", 16)[0] == "github.com/name/"
    assert longest_word("RTX-4060-Ti-16g/marketplace") == len("marketplace")
    assert longest_word("GEMM 1024×1024×1024") == len("1024×1024×1024")


def test_a_sign_that_closes_begins_no_line_and_one_that_opens_ends_none():
    assert wrap("漢字漢字。漢", 8) == ["漢字漢", "字。漢"]
    assert wrap("漢字（漢字）", 6) == ["漢字", "（漢", "字）"]
    assert wrap("(L4)，竞价", 6) == ["(L4)，", "竞价"]
    assert wrap("推理; 推理", 4) == ["推", "理;", "推理"]


def test_what_is_cut_says_so():
    assert shorten("short", 5) == "short"
    assert shorten("a long name", 7) == "a long…"
    assert shorten("漢字漢字漢字", 6) == "漢字…"
    assert shorten("a long name", 8, sign="...") == "a lon..."


@given(ALPHABET, st.integers(1, 30))
def test_a_cut_text_fits(text, width):
    assert display_width(shorten(text, width)) <= max(width, 3)


def test_padding_counts_columns():
    assert pad("漢", 4) == "漢  "
    assert pad("漢", 4, is_right=True) == "  漢"


@pytest.mark.parametrize(
    ("text", "encoding", "plain"),
    [
        ("1.8× ± 2 – µs…", "ascii", "1.8x +/- 2 - us..."),
        ("1.8× – µs", "latin-1", "1.8× - µs"),
        ("Müller 漢", "ascii", "Muller ?"),
        ("漢字 × –", "utf-8", "漢字 × –"),
    ],
)
def test_what_an_encoding_cannot_say_is_spelled_plainly(text, encoding, plain):
    assert plain_text(text, encoding=encoding) == plain
