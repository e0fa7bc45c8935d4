"""The window takes model files, tells before it closes, and says where things were written."""

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, QSize, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QScreen
from PySide6.QtWidgets import QLabel, QMessageBox, QScrollArea

from ui.views.main_window import MINIMUM_SIZE, MainWindow, Page, first_size, least_size

MADE = []


def page(name, title):
    def make():
        MADE.append(name)
        return QLabel(title)

    return Page(name=name, title=title, make=make)


@pytest.fixture
def window(qtbot, tr):
    MADE.clear()
    pages = (page("start", "Start"), page("machine", "Machine"), page("advice", "Advice"))
    widget = MainWindow(pages, version="9.9", translator=tr)
    qtbot.addWidget(widget)
    widget.show()
    return widget


def files(*paths):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(path) for path in paths])
    return data


def enter(window, data):
    copy, none = Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
    event = QDragEnterEvent(QPoint(5, 5), copy, data, Qt.MouseButton.LeftButton, none)
    event.ignore()
    window.dragEnterEvent(event)
    return event.isAccepted()


def drop(window, data):
    copy, none = Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
    event = QDropEvent(QPointF(5, 5), copy, data, Qt.MouseButton.LeftButton, none)
    window.dropEvent(event)


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (("/a/model.keras",), True),
        (("/a/MODEL.ONNX",), True),
        (("/a/model.json",), True),
        (("/a/picture.png", "/a/model.json"), True),
        (("/a/picture.png",), False),
        ((), False),
    ],
)
def test_model_files_are_taken_and_others_not(window, paths, expected):
    assert enter(window, files(*paths)) is expected


def test_something_on_the_web_is_not_taken(window):
    data = QMimeData()
    data.setUrls([QUrl("https://example.org/model.keras")])
    assert not enter(window, data)


def test_a_dropped_model_is_told(window, qtbot):
    with qtbot.waitSignal(window.model_dropped) as told:
        drop(window, files("/a/notes.txt", "/a/model.keras"))
    assert told.args == ["/a/model.keras"]
    with qtbot.assertNotEmitted(window.model_dropped):
        drop(window, files("/a/notes.txt"))


def test_closing_is_told_and_the_window_goes_at_once(window, qtbot):
    with qtbot.waitSignal(window.closing):
        window.close()
    assert not window.isVisible()


def test_it_says_where_a_file_was_written(window):
    window.show_saved("/home/me/advice.pdf")
    assert window.statusBar().currentMessage() == "Written: /home/me/advice.pdf"
    window.show_copied()
    assert "clipboard" in window.statusBar().currentMessage()


def test_it_says_why_a_file_was_not_written(window, monkeypatch):
    shown = []
    monkeypatch.setattr(QMessageBox, "warning", lambda *words: shown.append(words[-1]))
    window.show_refused("/x: cannot be written: choose another place")
    assert shown == ["/x: cannot be written: choose another place"]


def test_version_and_privacy_stand_in_the_corner(window):
    about = window.findChild(QLabel, "about")
    assert about.text() == "DL Advisor 9.9 · Nothing leaves this machine"
    assert "nothing is uploaded" in about.toolTip()


def test_it_cannot_be_made_too_small(window):
    window.resize(300, 200)
    assert window.size() == least_size(window.screen().availableSize())


@pytest.mark.parametrize(
    ("screen", "size"),
    [((1920, 1080), MINIMUM_SIZE), ((1093, 576), (1000, 536)), ((640, 400), (632, 360))],
)
def test_it_can_be_made_as_small_as_the_screen(screen, size):
    assert least_size(QSize(*screen)) == QSize(*size)


def test_on_a_screen_that_is_too_small_all_of_a_page_can_be_reached(qtbot, tr, monkeypatch):
    for screen, is_small in ((QSize(1920, 1080), False), (QSize(640, 400), True)):
        monkeypatch.setattr(QScreen, "availableSize", lambda _self, size=screen: size)
        large = QLabel("a page")
        large.setMinimumSize(900, 600)
        start = Page(name="start", title="Start", make=lambda made=large: made)
        window = MainWindow((start,), version="1", translator=tr)
        qtbot.addWidget(window)
        window.show()
        area = window.findChild(QScrollArea, "small_screen")
        assert (area is not None) == is_small
        if area is not None:
            assert window.height() <= 360
            area.ensureVisible(899, 599)
            assert area.verticalScrollBar().value() > 0
            assert area.horizontalScrollBar().value() > 0


def test_a_page_is_made_when_it_is_first_looked_at(window):
    assert MADE == ["start"]
    window.show_page("advice")
    window.show_page("start")
    window.show_page("advice")
    assert MADE == ["start", "advice"]
    assert window.page_name == "advice"


def test_pages_are_chosen_by_click_and_by_key(window, qtbot):
    window.activateWindow()
    item = window.rail.item(1)
    with qtbot.waitSignal(window.page_changed) as told:
        qtbot.mouseClick(
            window.rail.viewport(), Qt.MouseButton.LeftButton,
            pos=window.rail.visualItemRect(item).center(),
        )  # fmt: skip
    assert told.args == ["machine"]
    with qtbot.waitSignal(window.page_changed) as told:
        qtbot.keyClick(window, Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
    assert told.args == ["advice"]
    with qtbot.waitSignal(window.page_changed) as told:
        qtbot.keyClick(window.rail, Qt.Key.Key_Up)
    assert told.args == ["machine"]


def test_it_knows_its_pages(window):
    assert window.has_page("machine")
    assert not window.has_page("nowhere")


def test_the_first_window_is_no_larger_than_the_screen(qtbot, tr):
    window = MainWindow(
        (Page(name="start", title="Start", make=QLabel),), version="1", translator=tr
    )
    qtbot.addWidget(window)
    assert window.size() == QSize(*first_size(window.screen().availableSize()))


@pytest.mark.parametrize(
    ("screen", "size"),
    [
        ((1920, 1080), (1240, 800)),
        ((1280, 800), (1240, 760)),
        ((1366, 728), (1240, 688)),
        ((800, 600), (792, 560)),
    ],
)
def test_the_first_window_fits_on_the_screen(screen, size):
    assert first_size(QSize(*screen)) == size
