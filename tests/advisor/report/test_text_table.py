"""Tables of the terminal: no word and no figure is parted while another form has room for it."""

import pytest

from advisor.model.report import Table
from advisor.report.columns import display_width
from advisor.report.text_table import table_lines

OPTIONS = Table(
    heads=("#", "Option", "Kind", "Whole job (80 % interval)", "Done in", "Epoch", "Money",
           "Speed-up", "Basis"),
    rows=(
        ("1", "Switch TensorFlow's oneDNN kernels on", "setting",
         "35 min 50 s (27 min 32 s – 46 min 38 s)", "40 min 50 s", "1 min 48 s", "> 0 USD",
         "1.4×", "scaled from published results"),
        ("2", "akash 1x-RTX-4060-Ti-16g/marketplace, on-demand", "rent",
         "6 min 3 s (2 min 51 s – 12 min 49 s)", "46 min 33 s", "18.1 s", "0.01 USD",
         "8.3×", "scaled from published results (!)"),
    ),
    right_aligned=(4, 5, 6, 7),
)  # fmt: skip
WORDS = {"TensorFlow's", "setting", "published", "results", "marketplace,", "demand"}


def words_of(lines):
    return {word for line in lines for part in line.split() for word in part.split("/")}


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_words_and_figures_stay_whole(width):
    lines = table_lines(OPTIONS, width)
    told = words_of(lines) | {w for word in words_of(lines) for w in word.split("-")}
    assert told >= WORDS
    assert any("0.01 USD" in line for line in lines)
    assert max(map(display_width, lines)) <= width


def test_a_row_of_too_many_columns_is_a_list_of_its_cells():
    lines = table_lines(OPTIONS, 60)
    first = lines.index("1. Switch TensorFlow's oneDNN kernels on")
    assert lines[first + 1] == "  Kind                 setting"
    assert "  Done in              40 min 50 s" in lines
    assert lines[1:].count("") == 1


def test_what_would_be_one_high_column_is_a_list():
    table = Table(heads=("Avoid", "Speed", "Why"), rows=(("this", "0.1×", "word " * 90),))
    assert table_lines(table, 60)[1] == "this"
    narrow = Table(heads=("Avoid", "Speed", "Why"), rows=(("this", "0.1×", "word"),))
    assert table_lines(narrow, 60)[1] == "Avoid  Speed  Why"


def test_an_empty_cell_has_no_line_in_a_list():
    table = Table(heads=("A", "B", "C"), rows=(("this", "", "word " * 90),))
    assert not any(line.startswith("  B") for line in table_lines(table, 40))


def test_chinese_is_not_one_letter_below_the_other():
    cells = ("开启 TensorFlow 的 oneDNN 内核", "按公开结果推算", "35 min 50 s", "1.5 GFLOP/s")
    lines = table_lines(Table(heads=("方案", "依据", "整个任务用时", "数值"), rows=(cells,)), 40)
    assert any("公开结果" in line for line in lines)
    assert max(map(display_width, lines)) <= 40


def test_the_name_of_an_offer_is_broken_at_its_joints():
    rows = (("gcp n1-standard-2+T4x1, us-central1", "x " * 40),)
    lines = table_lines(Table(heads=("Offer", "Text"), rows=rows), 40)
    assert not any(line.startswith(("x1", ",")) for line in lines)
