"""The history page and the dialogs in the real window: wired to the advice that is shown."""

import dataclasses

import pytest

from tests.advisor.share.builders import machine, measured
from tests.ui.advice_values import FakeWalk, an_advice
from tests.ui.dialogs.test_trial import FakeRuns, an_own_advice
from ui.app import build_window
from ui.dialogs.share import ShareDialog
from ui.dialogs.trial import TrialDialog
from ui.presenters import trial as trial_module
from ui.presenters.advise import AdvisePresenter, Stage
from ui.presenters.compare import ComparePresenter
from ui.presenters.history import HistoryPresenter, HistoryStage
from ui.presenters.machine import MachinePresenter
from ui.presenters.share import SharePresenter
from ui.presenters.trial import TrialPresenter, TrialStage
from ui.presenters.workload import WorkloadPresenter
from ui.settings import keep_last

KINDS = (
    MachinePresenter, WorkloadPresenter, ComparePresenter, HistoryPresenter, SharePresenter,
    TrialPresenter,
)  # fmt: skip


@pytest.fixture
def window(qapp, tr):
    presenter = AdvisePresenter(translator=tr, walk_line=FakeWalk(4))
    made = build_window(presenter, translator=tr)
    made.show()
    yield made
    presenter.close()
    assert presenter.wait(5.0)
    for kind in KINDS:
        for other in made.findChildren(kind):
            assert other.wait(20.0)
    made.hide()
    made.deleteLater()


def advise_of(window):
    return window.findChild(AdvisePresenter)


def dialog_of(window, kind, qtbot):
    qtbot.waitUntil(lambda: window.findChild(kind) is not None, timeout=5000)
    return window.findChild(kind)


def test_a_finished_advice_is_in_the_history_and_is_shown_again(window, qtbot):
    advise = advise_of(window)
    window.page("start").advise_button.click()
    qtbot.waitUntil(lambda: advise.state.stage is Stage.DONE, timeout=10_000)
    window.show_page("history")
    view = window.page("history")
    history = window.findChild(HistoryPresenter)
    qtbot.waitUntil(lambda: history.state.stage is HistoryStage.READY, timeout=10_000)
    assert view.table.model().rowCount() == 1
    view.table.choose_row(0)
    qtbot.waitUntil(lambda: history.state.answer is not None, timeout=10_000)
    view.advice_button.click()
    assert window.page_name == "advice"
    assert advise.state.stage is Stage.LAST
    assert advise.state.recommendation == history.state.answer


def test_the_history_grows_while_it_is_looked_at(window, qtbot):
    window.show_page("history")
    history = window.findChild(HistoryPresenter)
    qtbot.waitUntil(lambda: history.state.stage is HistoryStage.EMPTY, timeout=10_000)
    window.page("start").advise_button.click()
    qtbot.waitUntil(lambda: len(history.state.entries) == 1, timeout=10_000)


def test_sharing_is_one_click_away_and_sends_nothing(window, qtbot):
    keep_last(dataclasses.replace(an_advice(), profile=machine(), measurements=measured()))
    window.share_button.click()
    dialog = dialog_of(window, ShareDialog, qtbot)
    qtbot.waitUntil(lambda: bool(dialog.preview.toPlainText()), timeout=10_000)
    dialog.close()
    qtbot.waitUntil(lambda: window.findChild(ShareDialog) is None, timeout=5000)
    window.share_button.click()
    again = dialog_of(window, ShareDialog, qtbot)
    assert again.preview.toPlainText()
    again.close()


def test_what_was_tried_becomes_the_advice(window, qtbot, monkeypatch):
    real = trial_module.TrialPresenter
    monkeypatch.setattr(
        trial_module, "TrialPresenter", lambda *, parent: real(run=FakeRuns(), parent=parent)
    )
    advise = advise_of(window)
    advise.show_advice(an_own_advice())
    window.show_page("advice")
    page = window.page("advice")
    page.advice.options_table.choose_row(0)
    assert page.try_button.isEnabled()
    page.try_button.click()
    dialog = dialog_of(window, TrialDialog, qtbot)
    assert dialog.isModal()
    trial = window.findChild(TrialPresenter)
    qtbot.waitUntil(lambda: trial.state.stage is TrialStage.READY, timeout=20_000)
    first = advise.state.recommendation.ranked[0].option.id
    assert trial.state.option_id == first
    names = [setup.id for setup in trial.state.plan.setups[1:]]
    row = names.index("xla")
    dialog.setups.item(row).setCheckState(dialog.setups.item(row).checkState().Checked)
    dialog.agree_box.click()
    dialog.start_button.click()
    qtbot.waitUntil(lambda: trial.state.stage is TrialStage.DONE, timeout=20_000)
    assert advise.state.recommendation.trials == trial.state.report
    dialog.close()


def test_closing_the_window_stops_a_trial(window, qtbot, monkeypatch):
    real = trial_module.TrialPresenter
    runs = FakeRuns(is_gated=True)
    monkeypatch.setattr(
        trial_module, "TrialPresenter", lambda *, parent: real(run=runs, parent=parent)
    )
    advise_of(window).show_advice(an_own_advice())
    window.show_page("advice")
    window.page("advice").try_button.click()
    trial = window.findChild(TrialPresenter)
    qtbot.waitUntil(lambda: trial.state.stage is TrialStage.READY, timeout=20_000)
    trial.start(("xla",), minutes=1.0)
    qtbot.waitUntil(lambda: len(runs.order) == 3, timeout=10_000)
    window.close()
    qtbot.waitUntil(lambda: trial.state.stage is TrialStage.STOPPED, timeout=5000)
