"""Prices are fetched when the user says so, beside the window, whatever the server does."""

import gc
import time

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from advisor.knowledge.refresh.run import TableOutcome, Verdict, refresh_prices
from tests.advisor.knowledge.refresh.misbehaviours import MISBEHAVIOURS
from tests.advisor.knowledge.refresh.refreshing import GOOD, VMS
from tests.advisor.knowledge.refresh.servers import (
    PriceServer,
    answer,
    around,
    aws_offers,
    catalog,
    hang,
    request,
)
from ui.background import BackgroundTask
from ui.dialogs.prices import PricesDialog
from ui.presenters.prices import PricesPresenter, PricesStage
from ui.pricing import status_now

TICK_MS = 5
# A window that waits for a server stands still for seconds; a crowded host stops it for a moment.
LONGEST_GAP_S = 0.5


class Watchdog:
    """Notes the longest time for which the window's thread did not answer."""

    def __init__(self, parent):
        self._last = time.monotonic()
        self.longest_s = 0.0
        timer = QTimer(parent)
        timer.timeout.connect(self._tick)
        timer.start(TICK_MS)

    def _tick(self):
        now = time.monotonic()
        self.longest_s = max(self.longest_s, now - self._last)
        self._last = now


@pytest.fixture
def server():
    made = PriceServer()
    yield made
    made.close()


@pytest.fixture
def make(qtbot, tr):
    made = []

    def build(presenter):
        dialog = PricesDialog(presenter, translator=tr)
        qtbot.addWidget(dialog)
        made.append(presenter)
        dialog.show()
        qtbot.waitUntil(lambda: presenter.state.status is not None, timeout=10_000)
        qtbot.waitUntil(lambda: presenter.findChildren(BackgroundTask) == [])
        return dialog

    yield build
    for presenter in made:
        assert presenter.wait(5.0)


@pytest.fixture
def own(server, tmp_path):
    """Make a presenter that asks the test's own server and keeps tables in the test's folder."""

    def build():
        def fetch(asked, *, should_stop, on_progress):
            events = type("Events", (), {"append": staticmethod(on_progress)})()
            place = around(tmp_path / "prices", should_stop=should_stop, events=events)
            yield from refresh_prices(asked, around=place)

        (tmp_path / "prices").mkdir(exist_ok=True)
        return PricesPresenter(fetch=fetch, request=request(server))

    return build


def fetch(dialog, presenter, qtbot):
    dialog.fetch_button.click()
    assert presenter.state.is_busy
    qtbot.waitUntil(lambda: presenter.state.stage is PricesStage.DONE, timeout=10_000)


def test_ages_are_shown_and_nothing_is_asked(server, make, own):
    dialog = make(own())
    assert dialog.table.model().rowCount() == len(status_now().vendors)
    assert "Nothing is fetched" in dialog.status.text()
    assert "raw.githubusercontent.com" in dialog.text.text()
    assert server.asked == []


def test_good_prices_are_taken(server, make, own, qtbot):
    server.routes["/primary" + VMS] = answer(GOOD)
    presenter = own()
    dialog = make(presenter)
    fetch(dialog, presenter, qtbot)
    assert "aws: 180 rows, of today" in dialog.outcomes.toPlainText()
    assert dialog.fetch_button.isEnabled()
    assert not dialog.stop_button.isVisible()


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_a_misbehaving_server_never_blocks_the_window(server, make, own, qtbot):
    presenter = own()
    dialog = make(presenter)
    server.routes["/primary" + VMS] = answer(catalog(aws_offers(), factor=1.05))
    fetch(dialog, presenter, qtbot)
    told = {}
    # What earlier tests left in memory is not searched for garbage while the window is watched.
    gc.collect()
    gc.freeze()
    watchdog = Watchdog(dialog)
    for name, (script, message) in MISBEHAVIOURS.items():
        for base in ("/primary", "/mirror"):
            server.routes[base + VMS] = script
        fetch(dialog, presenter, qtbot)
        line = dialog.outcomes.toPlainText().splitlines()[0]
        assert line.startswith("aws: the old prices stay in use: "), name
        assert message in line, name
        told[name] = line
    gc.unfreeze()
    assert watchdog.longest_s < LONGEST_GAP_S
    assert len(told) >= 20


def test_stopping_is_seen_at_once_and_soon_done(server, make, own, qtbot):
    for base in ("/primary", "/mirror"):
        server.routes[base + VMS] = hang
    presenter = own()
    dialog = make(presenter)
    dialog.fetch_button.click()
    qtbot.waitUntil(lambda: bool(server.asked))
    dialog.stop_button.click()
    assert presenter.state.stage is PricesStage.STOPPING
    assert not dialog.stop_button.isEnabled()
    qtbot.waitUntil(lambda: presenter.state.stage is PricesStage.DONE, timeout=3000)


def test_closing_the_dialog_stops_it(server, make, own, qtbot):
    for base in ("/primary", "/mirror"):
        server.routes[base + VMS] = hang
    presenter = own()
    dialog = make(presenter)
    dialog.fetch_button.click()
    dialog.close()
    qtbot.waitUntil(lambda: not presenter.state.is_busy, timeout=3000)


def test_a_fault_of_the_app_is_told_apart(make, qtbot):
    def fetch(_asked, **_more):
        yield TableOutcome(name="aws", verdict=Verdict.UNCHANGED, n_rows=3)
        raise KeyError("oops")

    presenter = PricesPresenter(fetch=fetch)
    dialog = make(presenter)
    with qtbot.waitSignal(presenter.unexpected):
        dialog.fetch_button.click()
    QApplication.processEvents()
    assert dialog.status.text().startswith("Not done")
    assert "unchanged" in dialog.outcomes.toPlainText()
