"""Draws every page and dialog of the window with a saved advice, light and dark, in both languages.

    python3 tools/take_screenshots.py advice.json FOLDER [--size 1240x800]

The advice is what `dl-advisor advise --json advice.json` or "Save as JSON…" wrote. No display is
needed. Those of the README lie in docs/images.
"""

import argparse
import dataclasses
import datetime as dt
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
SCREEN = ROOT / "tests" / "ui" / "screen.json"
os.environ.setdefault("QT_QPA_PLATFORM", f"offscreen:configfile={SCREEN}")

from PySide6.QtCore import QEventLoop, QTimer  # noqa: E402 - the platform is chosen above
from PySide6.QtWidgets import QApplication, QWidget  # noqa: E402

from advisor.i18n import LANGUAGES, Translator, translator_for  # noqa: E402
from advisor.model.recommendation import Recommendation  # noqa: E402
from ui.app import build_window  # noqa: E402
from ui.files import read_document  # noqa: E402
from ui.history.advices import keep_advice  # noqa: E402
from ui.presenters.advise import AdvisePresenter, AdviseState, Stage  # noqa: E402
from ui.presenters.compare import ComparePresenter  # noqa: E402
from ui.settings import advices_folder, keep_last  # noqa: E402
from ui.theme import style  # noqa: E402
from ui.theme_choice import Theme, show_theme  # noqa: E402
from ui.views.main_window import MainWindow  # noqa: E402
from ui.window_command import PAGES  # noqa: E402

SETTLE_MS = 900
# A page may probe or read beside the window before it is whole.
FIRST_MS = 4000
# What a dialog reads beside the window.
DONE_S = 20.0


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Where the pictures go, and how large the window is in pixels."""

    folder: Path
    size: tuple[int, int]


def wait(time_ms: int) -> None:
    """Let the window and what runs beside it go on."""
    loop = QEventLoop()
    QTimer.singleShot(time_ms, loop.quit)
    loop.exec()


def shown(advice: Recommendation) -> AdviseState:
    """Return the state of a finished run."""
    results = advice.measurements.results if advice.measurements else ()
    return AdviseState(
        stage=Stage.DONE,
        profile=advice.profile,
        recommendation=advice,
        is_provisional=advice.measurements is None,
        results=results,
    )


def take_job(window: MainWindow, advice: Recommendation) -> None:
    """Fill the form with the job of the advice."""
    form = window.page("workload").form
    form.network.setCurrentIndex(max(0, form.network.findData(advice.workload.network)))
    form.phase.setCurrentIndex(form.phase.findData(advice.workload.phase.value))
    form.batch_size.setValue(advice.workload.batch_size)
    form.samples.setValue(advice.workload.samples)
    form.epochs.setValue(advice.workload.epochs)


def pages(window: MainWindow) -> Iterator[tuple[str, QWidget]]:
    """Open one page after another, and on that of the advice one tab after another."""
    for name in PAGES:
        window.show_page(name)
        yield name, window
        if name == "advice":
            tabs = window.page("advice").advice.tabs
            for number in range(1, tabs.count()):
                tabs.setCurrentIndex(number)
                yield f"advice-{number}", window


def dialogs(advice: Recommendation, translator: Translator) -> Iterator[tuple[str, QWidget]]:
    """Open one dialog after another, each with what it finds."""
    from ui.dialogs.prices import PricesDialog
    from ui.dialogs.settings import SettingsDialog
    from ui.dialogs.share import ShareDialog
    from ui.dialogs.trial import TrialDialog
    from ui.presenters.prices import PricesPresenter
    from ui.presenters.share import SharePresenter
    from ui.presenters.trial import TrialPresenter

    yield "settings", SettingsDialog(translator=translator)
    prices, share, trial = PricesPresenter(), SharePresenter(), TrialPresenter()
    yield "prices", PricesDialog(prices, translator=translator)
    yield "share", ShareDialog(share, translator=translator)
    trial.prepare(advice, option_id="stay")
    yield "trial", TrialDialog(trial, translator=translator)
    for presenter in (prices, share, trial):
        presenter.wait(DONE_S)


def keep_some(advice: Recommendation) -> None:
    """Fill the history, and leave something to share."""
    keep_last(advice)
    for days in range(3):
        when = dt.datetime(2026, 11, 18 + days, 9, 30, tzinfo=dt.UTC)
        keep_advice(advice, folder=advices_folder(), now=when)


def draw(advice: Recommendation, *, language: str, theme: str, options: Options) -> None:
    """Draw all of one language and theme."""
    translator = translator_for(language)
    presenter = AdvisePresenter(translator=translator)
    window = build_window(presenter, translator=translator)
    window.resize(*options.size)
    window.show()
    take_job(window, advice)
    window.show_page("machine")
    wait(FIRST_MS)
    presenter._state = shown(advice)
    presenter.state_changed.emit(shown(advice))

    def keep(name: str, widget: QWidget) -> None:
        wait(SETTLE_MS)
        picture = widget.grab().toImage()
        picture.save(str(options.folder / f"{name}-{theme}-{language}.png"), "PNG")

    for name, page in pages(window):
        for compare in window.findChildren(ComparePresenter):
            compare.wait(DONE_S)
        keep(name, page)
    window.hide()
    window.deleteLater()
    for name, dialog in dialogs(advice, translator):
        dialog.show()
        wait(SETTLE_MS)
        keep(name, dialog)
        dialog.hide()
        dialog.deleteLater()


def main() -> int:
    """Read the advice, draw the pages, write the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recommendation", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--size", default="1240x800", metavar="WxH")
    given = parser.parse_args()
    width, height = (int(word) for word in given.size.split("x"))
    options = Options(folder=given.folder, size=(width, height))
    advice = read_document(given.recommendation, Recommendation)
    options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="dl-advisor-screens-") as home:
        for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
            os.environ[name] = home
        keep_some(advice)
        app = QApplication([])
        for theme in (Theme.LIGHT, Theme.DARK):
            show_theme(theme, app)
            style(app)
            for language in LANGUAGES:
                draw(advice, language=language, theme=theme, options=options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
