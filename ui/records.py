"""The window's side doors: the history page, the share dialog, the dialog that tries settings.

Each is made when it is first asked for; what runs behind it outlives its dialog.
Leaves to others: the window and its main pages (`ui.wiring`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from advisor.i18n import Translator
from advisor.model.machine import OsFamily
from advisor.model.recommendation import Recommendation
from ui.presenters.advise import AdvisePresenter, AdviseState
from ui.views.main_window import MainWindow

if TYPE_CHECKING:
    from ui.presenters.history import HistoryPresenter
    from ui.presenters.share import SharePresenter
    from ui.presenters.trial import TrialPresenter
    from ui.views.history import HistoryView

# A child that is asked to stop has gone within this time, whatever it does.
_GONE_S = 8.0
_SYSTEMS = {"win32": OsFamily.WINDOWS, "darwin": OsFamily.MACOS}


class Records(QObject):
    """What was advised before, what is shared, what is tried.

    Args:
        window: owns it.
        advise: of the main job.
        model_file: returns the model file that the form names, None without one.
    """

    def __init__(
        self,
        window: MainWindow,
        *,
        advise: AdvisePresenter,
        model_file: Callable[[], Path | None],
        translator: Translator,
    ) -> None:
        super().__init__(window)
        self._window, self._advise = window, advise
        self._model_file = model_file
        self._tr = translator
        self._share: SharePresenter | None = None
        self._trial: TrialPresenter | None = None
        self._history: HistoryPresenter | None = None
        self._history_view: HistoryView | None = None
        window.share_requested.connect(self.show_share)

    def history_page(self) -> QWidget:
        """Return a new history page with what runs behind it."""
        from ui.presenters.history import HistoryPresenter
        from ui.views.history import HistoryView

        presenter = HistoryPresenter(translator=self._tr, parent=self)
        system = _SYSTEMS.get(sys.platform, OsFamily.LINUX)
        view = HistoryView(translator=self._tr, system=system)
        view.entries_chosen.connect(presenter.choose)
        # Before what they begin, which may be refused as well.
        for begun in (view.open_requested, view.csv_requested, view.json_requested,
                      view.delete_requested, view.advice_requested):  # fmt: skip
            begun.connect(self._window.forget_refused)
        view.open_requested.connect(presenter.open_file)
        view.csv_requested.connect(presenter.save_csv_to)
        view.json_requested.connect(presenter.save_json_to)
        view.delete_requested.connect(presenter.delete)
        view.page_requested.connect(self._window.show_page)
        view.advice_requested.connect(self._show_advice)
        presenter.state_changed.connect(view.show_state)
        presenter.saved.connect(self._window.show_saved)
        presenter.refused.connect(self._window.show_refused)
        presenter.unexpected.connect(self._advise.unexpected)

        self._history, self._history_view = presenter, view
        view.shown.connect(self._read_history)
        self._advise.state_changed.connect(self._follow_job)
        return view

    # Methods, not functions: Qt disconnects them when this window is deleted for another language.
    def _follow_job(self, _state: AdviseState) -> None:
        if self._history_view is not None and self._history_view.isVisible():
            self._read_history()

    def _read_history(self) -> None:
        # While kernels are timed nothing else may compute.
        if self._history is not None and not self._advise.state.is_busy:
            self._history.read()

    def leave(self) -> None:
        """End what is being tried: its dialog goes with the window."""
        if self._trial is not None:
            self._trial.stop()
            self._wait_for_trial()

    def _wait_for_trial(self) -> None:
        if self._trial is not None:
            self._trial.wait(_GONE_S)

    def show_share(self) -> None:
        """Open the share dialog."""
        from ui.dialogs.share import ShareDialog
        from ui.presenters.share import SharePresenter

        if self._share is None:
            self._share = SharePresenter(parent=self)
            self._share.saved.connect(self._window.show_saved)
            self._share.unexpected.connect(self._advise.unexpected)
        self._open(ShareDialog(self._share, translator=self._tr, parent=self._window))

    def show_trial(self, option_id: str) -> None:
        """Open the dialog that tries an option of the advice that is shown."""
        from ui.dialogs.trial import TrialDialog
        from ui.presenters.trial import TrialPresenter

        advice = self._advise.state.recommendation
        if advice is None or self._advise.state.is_busy:
            return
        if self._trial is None:
            self._trial = trial = TrialPresenter(parent=self)
            trial.unexpected.connect(self._advise.unexpected)
            trial.advised.connect(self._advise.show_advice)
            self._window.closing.connect(trial.stop)
            # The window is gone by then; no child may outlive the app.
            app = QApplication.instance()
            assert app is not None
            app.aboutToQuit.connect(self._wait_for_trial)
        self._trial.prepare(advice, option_id=option_id, model_file=self._model_file())
        self._open(TrialDialog(self._trial, translator=self._tr, parent=self._window))

    def _show_advice(self, advice: Recommendation) -> None:
        self._advise.show_advice(advice)
        self._window.show_page("advice")

    def _open(self, dialog: QDialog) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.show()
