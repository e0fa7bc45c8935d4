"""Whoever has no mouse, or does not see, reaches every control and hears what it is."""

import importlib
import inspect
import pkgutil

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QGroupBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QScrollBar,
    QTabBar,
    QToolButton,
    QWidget,
)

import ui.dialogs
from advisor.i18n import LANGUAGES, translator_for
from tests.ui.advice_values import FakeWalk, an_advice
from tests.ui.dialogs.test_trial import FakeRuns, an_own_advice
from tests.ui.test_app import settle
from ui.app import build_window
from ui.dialogs.calm import CalmDialog
from ui.dialogs.prices import PricesDialog
from ui.dialogs.settings import SettingsDialog
from ui.dialogs.share import ShareDialog
from ui.dialogs.trial import TrialDialog
from ui.presenters.advise import AdvisePresenter
from ui.presenters.prices import PricesPresenter
from ui.presenters.share import SharePresenter
from ui.presenters.trial import TrialPresenter, TrialStage
from ui.widgets.step_box import CodeBox
from ui.window_command import PAGES

TAB = Qt.FocusPolicy.TabFocus
# Parts of a control that Qt makes: the control itself has the name.
PART_OF = (QComboBox,)


@pytest.fixture
def language():
    return "en"


@pytest.fixture
def window(qapp, language):
    tr = translator_for(language)
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


def settings_dialog(tr):
    return SettingsDialog(translator=tr), None


def prices_dialog(tr):
    presenter = PricesPresenter()
    return PricesDialog(presenter, translator=tr), presenter


def share_dialog(tr):
    presenter = SharePresenter()
    return ShareDialog(presenter, translator=tr), presenter


def trial_dialog(tr, runs=None):
    presenter = TrialPresenter(run=runs or FakeRuns())
    presenter.prepare(an_own_advice(), option_id="xla-cpu")
    return TrialDialog(presenter, translator=tr), presenter


DIALOGS = {
    SettingsDialog: settings_dialog,
    PricesDialog: prices_dialog,
    ShareDialog: share_dialog,
    TrialDialog: trial_dialog,
}


@pytest.fixture(params=DIALOGS.values(), ids=[kind.__name__ for kind in DIALOGS])
def dialog(request, tr, qtbot):
    """Show each dialog with what it finds, active, as a user meets it."""
    made, presenter = request.param(tr)
    qtbot.addWidget(made)
    made.show()
    if presenter is not None:
        assert presenter.wait(20.0)
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow, timeout=3000)
    QApplication.processEvents()
    yield made
    if presenter is not None:
        assert presenter.wait(20.0)


def test_no_dialog_is_missing_here():
    found = set()
    for info in pkgutil.iter_modules(ui.dialogs.__path__, "ui.dialogs."):
        module = importlib.import_module(info.name)
        kinds = inspect.getmembers(module, inspect.isclass)
        found |= {
            kind for _, kind in kinds if issubclass(kind, QDialog) and kind.__module__ == info.name
        }
    assert found - {CalmDialog} == set(DIALOGS)


def test_every_control_of_a_dialog_has_a_name(dialog):
    assert list(controls(dialog))
    assert list(faults(dialog)) == []


def test_every_control_of_a_dialog_is_reached_in_the_order_of_the_eye(dialog):
    reached = reached_by_tab(dialog)
    ours = [widget for widget in controls(dialog) if widget.isEnabled()]
    missed = [w for w in ours if w not in reached and w.focusProxy() not in reached]
    missed = [w for w in missed if not isinstance(w.parent(), QAbstractSpinBox)]
    assert [f"{type(w).__name__}: {heard(w)}" for w in missed] == []
    first = min(range(len(reached)), key=lambda number: place_in(dialog, reached[number]))
    places = [place_in(dialog, w) for w in (*reached[first:], *reached[:first])]
    assert places == sorted(places)


def place_in(dialog, widget):
    middle = widget.mapTo(dialog, widget.rect().center())
    return middle.y() // 20, middle.x()


def test_enter_presses_nothing_but_the_button_that_has_the_focus(dialog):
    pressed = []
    for button in dialog.findChildren(QPushButton):
        button.clicked.connect(lambda _is_on=False, button=button: pressed.append(button))
    for widget in [w for w in controls(dialog) if not isinstance(w, QPushButton)]:
        widget.setFocus()
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
    QApplication.processEvents()
    assert pressed == []
    dialog.close_button.setFocus()
    QTest.keyClick(dialog.close_button, Qt.Key.Key_Return)
    assert pressed == [dialog.close_button]
    assert not dialog.isVisible()


def test_escape_closes_a_dialog_wherever_the_focus_is(dialog):
    for widget in [w for w in controls(dialog) if w.isEnabled()]:
        dialog.show()
        widget.setFocus()
        QTest.keyClick(widget, Qt.Key.Key_Escape)
        assert not dialog.isVisible(), heard(widget)


@pytest.mark.parametrize("key", [Qt.Key.Key_Escape, Qt.Key.Key_Return])
def test_a_trial_is_stopped_however_its_dialog_is_closed(tr, qtbot, key):
    runs = FakeRuns(is_gated=True)
    dialog, presenter = trial_dialog(tr, runs)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitUntil(lambda: presenter.state.stage is TrialStage.READY, timeout=20_000)
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow, timeout=3000)
    dialog.agree_box.setFocus()
    QTest.keyClick(dialog.agree_box, Qt.Key.Key_Space)
    dialog.start_button.setFocus()
    QTest.keyClick(dialog.start_button, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(runs.order) == 3, timeout=10_000)
    assert QApplication.focusWidget() is dialog.stop_button
    dialog.close_button.setFocus()
    QTest.keyClick(dialog.close_button, key)
    assert not dialog.isVisible()
    qtbot.waitUntil(lambda: presenter.state.stage is TrialStage.STOPPED, timeout=5000)
    assert len(runs.order) == 3
    assert presenter.wait(10.0)


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


@pytest.mark.parametrize("page", PAGES)
def test_tab_goes_through_the_page_before_the_buttons_at_the_foot(window, page, qtbot):
    window.show_page(page)
    settle(window)
    qtbot.waitUntil(window.isActiveWindow, timeout=3000)
    window.rail.setFocus()
    reached = reached_by_tab(window)
    reached = [widget for widget in reached if widget is not window.rail]
    foot = [window.share_button, window.prices_button, window.settings_button]
    assert reached[-3:] == foot
    assert all(window.page(page).isAncestorOf(widget) for widget in reached[:-3])


def test_commands_of_the_answer_follow_its_text(window, qtbot):
    window.show_page("start")
    settle(window)
    qtbot.waitUntil(window.isActiveWindow, timeout=3000)
    window.rail.setFocus()
    reached = reached_by_tab(window)
    (box,) = [w for w in reached if isinstance(w, CodeBox)][:1]
    assert isinstance(reached[reached.index(box) - 1], QScrollArea)


def test_values_of_the_cards_follow_their_area(window, qtbot):
    window.show_page("machine")
    settle(window)
    qtbot.waitUntil(window.isActiveWindow, timeout=3000)
    window.rail.setFocus()
    reached = reached_by_tab(window)
    tools = [number for number, w in enumerate(reached) if isinstance(w, QToolButton)]
    assert tools[0] == 1 + next(n for n, w in enumerate(reached) if isinstance(w, QScrollArea))
    assert tools == list(range(tools[0], tools[0] + len(tools)))


def test_labels_with_a_key_lead_to_their_field(window):
    window.show_page("workload")
    for label in window.page("workload").form.findChildren(QLabel):
        if "&" in label.text():
            assert label.buddy() is not None, label.text()


def keyed_texts(root):
    """Yield the texts of what is seen and can be reached by Alt and a letter."""
    for widget in root.findChildren(QWidget):
        if not widget.isVisible():
            continue
        if isinstance(widget, QAbstractButton) or (
            isinstance(widget, QLabel) and widget.buddy() is not None
        ):
            yield widget.text()
        elif isinstance(widget, QTabBar):
            yield from (widget.tabText(number) for number in range(widget.count()))
        elif isinstance(widget, QGroupBox):
            yield widget.title()


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_key_with_alt_leads_to_one_control(window, page, language):
    window.show_page(page)
    settle(window)
    by_key = {}
    for text in keyed_texts(window):
        key = QKeySequence.mnemonic(text).toString()
        if key:
            by_key.setdefault(key, []).append(text)
    assert [texts for texts in by_key.values() if len(texts) > 1] == []
