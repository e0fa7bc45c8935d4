"""The window's pages: each made when it is first looked at, and connected to what runs behind it.

Leaves to others: building and replacing the window (`ui.app`), the history, the share dialog and
the trials (`ui.records`).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QWidget
from shiboken6 import isValid

from advisor.i18n import N_, Translator
from advisor.report.job_line import job_sentence
from ui.dataset import known_networks
from ui.files import is_advice
from ui.journey import app_version
from ui.presenters.advise import AdvisePresenter, AdviseState
from ui.presenters.compare import ComparePresenter
from ui.presenters.machine import MachinePresenter, MachineState
from ui.presenters.workload import WorkloadPresenter, WorkloadStage, WorkloadState
from ui.records import Records
from ui.settings import last_recommendation_file
from ui.theme_choice import choose_theme
from ui.views.main_window import MainWindow, Page
from ui.views.start import StartView
from ui.widgets.job_form import JobForm

if TYPE_CHECKING:
    from ui.views.compare import CompareView


@dataclass(frozen=True, slots=True, kw_only=True)
class Presenters:
    """What runs behind the pages."""

    advise: AdvisePresenter
    machine: MachinePresenter
    workload: WorkloadPresenter
    compare: ComparePresenter


class Wiring(QObject):
    """Makes the pages, each when it is first looked at, and connects them to their presenters.

    It belongs to the window that it makes.

    Signals:
        language_chosen: the user wants another language.
    """

    language_chosen = Signal(str)

    def __init__(self, presenters: Presenters, *, translator: Translator) -> None:
        """Make the window with its first page."""
        super().__init__()
        self._presenters = presenters
        self._tr = translator
        self._compare_view: CompareView | None = None
        self._settings: QDialog | None = None
        self.form = JobForm(known_networks(), translator=translator)
        self.start = StartView(translator=translator)
        self.window = MainWindow(
            (
                Page(name="start", title=N_("Start"), make=lambda: self.start),
                Page(name="machine", title=N_("Machine"), make=self._machine),
                Page(name="workload", title=N_("Workload"), make=self._workload),
                Page(name="measure", title=N_("Measure"), make=self._measure),
                Page(name="compare", title=N_("Compare"), make=self._compare),
                Page(name="advice", title=N_("Advice"), make=self._advice),
                Page(name="history", title=N_("History"), make=self._history),
            ),
            version=app_version(),
            translator=translator,
        )
        for owned in (
            self, presenters.advise, presenters.machine, presenters.workload, presenters.compare,
        ):  # fmt: skip
            owned.setParent(self.window)
        # The form lives as long as the window, before and after its page is made.
        self.form.setParent(self.window)
        self.form.hide()
        self._records = Records(
            self.window,
            advise=presenters.advise,
            model_file=lambda: self.form.request().model_file,
            translator=translator,
        )
        self._connect()

    def _connect(self) -> None:
        advise, machine, workload = (
            self._presenters.advise, self._presenters.machine, self._presenters.workload,
        )  # fmt: skip
        start, window = self.start, self.window
        # Before what they begin, which may be refused as well.
        for begun in (start.advise_requested, start.anew_requested, start.last_requested):
            begun.connect(window.forget_refused)
        start.advise_requested.connect(lambda: advise.start(self.form.request()))
        start.anew_requested.connect(lambda: advise.start(self.form.request(), is_anew=True))
        start.cancel_requested.connect(advise.cancel)
        start.last_requested.connect(advise.show_last)
        start.page_requested.connect(window.show_page)
        advise.state_changed.connect(start.show_state)
        advise.state_changed.connect(self._follow_job)
        advise.saved.connect(window.show_saved)
        advise.refused.connect(window.show_refused)
        machine.refused.connect(window.show_refused)
        machine.state_changed.connect(self._follow_machine)
        workload.state_changed.connect(self._show_job)
        self.form.changed.connect(self._take_job)
        window.model_dropped.connect(self._take_model)
        window.prices_requested.connect(self._show_prices)
        window.settings_requested.connect(self.show_settings)
        window.closing.connect(advise.close)
        start.offer_last(has_last=last_recommendation_file().is_file())
        workload.show_request(self.form.request())
        start.show_state(advise.state)
        self._follow_job(advise.state)

    def leave(self) -> None:
        """End what belongs to this window alone, before it is deleted."""
        self._records.leave()

    # The main job outlives this window when the language changes: what follows it are methods of
    # this object, which Qt disconnects when it is deleted. A function would be called for ever.
    def _follow_job(self, state: AdviseState) -> None:
        self.form.setEnabled(not state.is_busy)
        self._presenters.machine.take_profile(state.profile)
        if self._compare_view is not None and self._compare_view.isVisible():
            self._look_at_others()

    def _follow_machine(self, state: MachineState) -> None:
        self._presenters.workload.show_profile(state.profile)
        self.start.show_machine(state.profile)

    def _show_job(self, state: WorkloadState) -> None:
        if state.workload is not None and state.request is not None:
            preferences = state.request.preferences
            text = job_sentence(state.workload, preferences, self._tr)
            self.start.show_job(text, preferences)
        elif state.message:
            self.start.show_problem(state.message)
        else:
            self.start.show_job("")
        self._mark_model(state)

    def _mark_model(self, state: WorkloadState) -> None:
        """Keep a file that was refused from being chosen again as it is."""
        path = None if state.request is None else state.request.model_file
        if path is not None and state.stage is not WorkloadStage.READING:
            self.form.mark_model(path, is_refused=state.stage is WorkloadStage.FAILED)

    def _take_job(self) -> None:
        self.window.forget_refused()
        self._presenters.advise.forget_failure()
        self._presenters.workload.show_request(self.form.request())

    def _take_model(self, path: str) -> None:
        if not self.form.isEnabled():
            return
        if is_advice(Path(path)):
            if self._presenters.advise.open_file(path):
                self.window.show_page("advice")
        else:
            self.form.take_model(path)
            self.window.show_page("workload")

    @property
    def settings_place(self) -> QPoint | None:
        """Where on the screen the settings are open; None where they are not."""
        dialog = self._settings
        is_open = dialog is not None and isValid(dialog) and dialog.isVisible()
        return dialog.pos() if dialog is not None and is_open else None

    def show_settings(self, *, at: QPoint | None = None) -> None:
        """Open the settings, at a place of the screen or where Qt puts a dialog."""
        from ui.dialogs.settings import SettingsDialog

        dialog = SettingsDialog(translator=self._tr, parent=self.window)
        self._settings = dialog
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.language_chosen.connect(self.language_chosen)
        dialog.theme_chosen.connect(choose_theme)
        if at is not None:
            dialog.move(at)
        dialog.show()

    def _show_prices(self) -> None:
        # Only this dialog loads what the network needs.
        from ui.dialogs.prices import PricesDialog
        from ui.presenters.prices import PricesPresenter

        presenter = PricesPresenter()
        presenter.unexpected.connect(self._presenters.advise.unexpected)
        dialog = PricesDialog(presenter, translator=self._tr, parent=self.window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.show()

    def _copy_doctor_report(self) -> None:
        from ui.doctor import doctor_report

        profile = self._presenters.machine.state.profile
        if profile is not None:
            QGuiApplication.clipboard().setText(f"{doctor_report(profile, self._tr)}\n")
            self.window.show_copied()

    def _machine(self) -> QWidget:
        from ui.views.machine import MachineView

        presenter = self._presenters.machine
        view = MachineView(translator=self._tr, refusal=presenter.refusal)
        view.probe_requested.connect(presenter.probe)
        view.doctor_requested.connect(self._copy_doctor_report)
        view.change_requested.connect(presenter.change)
        view.reset_requested.connect(presenter.reset)
        view.page_requested.connect(self.window.show_page)
        presenter.state_changed.connect(view.show_state)
        view.show_state(presenter.state)
        presenter.probe_once()
        return view

    def _workload(self) -> QWidget:
        from ui.views.workload import WorkloadView

        presenter = self._presenters.workload
        view = WorkloadView(self.form, translator=self._tr)
        self.form.show()
        view.page_requested.connect(self.window.show_page)
        presenter.state_changed.connect(view.show_state)
        view.show_state(presenter.state)
        self._presenters.machine.probe_once()
        return view

    def _measure(self) -> QWidget:
        # Only this page needs the plotting library.
        from ui.views.measure import MeasureView

        presenter = self._presenters.advise
        view = MeasureView(translator=self._tr)
        view.offer_last(has_last=last_recommendation_file().is_file())
        view.last_requested.connect(self.window.forget_refused)
        view.last_requested.connect(presenter.show_last)
        view.cancel_requested.connect(presenter.cancel)
        view.page_requested.connect(self.window.show_page)
        presenter.state_changed.connect(view.show_state)
        view.show_state(presenter.state)
        return view

    def _compare(self) -> QWidget:
        from ui.views.compare import CompareView

        presenter = self._presenters.compare
        view = self._compare_view = CompareView(translator=self._tr)
        view.page_requested.connect(self.window.show_page)
        view.shown.connect(self._look_at_others)
        presenter.state_changed.connect(view.show_state)
        view.show_state(presenter.state)
        return view

    def _look_at_others(self) -> None:
        state = self._presenters.advise.state
        # While kernels are timed nothing else may compute.
        if not state.is_busy:
            self._presenters.compare.take(state.recommendation)
            self._presenters.compare.show()

    def _history(self) -> QWidget:
        return self._records.history_page()

    def _advice(self) -> QWidget:
        from ui.views.advice_page import AdvicePage

        presenter = self._presenters.advise
        page = AdvicePage(translator=self._tr)
        page.page_requested.connect(self.window.show_page)
        page.what_if_changed.connect(presenter.ask_what_if)
        page.last_requested.connect(self.window.forget_refused)
        page.last_requested.connect(presenter.show_last)
        page.offer_last(has_last=last_recommendation_file().is_file())
        page.try_requested.connect(self._records.show_trial)
        page.advice.pdf_requested.connect(presenter.export_pdf_to)
        page.advice.json_requested.connect(presenter.save_json_to)
        page.advice.copied.connect(self.window.show_copied)
        presenter.state_changed.connect(page.show_state)
        page.show_state(presenter.state)
        return page
