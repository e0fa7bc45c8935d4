"""Code is as high as it needs, to a limit, and is copied as it is."""

import pytest
from PySide6.QtGui import QGuiApplication

from advisor.model.recommendation import Step
from ui.widgets.step_box import CodeBox, StepBox


def a_box(qtbot, tr, *, kind="shell", caption="", content="ls"):
    box = StepBox(Step(kind=kind, caption=caption, content=content), translator=tr)
    qtbot.addWidget(box)
    box.show()
    return box


def heights(qtbot, *codes):
    for code in codes:
        box = CodeBox(code)
        qtbot.addWidget(box)
        box.show()
        box.resize(300, 20)
        yield box.height()


def test_more_lines_are_higher_to_a_limit(qtbot):
    one, three, ten, many = heights(qtbot, "a", "a\nb\nc", "a\n" * 9 + "a", "a\n" * 99)
    assert one < three < ten == many


def test_a_long_line_wraps_even_without_a_space(qtbot):
    short, long = heights(qtbot, "x", "x" * 200)
    assert long > short


def test_all_lines_of_a_short_step_are_seen(qtbot):
    box = CodeBox("first\nsecond\nthird")
    qtbot.addWidget(box)
    box.resize(400, 20)
    box.show()
    assert box.verticalScrollBar().maximum() == 0


def test_copying_takes_the_text_and_nothing_else(qtbot, tr):
    content = "export A=1\nexport  B='2'"
    box = a_box(qtbot, tr, caption="In the terminal", content=content)
    box.copy_button.click()
    assert QGuiApplication.clipboard().text() == content


@pytest.mark.parametrize(("kind", "expected"), [("text", False), ("shell", True), ("url", True)])
def test_only_what_can_be_typed_has_a_button(qtbot, tr, kind, expected):
    assert hasattr(a_box(qtbot, tr, kind=kind), "copy_button") is expected


def test_code_cannot_be_changed(qtbot, tr):
    box = a_box(qtbot, tr)
    assert box.findChild(CodeBox).isReadOnly()
