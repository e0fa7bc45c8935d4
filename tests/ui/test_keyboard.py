"""Whoever has no mouse, or does not see, reaches every control and hears what it is."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QGroupBox,
    QLabel,
    QLineEdit,
    QScrollBar,
    QTabBar,
    QWidget,
)

from tests.ui.advice_values import FakeWalk, an_advice
from tests.ui.test_app import settle
from ui.app import build_window
from ui.dialogs.prices import PricesDialog
from ui.dialogs.settings import SettingsDialog
from ui.dialogs.share import ShareDialog
from ui.presenters.advise import AdvisePresenter
from ui.presenters.prices import PricesPresenter
from ui.presenters.share import SharePresenter
from ui.window_command import PAGES

TAB = Qt.FocusPolicy.TabFocus
# Parts of a control that Qt makes: the control itself has the name.
PART_OF = (QComboBox,)


@pytest.fixture
def window(qapp, tr):
    presenter = AdvisePresenter(translator=tr, walk_line=FakeWalk(5), keep=lambda _advice: None)
    made = build_window(presenter, translator=tr)
    made.resize(1024, 700)
    made.show()
    presenter.show_advice(an_advice())
    made.activateWindow()
    yield made
    presenter.close()
    settle(made)
    made.hide()
    made.deleteLater()


def controls(root):
    """Yield what can have the focus and is seen; the inner parts of a control are left out."""
    for widget in root.findChildren(QWidget):
        is_part = isinstance(widget, QScrollBar) or widget.objectName().startswith("qt_")
        is_part = is_part or isinstance(widget.parent(), PART_OF)
        if widget.isVisible() and widget.focusPolicy() & TAB and not is_part:
            yield widget


def heard(widget):
    """Return what a screen reader says of a control, "" for nothing."""
    if widget.accessibleName():
        return widget.accessibleName()
    for label in widget.window().findChildren(QLabel):
        if label.buddy() is widget:
            return label.text()
    if isinstance(widget, QAbstractButton | QGroupBox):
        return (widget.text() if isinstance(widget, QAbstractButton) else widget.title()) or ""
    if isinstance(widget, QTabBar):
        return " ".join(widget.tabText(number) for number in range(widget.count()))
    return ""


def faults(root):
    for widget in controls(root):
        proxy = widget.focusProxy()
        if not heard(widget) and not (proxy is not None and heard(proxy)):
            owner = widget.parent()
            yield f"{type(widget).__name__} {widget.objectName()!r} in {type(owner).__name__}"
    for widget in root.findChildren(QWidget):
        if "&" in widget.accessibleName().replace("&&", ""):
            yield f"{widget.accessibleName()!r} has a mark for a key in it"


@pytest.mark.parametrize("page", PAGES)
def test_every_control_of_a_page_has_a_name(window, page):
    window.show_page(page)
    settle(window)
    QApplication.processEvents()
    assert list(controls(window))
    assert list(faults(window)) == []


def dialogs(tr, window):
    yield SettingsDialog(translator=tr, parent=window)
    yield PricesDialog(PricesPresenter(parent=window), translator=tr, parent=window)
    yield ShareDialog(SharePresenter(parent=window), translator=tr, parent=window)


@pytest.mark.parametrize("number", range(3))
def test_every_control_of_a_dialog_has_a_name(window, tr, number):
    dialog = list(dialogs(tr, window))[number]
    dialog.show()
    QApplication.processEvents()
    for presenter in window.findChildren(PricesPresenter) + window.findChildren(SharePresenter):
        assert presenter.wait(20.0)
    QApplication.processEvents()
    assert list(controls(dialog))
    assert list(faults(dialog)) == []
    dialog.close()


def reached_by_tab(window):
    """Press Tab until the focus is where it began; return who had it."""
    seen = []
    for _ in range(200):
        QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Tab)
        now = QApplication.focusWidget()
        if now in seen:
            return seen
        seen.append(now)
    raise AssertionError("the focus never came back")


@pytest.mark.parametrize("page", PAGES)
def test_every_control_is_reached_by_tab(window, page, qtbot):
    window.show_page(page)
    settle(window)
    qtbot.waitUntil(window.isActiveWindow, timeout=3000)
    window.rail.setFocus()
    reached = reached_by_tab(window)
    ours = {widget for widget in controls(window) if widget.isEnabled()}
    missed = [w for w in ours if w not in reached and w.focusProxy() not in reached]
    missed = [w for w in missed if not isinstance(w, QLineEdit)]
    assert [f"{type(w).__name__}: {heard(w)}" for w in missed] == []


def test_the_order_of_the_form_is_that_of_the_eye(window, qtbot):
    window.show_page("workload")
    settle(window)
    qtbot.waitUntil(window.isActiveWindow, timeout=3000)
    window.rail.setFocus()
    form = window.page("workload").form
    mine = [w for w in reached_by_tab(window) if form.isAncestorOf(w)]
    places = [w.mapTo(form, w.rect().topLeft()) for w in mine]
    rows = [(place.y() // 20, place.x()) for place in places]
    assert len(rows) > 5
    assert rows == sorted(rows)


def test_labels_with_a_key_lead_to_their_field(window):
    window.show_page("workload")
    for label in window.page("workload").form.findChildren(QLabel):
        if "&" in label.text():
            assert label.buddy() is not None, label.text()
