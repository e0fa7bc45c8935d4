"""Draws the window with a saved advice into a PNG, for the README: no display is needed.

    python3 tools/take_screenshot.py advice.json docs/images/advice.png

The advice is what `dl-advisor advise --json advice.json` or "Save as JSON…" wrote.
"""

import argparse
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication  # noqa: E402 - the platform is chosen above

from advisor.i18n import translator_for  # noqa: E402
from advisor.model.recommendation import Recommendation  # noqa: E402
from ui.app import build_window, style  # noqa: E402
from ui.files import read_document  # noqa: E402
from ui.presenters.advise import AdvisePresenter, AdviseState, Stage  # noqa: E402

SIZE = (1180, 760)


def main() -> int:
    """Read the advice, draw the window, write the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recommendation", type=Path)
    parser.add_argument("picture", type=Path)
    options = parser.parse_args()
    advice = read_document(options.recommendation, Recommendation)
    app = QApplication([])
    style(app)
    translator = translator_for("en")
    window = build_window(AdvisePresenter(translator=translator), translator=translator)
    view = window.centralWidget()
    results = advice.measurements.results if advice.measurements else ()
    window.resize(*SIZE)
    window.show()
    view.form.network.setCurrentIndex(max(0, view.form.network.findData(advice.workload.network)))
    view.form.batch_size.setValue(advice.workload.batch_size)
    view.form.samples.setValue(advice.workload.samples)
    view.form.epochs.setValue(advice.workload.epochs)
    view.show_state(
        AdviseState(
            stage=Stage.DONE,
            profile=advice.profile,
            recommendation=advice,
            is_provisional=advice.measurements is None,
            results=results,
        )
    )
    app.processEvents()
    options.picture.parent.mkdir(parents=True, exist_ok=True)
    picture = window.grab().toImage()
    return 0 if picture.save(str(options.picture), "PNG") else 1


if __name__ == "__main__":
    sys.exit(main())
