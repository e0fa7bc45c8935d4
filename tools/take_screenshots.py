"""Draws every page of the window with a saved advice, light and dark, in both languages.

    python3 tools/take_screenshots.py advice.json FOLDER [--size 1240x800]

The advice is what `dl-advisor advise --json advice.json` or "Save as JSON…" wrote. No display is
needed. Those of the README lie in docs/images.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QTimer  # noqa: E402 - the platform is chosen above
from PySide6.QtGui import QColor, QPalette  # noqa: E402
from PySide6.QtWidgets import QApplication  # noqa: E402

from advisor.i18n import LANGUAGES, translator_for  # noqa: E402
from advisor.model.recommendation import Recommendation  # noqa: E402
from ui.app import build_window, style  # noqa: E402
from ui.files import read_document  # noqa: E402
from ui.presenters.advise import AdvisePresenter, AdviseState, Stage  # noqa: E402
from ui.views.main_window import MainWindow  # noqa: E402
from ui.window_command import PAGES  # noqa: E402

SETTLE_MS = 900
# A page may probe or read beside the window before it is whole.
FIRST_MS = 4000
THEMES = ("light", "dark")
_DARK = {
    QPalette.ColorRole.Window: "#23272b",
    QPalette.ColorRole.Base: "#1b1e21",
    QPalette.ColorRole.AlternateBase: "#212529",
    QPalette.ColorRole.Button: "#2d3236",
    QPalette.ColorRole.WindowText: "#e8eaed",
    QPalette.ColorRole.Text: "#e8eaed",
    QPalette.ColorRole.ButtonText: "#e8eaed",
    QPalette.ColorRole.ToolTipText: "#e8eaed",
    QPalette.ColorRole.PlaceholderText: "#9aa0a6",
    QPalette.ColorRole.Highlight: "#2f6db5",
    QPalette.ColorRole.HighlightedText: "#ffffff",
}


def wait(time_ms: int) -> None:
    """Let the window and what runs beside it go on."""
    loop = QEventLoop()
    QTimer.singleShot(time_ms, loop.quit)
    loop.exec()


def palette(theme: str) -> QPalette:
    """Return the colours of a light or a dark desktop."""
    colours = QPalette(QColor("#efefef"))
    if theme == "dark":
        for role, name in _DARK.items():
            colours.setColor(role, QColor(name))
    return colours


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


def pages(window: MainWindow) -> Iterator[str]:
    """Open one page after another."""
    for name in PAGES:
        window.show_page(name)
        yield name


def main() -> int:
    """Read the advice, draw the pages, write the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recommendation", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--size", default="1240x800", metavar="WxH")
    options = parser.parse_args()
    width, height = (int(word) for word in options.size.split("x"))
    advice = read_document(options.recommendation, Recommendation)
    options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="dl-advisor-screens-") as home:
        for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
            os.environ[name] = home
        app = QApplication([])
        for theme in THEMES:
            app.setPalette(palette(theme))
            style(app)
            for language in LANGUAGES:
                translator = translator_for(language)
                presenter = AdvisePresenter(translator=translator)
                window = build_window(presenter, translator=translator)
                window.resize(width, height)
                window.show()
                take_job(window, advice)
                window.show_page("machine")
                wait(FIRST_MS)
                presenter.state_changed.emit(shown(advice))
                presenter._state = shown(advice)
                for name in pages(window):
                    wait(SETTLE_MS)
                    picture = window.grab().toImage()
                    picture.save(str(options.folder / f"{name}-{theme}-{language}.png"), "PNG")
                window.hide()
                window.deleteLater()
    return 0


if __name__ == "__main__":
    sys.exit(main())
