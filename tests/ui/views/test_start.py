"""Every state of the main page is designed: what is offered, what is said, nothing clipped."""

import dataclasses
import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QProgressBar, QPushButton, QTabBar, QToolButton

from advisor.model.measurement import StabilityWarning
from tests.ui.advice_values import an_advice
from tests.ui.widgets.networks import NETWORKS
from ui.journey import JourneyRequest
from ui.presenters.advise import AdviseState, Stage
from ui.views.main_window import MINIMUM_SIZE
from ui.views.start import StartView


@pytest.fixture
def view(qtbot, tr):
    page = StartView(NETWORKS, translator=tr)
    qtbot.addWidget(page)
    page.resize(1024, 660)
    page.show()
    return page


def show(view, states, *names):
    for name in names:
        view.show_state(states[name])
    QApplication.processEvents()


# name: (advise, stop, exports can be pressed; the advice is seen)
OFFERED = {
    "empty": (True, False, False, False),
    "probing": (False, True, False, False),
    "measuring": (False, True, False, True),
    "cancelling": (False, False, False, True),
    "done": (True, False, True, True),
    "cancelled": (True, False, True, True),
    "last": (True, False, True, True),
    "failed": (True, False, False, False),
    "broken": (True, False, True, True),
}


@pytest.mark.parametrize("name", OFFERED)
def test_what_can_be_pressed(view, states, name):
    show(view, states, name)
    advise, stop, exports, advice = OFFERED[name]

    def can(button):
        return button.isVisible() and button.isEnabled()

    assert can(view.advise_button) is advise
    assert can(view.cancel_button) is stop
    assert can(view.advice.pdf_button) is exports
    assert view.form.isEnabled() is advise
    assert view.advice.isVisible() is advice
    assert view.message.isVisible() is not advice


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("empty", "Takes about a minute."),
        ("measuring", "Measuring: 4 of 12 kernels\nCPU: convolution"),
        ("cancelling", "Stopping"),
        ("done", "Done. 11 kernels measured in 62 s. 1 gave no figure"),
        ("cancelled", "Stopped."),
        ("last", "The last advice, of 2026-11-21. 11 kernels measured"),
        ("failed", "Not done."),
        ("broken", "no space"),
    ],
)
def test_what_is_said(view, states, name, expected):
    show(view, states, name)
    assert view.status.text().startswith(expected)
    assert view.status.property("failed") is (name in ("failed", "broken"))


def test_the_empty_page_says_what_will_happen_and_that_nothing_leaves(view, states):
    show(view, states, "empty")
    texts = [label.text() for label in view.message.findChildren(QLabel) if label.isVisible()]
    assert "Nothing leaves this machine." in texts
    assert any("about a minute" in text for text in texts)


def test_a_bad_job_says_what_is_wrong_and_what_to_do(view, states):
    show(view, states, "probing", "failed")
    assert view.message.title.text() == "This job cannot be advised"
    assert view.message.text.text() == "too large: take a smaller batch"
    assert "press Advise me again" in view.message.closing_text.text()


def test_the_machine_is_named_while_it_is_looked_at(view, states):
    show(view, states, "found")
    assert "AMD A10-7850K" in view.message.text.text()


def test_warnings_of_the_session_are_told(view, states):
    advice = an_advice()
    measured = dataclasses.replace(advice.measurements, warnings=(StabilityWarning.BUSY,))
    advice = dataclasses.replace(advice, measurements=measured)
    view.show_state(AdviseState(stage=Stage.DONE, recommendation=advice))
    assert "Beware: the machine was busy" in view.status.text()


def test_nothing_is_ever_animated(view, states):
    for name in OFFERED:
        show(view, states, name)
        for bar in view.findChildren(QProgressBar):
            assert bar.maximum() > bar.minimum()


def test_progress_counts_kernels(view, states):
    show(view, states, "measuring")
    assert (view.progress.value(), view.progress.maximum()) == (4, 12)


def test_measurements_come_to_the_front_and_options_when_done(view, states):
    show(view, states, "probing", "measuring")
    assert view.advice.tabs.currentWidget() is view.advice.results_table
    show(view, states, "done")
    assert view.advice.tabs.currentWidget() is view.advice.options_table


def test_a_tab_that_the_user_chose_stays(view, states, qtbot):
    show(view, states, "probing", "measuring")
    bar = view.advice.tabs.findChild(QTabBar)
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(1).center())
    show(view, states, "done")
    assert view.advice.tabs.currentWidget() is view.advice.avoid_table


def test_a_new_run_forgets_the_old_one(view, states):
    show(view, states, "done", "probing")
    assert not view.advice.has_advice
    assert view.message.isVisible()


def test_the_button_asks_for_the_job_of_the_form(view, qtbot):
    view.form.batch_size.setValue(48)
    with qtbot.waitSignal(view.advise_requested) as told:
        qtbot.mouseClick(view.advise_button, Qt.MouseButton.LeftButton)
    assert isinstance(told.args[0], JourneyRequest)
    assert told.args[0].job.batch_size == 48


def test_the_last_advice_is_offered_where_there_is_one(view, states, qtbot):
    show(view, states, "empty")
    assert not view.last_button.isVisible()
    view.offer_last(has_last=True)
    assert view.last_button.isVisible()
    with qtbot.waitSignal(view.last_requested):
        qtbot.mouseClick(view.last_button, Qt.MouseButton.LeftButton)
    show(view, states, "probing")
    assert not view.last_button.isVisible()


def test_stop_is_told(view, states, qtbot):
    show(view, states, "measuring")
    with qtbot.waitSignal(view.cancel_requested):
        qtbot.mouseClick(view.cancel_button, Qt.MouseButton.LeftButton)


def test_the_focus_follows_the_button(view, states, qtbot):
    view.activateWindow()
    view.advise_button.setFocus()
    qtbot.waitUntil(view.advise_button.hasFocus)
    show(view, states, "measuring")
    assert view.cancel_button.hasFocus()
    show(view, states, "done")
    assert view.advise_button.hasFocus()


def test_a_dropped_model_is_chosen_only_when_nothing_runs(view, states):
    show(view, states, "measuring")
    view.take_model("/models/mine.keras")
    assert view.form.request().model_file is None
    show(view, states, "done")
    view.take_model("/models/mine.keras")
    assert view.form.request().model_file == Path("/models/mine.keras")


def test_every_key_of_the_keyboard_is_used_once(view, states):
    show(view, states, "done")
    view.cancel_button.show()
    kinds = (QPushButton, QLabel, QToolButton)
    texts = [widget.text() for kind in kinds for widget in view.findChildren(kind)]
    tabs = view.advice.tabs
    texts += [tabs.tabText(n) for n in range(tabs.count())]
    keys = [key.lower() for text in texts for key in re.findall(r"&(\w)", text)]
    assert len(keys) >= 16
    assert sorted(keys) == sorted(set(keys))


def test_the_tab_key_goes_from_top_to_bottom(view, states, qtbot):
    show(view, states, "done")
    view.form.more_button.click()
    view.activateWindow()
    view.form.network.setFocus()
    qtbot.waitUntil(view.form.network.hasFocus)
    form = view.form
    fields = "phase batch_size samples epochs objective more_button precision budget max_usd"
    expected = [form.open_model, *(getattr(form, name) for name in fields.split())]
    expected += [form.deadline_h, form.allows_cloud, form.allows_buying, view.advise_button]
    for widget in expected:
        view.focusNextChild()
        assert QApplication.focusWidget() is widget, widget


@pytest.mark.parametrize("name", OFFERED)
@pytest.mark.parametrize("size", [MINIMUM_SIZE, (1024, 700)])
def test_nothing_is_clipped(view, states, name, size):
    view.resize(size[0], size[1] - 30)
    show(view, states, name)
    assert (view.width(), view.height()) == (size[0], size[1] - 30)
    for button in (*view.findChildren(QPushButton), view.form.more_button):
        if button.isVisible():
            assert button.width() >= button.sizeHint().width(), button.text()
            assert view.rect().contains(button.mapTo(view, button.rect().center()))
    for label in (*view.message.findChildren(QLabel), view.status):
        if label.isVisible() and label.text() and label.wordWrap():
            assert label.height() >= label.heightForWidth(label.width()), label.text()
