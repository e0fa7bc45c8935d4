"""In a language of 30 % longer texts nothing is cut, on any page and dialog, at 1024x700."""

import contextlib
import dataclasses

import pytest
from PySide6.QtWidgets import QAbstractScrollArea, QComboBox, QDialog, QLabel, QPushButton, QWidget

from tests.advisor.share.builders import machine, measured
from tests.ui.advice_values import FakeWalk, an_advice, results
from tests.ui.history_values import keep, keep_trial, measured_advice
from tests.ui.pseudo import SLACK_PX, clipped, pseudo
from ui import dataset, journey
from ui.app import build_window
from ui.dialogs.prices import PricesDialog
from ui.dialogs.settings import SettingsDialog
from ui.dialogs.share import ShareDialog
from ui.dialogs.trial import TrialDialog
from ui.presenters.advise import AdvisePresenter, AdviseState, Stage
from ui.presenters.compare import ComparePresenter
from ui.presenters.history import HistoryPresenter
from ui.presenters.machine import MachinePresenter
from ui.presenters.prices import PricesPresenter
from ui.presenters.share import SharePresenter
from ui.presenters.trial import TrialPresenter
from ui.presenters.workload import WorkloadPresenter
from ui.settings import keep_last
from ui.theme import style_sheet
from ui.window_command import PAGES

SIZE = (1024, 700)
TR = pseudo()
BESIDE = (MachinePresenter, WorkloadPresenter, ComparePresenter, HistoryPresenter)


def settle(qtbot, window):
    """Wait for what reads beside the window, and for what that begins in turn."""
    for _turn in range(2):
        for kind in BESIDE:
            for presenter in window.findChildren(kind):
                assert presenter.wait(20.0)
        qtbot.wait(60)


def check(qtbot, widget):
    """Fail where something is still cut when all has been laid out."""
    with contextlib.suppress(qtbot.TimeoutError):
        qtbot.waitUntil(lambda: not list(clipped(widget)), timeout=1500)
    assert list(clipped(widget)) == []


def sideways(widget):
    """Yield each area in which the eye would have to scroll sideways; no table needs to."""
    for area in widget.findChildren(QAbstractScrollArea):
        bar = area.horizontalScrollBar()
        is_hidden = bar.maximum() <= SLACK_PX and not bar.isVisible()
        if area.isVisible() and area.window() is widget.window() and not is_hidden:
            yield f"{type(area).__name__} {area.accessibleName()!r}: {bar.maximum()} px"


def check_sideways(qtbot, widget):
    with contextlib.suppress(qtbot.TimeoutError):
        qtbot.waitUntil(lambda: not list(sideways(widget)), timeout=1500)
    assert list(sideways(widget)) == []


@pytest.fixture(autouse=True)
def styled(qapp):
    """Wear what the app wears: fonts and margins decide what fits."""
    qapp.setStyleSheet(style_sheet(qapp))
    yield
    qapp.setStyleSheet("")


@pytest.fixture(scope="module")
def advice():
    """Return an advice of the product itself, for this very machine, nothing measured."""
    knowledge = dataset.bundled_knowledge()
    workload = journey.load_job(journey.JourneyRequest(network="mnist-mlp"), knowledge)
    profile = journey.probe_machine(with_opencl=False, overrides={})
    return journey.advise(
        profile, None, workload, journey.JourneyRequest().preferences, knowledge,
        index=dataset.bundled_index(),
    )  # fmt: skip


@pytest.fixture
def window(qtbot, qapp):
    keep(measured_advice(time_s=0.01))
    keep(measured_advice(time_s=0.02), days=1)
    keep_trial()
    presenter = AdvisePresenter(translator=TR, walk_line=FakeWalk(), keep=lambda _advice: None)
    made = build_window(presenter, translator=TR)
    made.resize(*SIZE)
    made.show()
    yield made
    presenter.close()
    assert presenter.wait(5.0)
    settle(qtbot, made)
    made.hide()
    made.deleteLater()


def show(window, state):
    presenter = window.findChild(AdvisePresenter)
    presenter._replace(state)


def done(advice):
    return AdviseState(
        stage=Stage.DONE, profile=advice.profile, recommendation=advice, results=results(12)
    )


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("is_filled", [False, True], ids=["empty", "filled"])
def test_no_page_is_cut(window, qtbot, advice, name, is_filled):
    if is_filled:
        show(window, done(advice))
    window.show_page(name)
    settle(qtbot, window)
    assert (window.width(), window.height()) == SIZE
    check(qtbot, window)
    check_sideways(qtbot, window)


def test_no_tab_of_the_advice_is_cut(window, qtbot, advice):
    show(window, done(advice))
    window.show_page("advice")
    tabs = window.page("advice").advice.tabs
    for number in range(tabs.count()):
        tabs.setCurrentIndex(number)
        settle(qtbot, window)
        check(qtbot, window)
        check_sideways(qtbot, window)


def settings_dialog(_advice):
    return SettingsDialog(translator=TR), None


def prices_dialog(_advice):
    presenter = PricesPresenter()
    return PricesDialog(presenter, translator=TR), presenter


def share_dialog(_advice):
    keep_last(dataclasses.replace(an_advice(), profile=machine(), measurements=measured()))
    presenter = SharePresenter()
    return ShareDialog(presenter, translator=TR), presenter


def trial_dialog(advice):
    presenter = TrialPresenter()
    presenter.prepare(advice, option_id="xla-cpu")
    return TrialDialog(presenter, translator=TR), presenter


@pytest.mark.parametrize("make", [settings_dialog, prices_dialog, share_dialog, trial_dialog])
def test_no_dialog_is_cut(qtbot, advice, make):
    dialog, presenter = make(advice)
    qtbot.addWidget(dialog)
    dialog.show()
    if presenter is not None:
        assert presenter.wait(20.0)
    qtbot.wait(60)
    assert dialog.width() <= SIZE[0]
    assert dialog.height() <= SIZE[1]
    check(qtbot, dialog)
    check_sideways(qtbot, dialog)


def test_the_whole_report_is_as_wide_as_its_place(window, qtbot, advice):
    show(window, done(advice))
    window.show_page("advice")
    view = window.page("advice").advice
    view.tabs.setCurrentWidget(view.report)
    settle(qtbot, window)
    # Qt lays out what is far below only when somebody asks.
    assert view.report.document().size().width() <= view.report.viewport().width() + SLACK_PX


def test_what_is_read_aloud_has_no_keys(window, qtbot, advice):
    show(window, done(advice))
    for name in PAGES:
        window.show_page(name)
        settle(qtbot, window)
        named = [w.accessibleName() for w in window.findChildren(QWidget) if w.accessibleName()]
        assert named
        assert [name for name in named if "&" in name] == []


def test_a_text_that_is_cut_is_found(qtbot):
    dialog = QDialog()
    qtbot.addWidget(dialog)
    label = QLabel("A text that is much too long", dialog)
    label.resize(40, 40)
    button = QPushButton("A button that is too narrow", dialog)
    button.setGeometry(0, 40, 30, 24)
    field = QComboBox(dialog)
    field.addItem("A choice that is longer than its field")
    field.setGeometry(0, 80, 60, 24)
    dialog.show()
    assert [line.split()[0] for line in clipped(dialog)] == [
        "QLabel", "QAbstractButton", "QComboBox",
    ]  # fmt: skip
