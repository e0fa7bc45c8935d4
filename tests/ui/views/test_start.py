"""Every state of the first page is designed: what is offered, what is said, nothing clipped."""

import dataclasses
import re

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QProgressBar, QPushButton

from advisor.i18n import translator_for
from advisor.model.measurement import StabilityWarning
from advisor.report.job_line import job_sentence
from probes.machine.overrides import apply_overrides
from tests.ui.advice_values import an_advice
from ui.presenters.advise import AdviseState, Stage
from ui.views.start import StartView

# What the rail and the status bar leave of the smallest sizes of the window.
PAGE_SIZES = [(860, 590), (884, 650), (1240, 760)]


@pytest.fixture
def view(qtbot, tr):
    page = StartView(translator=tr)
    qtbot.addWidget(page)
    page.resize(884, 650)
    page.show_job("CIFAR-10 deep CNN · training · batch 32 · 50,000 samples × 20 epochs · float32")
    page.show()
    return page


def show(view, states, *names):
    for name in names:
        view.show_state(states[name])
    QApplication.processEvents()


# name: (advise, stop, all options can be pressed; an answer is seen)
OFFERED = {
    "empty": (True, False, False, False),
    "probing": (False, True, False, False),
    "measuring": (False, True, True, True),
    "cancelling": (False, False, True, True),
    "done": (True, False, True, True),
    "cancelled": (True, False, True, True),
    "last": (True, False, True, True),
    "failed": (True, False, False, False),
    "broken": (True, False, True, True),
}


def test_an_answer_for_another_job_says_so(view, states):
    advice = an_advice()
    own = job_sentence(advice.workload, advice.preferences, translator_for("en"))
    view.show_job(own)
    show(view, states, "done")
    assert not view.other_job.isVisible()
    view.show_job("My model · training · batch 8")
    assert view.other_job.isVisible()
    assert own in view.other_job.text()
    show(view, states, "empty")
    assert not view.other_job.isVisible()


@pytest.mark.parametrize(
    "changes",
    [
        {"max_usd": 20.0},
        {"deadline_h": 1.5},
        {"allows_cloud": False},
        {"allows_buying": False},
        {"regions": ("europe",)},
        {"electricity_usd_per_kwh": 0.3},
    ],
)
def test_a_limit_is_named_and_makes_it_another_job(view, states, changes):
    english = translator_for("en")
    advice = an_advice()
    view.show_job(job_sentence(advice.workload, advice.preferences, english), advice.preferences)
    show(view, states, "done")
    assert not view.other_job.isVisible()
    wanted = dataclasses.replace(advice.preferences, **changes)
    text = job_sentence(advice.workload, wanted, english)
    assert text.startswith(f"{job_sentence(advice.workload, advice.preferences, english)} · ")
    view.show_job(text, wanted)
    assert view.other_job.isVisible()


def test_limits_that_read_alike_are_told_apart(view, states):
    advice = states["done"].recommendation
    texts = set()
    for usd, is_same in ((250.1, True), (250.4, False)):
        wanted = dataclasses.replace(advice.preferences, max_usd=usd)
        text = job_sentence(advice.workload, wanted, translator_for("en"))
        texts.add(text)
        if is_same:
            asked = dataclasses.replace(advice, preferences=wanted)
            view.show_state(dataclasses.replace(states["done"], recommendation=asked))
        view.show_job(text, wanted)
        assert view.other_job.isVisible() is not is_same
    assert len(texts) == 1


def test_a_job_that_cannot_be_read_is_an_error_and_nothing_can_be_asked(view, states):
    show(view, states, "done")
    view.show_problem("wrong.json: not a Keras model")
    assert view.job.property("problem") is True
    assert not view.advise_button.isEnabled()
    assert view.advise_button.toolTip() == "wrong.json: not a Keras model"
    show(view, states, "last")
    assert not view.advise_button.isEnabled()
    view.show_job("My model · training · batch 8")
    assert view.job.property("problem") is False
    assert view.advise_button.isEnabled()
    assert view.advise_button.toolTip() == ""


def test_an_answer_from_before_a_value_was_changed_says_so(view, states):
    advice = an_advice()
    view.show_job(job_sentence(advice.workload, advice.preferences, translator_for("en")))
    show(view, states, "done")
    machine = advice.profile
    view.show_machine(machine)
    assert not view.other_job.isVisible()
    view.show_machine(apply_overrides(machine, {"cpu.max_mhz": "1234"}))
    assert view.other_job.isVisible()
    assert "changed after the answer" in view.other_job.text()
    view.show_machine(machine)
    assert not view.other_job.isVisible()


@pytest.mark.parametrize("name", OFFERED)
def test_what_can_be_pressed(view, states, name):
    show(view, states, name)
    advise, stop, options, answer = OFFERED[name]

    def can(button):
        return button.isVisible() and button.isEnabled()

    assert can(view.advise_button) is advise
    assert can(view.cancel_button) is stop
    assert can(view.options_button) is options
    assert can(view.job_button) is advise
    assert view.card.isVisible() is answer
    assert view.message.isVisible() is not answer


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("empty", "Takes about a minute."),
        ("measuring", "Measuring: 4 of up to 12 kernels\nCPU: convolution"),
        ("cancelling", "Stopping"),
        ("done", "Done. 11 kernels measured in 62 s. 1 gave no figure: the page Measure"),
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


def test_a_new_run_forgets_the_old_one(view, states):
    show(view, states, "done", "probing")
    assert not view.card.isVisible()
    assert view.message.isVisible()


def test_limits_that_leave_nothing_are_told_and_lead_to_the_reasons(view, states, qtbot):
    view.show_state(AdviseState(stage=Stage.DONE, recommendation=an_advice(ranked=())))
    assert view.message.title.text() == "No option fits your limits"
    assert "50,000 samples × " in view.message.text.text(), "for which job"
    with qtbot.waitSignal(view.page_requested) as told:
        view.options_button.click()
    assert told.args == ["advice"]
    show(view, states, "empty")
    assert not view.options_button.isVisible()


def test_each_button_names_what_it_is_for(view, states, qtbot):
    show(view, states, "done")
    for button, page in (
        (view.job_button, "workload"), (view.options_button, "advice"),
        (view.measure_button, "measure"),
    ):  # fmt: skip
        with qtbot.waitSignal(view.page_requested) as told:
            qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert told.args == [page]
    with qtbot.waitSignal(view.advise_requested):
        qtbot.mouseClick(view.advise_button, Qt.MouseButton.LeftButton)


def test_the_last_advice_is_offered_where_there_is_one(view, states, qtbot):
    show(view, states, "empty")
    assert not view.last_button.isVisible()
    view.offer_last(has_last=True)
    assert view.last_button.isVisible()
    with qtbot.waitSignal(view.last_requested):
        qtbot.mouseClick(view.last_button, Qt.MouseButton.LeftButton)
    show(view, states, "probing")
    assert not view.last_button.isVisible()


def test_after_a_run_of_the_sitting_all_can_be_measured_anew(view, states, qtbot):
    for name in ("empty", "measuring", "last"):
        show(view, states, name)
        assert not view.anew_button.isVisible()
    show(view, states, "done")
    assert view.anew_button.isVisible()
    assert "half hour" in view.anew_button.toolTip()
    with qtbot.waitSignal(view.anew_requested):
        qtbot.mouseClick(view.anew_button, Qt.MouseButton.LeftButton)
    show(view, states, "measuring")
    assert not view.anew_button.isVisible()
    # A run that was stopped since takes nothing away of the one before.
    show(view, states, "cancelled")
    assert view.anew_button.isVisible()


def test_figures_of_a_moment_ago_are_called_that(view, states):
    view.show_state(dataclasses.replace(states["done"], n_taken=9))
    assert "9 of them are from a moment ago" in view.status.text()
    show(view, states, "done")
    assert "a moment ago" not in view.status.text()


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


def test_every_key_of_the_keyboard_is_used_once(view, states):
    show(view, states, "done")
    view.cancel_button.show()
    texts = [button.text() for button in view.findChildren(QPushButton)]
    keys = [key.lower() for text in texts for key in re.findall(r"&(\w)", text)]
    assert len(keys) >= 5
    assert sorted(keys) == sorted(set(keys))


def test_the_tab_key_goes_from_top_to_bottom(view, states, qtbot):
    show(view, states, "done")
    view.offer_last(has_last=True)
    view.activateWindow()
    view.advise_button.setFocus()
    qtbot.waitUntil(view.advise_button.hasFocus)
    for widget in (view.job_button, view.anew_button, view.last_button):
        view.focusNextChild()
        assert QApplication.focusWidget() is widget, widget


@pytest.mark.parametrize("name", OFFERED)
@pytest.mark.parametrize("size", PAGE_SIZES)
def test_nothing_is_clipped(view, states, name, size):
    view.resize(*size)
    view.offer_last(has_last=True)
    show(view, states, name)
    QApplication.processEvents()
    assert (view.width(), view.height()) == size
    for button in view.findChildren(QPushButton):
        if button.isVisible() and button.parent() is not None:
            assert button.width() >= button.minimumSizeHint().width(), button.text()
            assert button.height() >= button.minimumSizeHint().height(), button.text()
    for label in (*view.message.findChildren(QLabel), view.status, view.job, view.title):
        if label.isVisible() and label.text() and label.wordWrap():
            assert label.height() >= label.heightForWidth(label.width()), label.text()


def test_an_earlier_advice_names_its_own_job(view, states):
    view.show_job("another job altogether")
    show(view, states, "last")
    assert states["last"].recommendation.workload.title in view.status.text()


def test_chinese_sentences_stand_without_spaces_between_them(qtbot, states):
    view = StartView(translator=translator_for("zh_CN"))
    qtbot.addWidget(view)
    view.show_state(states["done"])
    assert view.status.text().count("。") > 1
    assert "。 " not in view.status.text()
