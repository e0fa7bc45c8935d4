"""The window answers while a run tells much: a fast copy of `tests.ui.drive.test_watched`."""

import gc
import sys
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QEventLoop, QTimer

from advisor.model.machine import MachineProfile
from advisor.model.measurement import Measurement, MeasurementSet
from probes.bench.events import KernelFinished, KernelStarted
from probes.bench.plan import Budget, plan
from tests.ui.advice_values import a_measurement
from tests.ui.test_app import settle
from tests.ui.watchdog import Watchdog
from ui import dataset, journey
from ui.app import build_window
from ui.files import read_document
from ui.garbage import GarbageSearch
from ui.journey import AdviceReady, PlanReady, ProfileReady, ProvisionalReady
from ui.making_ready import SWITCH_S
from ui.presenters.advise import AdvisePresenter, Stage
from ui.settings import keep_last
from ui.window_command import PAGES

pytestmark = pytest.mark.alone

A10 = Path(__file__).resolve().parents[1] / "data/machines/a10-7850k/profile.json"
PAGE_MS = 60
TOURS = 3
# Five times what the real run is held to: kernels come a hundred times as fast, other tests came
# before, and the machine may share its cores with others.
LIMIT_S = 0.25


def spin(seconds, until=lambda: False):
    """Let Qt work as in the app; a wait that polls would keep the other threads waiting."""
    loop = QEventLoop()
    ends = time.monotonic() + seconds
    timer = QTimer()
    timer.timeout.connect(lambda: loop.quit() if until() or time.monotonic() > ends else None)
    timer.start(20)
    loop.exec()
    timer.stop()


def replayed(request, *, on_event, cancel):
    """Walk the real line for a recorded machine; only the timing of kernels is left out."""
    knowledge = dataset.bundled_knowledge()
    workload = journey.load_job(request, knowledge)
    profile = read_document(A10, MachineProfile)
    on_event(ProfileReady(profile=profile))
    words = (workload, request.preferences, knowledge)
    first = journey.advise(profile, None, *words, index=dataset.bundled_index())
    on_event(ProvisionalReady(recommendation=first))
    requests = plan(profile, budget=Budget.QUICK)
    on_event(PlanReady(n_kernels=len(requests)))
    stack, done = a_measurement().stack, []
    for number, asked in enumerate(requests, start=1):
        on_event(KernelStarted(request=asked, stage="time"))
        time.sleep(0.01)
        values = (1e-3 * number, 1.01e-3 * number, 1.02e-3 * number)
        done.append(
            Measurement(
                request=asked, stack=stack, warmups_s=(), values_s=values, loops=1, check="equal"
            )
        )
        on_event(KernelFinished(result=done[-1], n_done=number, n_total=len(requests)))
    measured = MeasurementSet(measured_on="2026-11-20", duration_s=1.0, results=tuple(done))
    final = journey.advise(profile, measured, *words, index=dataset.bundled_index())
    on_event(AdviceReady(recommendation=final))
    return final


@pytest.fixture
def garbage(qapp):
    search = GarbageSearch()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_S)
    # What earlier tests left is not searched while the window is watched.
    gc.collect()
    gc.freeze()
    yield search
    search.stop()
    sys.setswitchinterval(interval)
    gc.unfreeze()


@pytest.fixture
def window(qapp, tr, garbage):
    journey.warm_up()
    presenter = AdvisePresenter(translator=tr, walk_line=replayed, keep=keep_last)
    made = build_window(presenter, translator=tr)
    made.show()
    for name in PAGES:
        # Made, and its modules loaded, as the app does beside the window.
        made.show_page(name)
    settle(made)
    yield made
    presenter.close()
    assert presenter.wait(5.0)
    settle(made)
    made.hide()
    made.deleteLater()


def tour(window):
    """Run the main job and show one page after the other; return what the watchdog saw."""
    presenter, seen = window.findChild(AdvisePresenter), []

    def next_page():
        seen.append(PAGES[len(seen) % len(PAGES)])
        window.show_page(seen[-1])

    turner = QTimer(window)
    turner.timeout.connect(next_page)
    spin(0.3)
    with Watchdog(limit_s=LIMIT_S) as watchdog:
        window.page("start").advise_button.click()
        turner.start(PAGE_MS)
        spin(60.0, until=lambda: not presenter.state.is_busy and len(seen) > 2 * len(PAGES))
    turner.stop()
    assert presenter.state.stage is Stage.DONE
    assert len(presenter.state.results) > 50
    assert watchdog.n_ticks > 50
    return watchdog


def test_no_page_keeps_the_window_from_answering(window):
    # What stands still by its own fault does so each time; a busy machine does not.
    for _ in range(TOURS):
        blocks = tour(window).blocks
        if not blocks:
            return
    pytest.fail("\n".join(f"{block.own_s:.3f} s\n{block.stack}" for block in blocks))


def test_the_watchdog_barks(qapp):
    with Watchdog() as watchdog:
        spin(0.1)
        # Processor time, as a busy machine gives little of it.
        ends = time.thread_time() + 0.2
        while time.thread_time() < ends:
            sum(range(1000))
        spin(0.1)
    assert len(watchdog.blocks) >= 1
    assert "test_the_watchdog_barks" in watchdog.blocks[0].stack
