"""Other epochs and limits of the job that is shown: asked for, answered, and taken back."""

import dataclasses
import threading
import time

import pytest

from advisor.model.option import OptionKind
from advisor.model.recommendation import Preferences
from tests.advisor.recommend.builders import a_profile
from tests.ui.advice_values import FakeWalk
from tests.ui.presenters.test_advise import until
from ui.journey import JourneyRequest, WhatIf, advise, bundled_knowledge, load_job, rank_anew
from ui.presenters.advise import AdvisePresenter, Stage


def test_other_epochs_are_ranked_beside_the_window(qtbot, tr):
    threads, asked = [], []

    def rerank(advice, what_if):
        threads.append(threading.current_thread())
        asked.append(what_if)
        return dataclasses.replace(advice, created_on="2026-12-24")

    presenter = AdvisePresenter(
        translator=tr, walk_line=FakeWalk(3), keep=lambda _advice: None, rerank=rerank
    )
    what_if = WhatIf(epochs=7, max_usd=None, deadline_h=None)
    presenter.ask_what_if(what_if)
    assert asked == []
    presenter.start(JourneyRequest())
    until(qtbot, presenter, Stage.DONE)
    presenter.ask_what_if(what_if)
    qtbot.waitUntil(lambda: presenter.state.what_if is not None)
    assert presenter.state.shown.created_on == "2026-12-24"
    assert presenter.state.recommendation.created_on != "2026-12-24"
    assert presenter.state.stage is Stage.DONE
    assert asked == [what_if]
    assert threads[0] is not threading.main_thread()
    assert presenter.wait(5.0)


def advised(qtbot, tr, rerank):
    """Return a presenter that has an advice and ranks it anew by a function."""
    presenter = AdvisePresenter(
        translator=tr, walk_line=FakeWalk(3), keep=lambda _advice: None, rerank=rerank
    )
    presenter.start(JourneyRequest())
    until(qtbot, presenter, Stage.DONE)
    return presenter


def test_only_the_last_of_many_questions_is_answered(qtbot, tr):
    gate, asked = threading.Event(), []

    def rerank(advice, what_if):
        asked.append(what_if.epochs)
        assert gate.wait(5.0)
        return advice

    presenter = advised(qtbot, tr, rerank)
    for epochs in range(1, 30):
        presenter.ask_what_if(WhatIf(epochs=epochs, max_usd=None, deadline_h=None))
    gate.set()
    qtbot.waitUntil(lambda: len(asked) == 2)
    assert asked == [1, 29]
    qtbot.waitUntil(lambda: presenter.wait(5.0))


def test_what_was_asked_comes_back_after_a_drag(qtbot, tr):
    gate, asked = threading.Event(), []

    def rerank(advice, what_if):
        asked.append(advice)
        assert gate.wait(5.0)
        return dataclasses.replace(advice, created_on=f"epochs {what_if.epochs}")

    presenter = advised(qtbot, tr, rerank)
    advice = presenter.state.recommendation
    for epochs in (3, 40, 309):
        presenter.ask_what_if(WhatIf(epochs=epochs, max_usd=None, deadline_h=None))
    gate.set()
    qtbot.waitUntil(lambda: presenter.state.shown.created_on == "epochs 309")
    assert asked == [advice, advice]
    presenter.ask_what_if(WhatIf.of(advice))
    assert presenter.state.shown is advice
    assert len(asked) == 2


def test_an_answer_to_another_advice_is_not_shown(qtbot, tr):
    gate = threading.Event()

    def rerank(advice, what_if):
        assert gate.wait(5.0)
        return dataclasses.replace(advice, created_on="ranked anew")

    presenter = advised(qtbot, tr, rerank)
    for epochs in (7, 8):
        presenter.ask_what_if(WhatIf(epochs=epochs, max_usd=None, deadline_h=None))
    other = dataclasses.replace(presenter.state.recommendation, created_on="2026-12-25")
    presenter.show_advice(other)
    gate.set()
    assert presenter.wait(5.0)
    qtbot.wait(50)
    assert presenter.state.shown is other
    assert presenter.wait(0.0)


def test_ranking_anew_changes_the_job_and_the_limits_alone():
    advice = real_advice()
    found = rank_anew(advice, WhatIf(epochs=50, max_usd=0.0, deadline_h=None))
    assert found.workload.epochs == 50
    assert found.preferences.max_usd == 0.0
    assert found.profile == advice.profile
    stay = next(row for row in found.ranked if row.option.kind is OptionKind.STAY)
    before = next(row for row in advice.ranked if row.option.kind is OptionKind.STAY)
    assert stay.prediction.step_s == before.prediction.step_s
    assert stay.prediction.total_s.mid > before.prediction.total_s.mid


@pytest.mark.alone
def test_a_slider_is_followed_at_once():
    """Goal: 0.05 s; the limit leaves room for a slow machine and looks at our own time alone."""
    advice = real_advice()
    taken = []
    for epochs in range(2, 12):
        began = time.process_time()
        rank_anew(advice, WhatIf(epochs=epochs, max_usd=None, deadline_h=None))
        taken.append(time.process_time() - began)
    assert min(taken) < 0.2


def real_advice():
    workload = load_job(JourneyRequest(network="mnist-mlp"), bundled_knowledge())
    return advise(a_profile(), None, workload, Preferences(), bundled_knowledge())
