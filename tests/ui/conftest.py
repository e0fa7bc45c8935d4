"""For all tests of the window: no display, no file outside the test's folder, nothing left over."""

import gc
import os
import signal
import threading
import time
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import QCoreApplication, QEvent

from advisor.i18n import translator_for
from tests.ui.fake_trials import Fake
from ui import dataset
from ui.ending import ENDING

# A screen that nobody sees has 800 by 800 places unless told: there the window scrolls its pages.
if os.environ.get("QT_QPA_PLATFORM", "offscreen") == "offscreen" and os.name == "posix":
    os.environ["QT_QPA_PLATFORM"] = (
        f"offscreen:configfile={Path(__file__).with_name('screen.json')}"
    )
GRACE_S = 3.0
# Searches of what is young to one of everything.
_YOUNG_SEARCHES = 20

FOLDER = Path(__file__).parent


def pytest_collection_modifyitems(items):
    """Let Qt's remark on its own display-less plugin pass; every other remark fails the test."""
    for item in items:
        if FOLDER in item.path.parents:
            item.add_marker(pytest.mark.qt_log_ignore("does not support propagateSizeHints"))


@pytest.fixture(autouse=True)
def garbage_is_freed_by_the_window():
    """Search for garbage on this thread only, as the product does (`ui.garbage`).

    Python searches on whatever thread allocates: one that works beside a test would free widgets
    of the tests before it, under the hands of the thread that still draws them.
    """
    gc.disable()
    yield
    # What a test has closed waits for a loop of events, and few tests run one: thousands of widgets
    # would be drawn anew whenever the style changes.
    if QCoreApplication.instance() is not None:
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect(2 if gc.get_count()[2] >= _YOUNG_SEARCHES else 1)
    gc.enable()


def _threads():
    return {thread for thread in threading.enumerate() if thread.is_alive()}


def _read(path):
    """Return what the file of a thread says; something, too, when the thread has just ended."""
    try:
        return path.read_text()
    except OSError:
        return "?"


def _children():
    """Return the processes below this one; Linux tells at once when there are none."""
    lists = [*Path("/proc/self/task").glob("*/children")]
    if lists and not any(map(_read, lists)):
        return {}
    return {child.pid: child for child in psutil.Process().children(recursive=True)}


@pytest.fixture(autouse=True)
def nothing_is_left():
    """Fail a test that leaves a thread or a child process running, and name what it left."""
    threads, children = _threads(), _children()
    yield
    until = time.monotonic() + GRACE_S
    while time.monotonic() < until:
        left = [thread.name for thread in _threads() - threads]
        left += [f"process {pid}" for pid in _children().keys() - children.keys()]
        if not left:
            return
        time.sleep(0.02)
    pytest.fail(f"left running: {', '.join(left)}")


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    """Give the test its own home, so that nothing of the user's is read or written."""
    for name in ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path))
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))


@pytest.fixture
def answers_signals():
    """Answer signals as in a terminal: who starts tests with `&` or `nohup` has some ignored."""
    numbers = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        is_ctrl_c = number is signal.SIGINT
        signal.signal(number, signal.default_int_handler if is_ctrl_c else signal.SIG_DFL)
    yield
    for number, usual in before.items():
        signal.signal(number, usual)


@pytest.fixture
def tr():
    return translator_for("en")


@pytest.fixture
def fake(monkeypatch):
    """Let `try` run its setups in no time."""
    from ui import try_commands, try_plan, try_run

    found = Fake()
    real = try_run.Searcher

    def searcher(*arguments, **keywords):
        return real(*arguments, run=found, **keywords)

    monkeypatch.setattr(try_commands, "Searcher", searcher)
    facts = try_run.TrialFacts(has_glibc=True)
    monkeypatch.setattr(try_plan, "machine_facts", lambda: facts)
    return found


@pytest.fixture
def themed_app(qapp):
    """Give the app whose theme is followed as in the product, whatever style was left on it."""
    from ui.theme import ThemeWatcher
    from ui.theme_choice import Theme, show_theme

    sheet = qapp.styleSheet()
    watcher = ThemeWatcher(qapp)
    yield qapp
    show_theme(Theme.SYSTEM, qapp)
    watcher.deleteLater()
    qapp.setStyleSheet(sheet)


@pytest.fixture
def fresh():
    """Have the dataset read anew, and again afterwards."""
    dataset.bundled_knowledge.cache_clear()
    dataset.bundled_index.cache_clear()
    yield
    dataset.bundled_knowledge.cache_clear()
    dataset.bundled_index.cache_clear()
