"""The form of the main job: which network, how much of it, what is wanted.

Signals of `JobForm`:
    changed: the user changed something.
Leaves to others: checking the job against the machine (`ui.journey`).
"""

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QPushButton,
    QSpinBox,
    QWidget,
)

from advisor.i18n import N_, Translator
from advisor.model.published import NetworkFacts
from advisor.model.quantity import Phase
from advisor.model.recommendation import Objective, Preferences
from advisor.model.workload import Job
from advisor.report.build import OBJECTIVES
from advisor.report.names import PHASES
from ui.journey import DEFAULT_NETWORK, JourneyRequest

# Used where the bundled facts do not say how large the usual data set is.
_DEFAULT_SAMPLES = 50_000
_MODEL_FILES = "Keras, ONNX (*.keras *.json *.onnx)"


def _spin(value: int, most: int) -> QSpinBox:
    spin = QSpinBox()
    spin.setRange(1, most)
    spin.setGroupSeparatorShown(True)
    spin.setValue(value)
    return spin


class JobForm(QWidget):
    """Asks for the job; `request()` returns it typed."""

    changed = Signal()

    def __init__(
        self,
        networks: tuple[NetworkFacts, ...],
        *,
        translator: Translator,
        parent: QWidget | None = None,
    ) -> None:
        """Show the bundled networks, with the usual job of the first one filled in."""
        super().__init__(parent)
        self._tr = translator
        self._networks = {facts.name: facts for facts in networks}
        self.network = QComboBox()
        for facts in sorted(networks, key=lambda row: row.title.casefold()):
            self.network.addItem(facts.title, facts.name)
        self.open_model = QPushButton(translator(N_("Open a model file…")))
        self.phase = QComboBox()
        for phase in Phase:
            self.phase.addItem(translator(PHASES[phase]), phase.value)
        self.batch_size = _spin(32, 65536)
        self.samples = _spin(_DEFAULT_SAMPLES, 2_000_000_000)
        self.epochs = _spin(10, 1_000_000)
        self.objective = QComboBox()
        for objective in (Objective.BALANCED, Objective.FASTEST, Objective.CHEAPEST):
            self.objective.addItem(translator(OBJECTIVES[objective]), objective.value)
        self._lay_out()
        self._connect()
        self.network.setCurrentIndex(max(0, self.network.findData(DEFAULT_NETWORK)))
        self._fill_usual_job()

    def _lay_out(self) -> None:
        tr = self._tr
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        row = QHBoxLayout()
        row.addWidget(self.network, 1)
        row.addWidget(self.open_model)
        form.addRow(tr(N_("&Network")), row)
        form.addRow(tr(N_("&What for")), self.phase)
        form.addRow(tr(N_("&Batch size")), self.batch_size)
        form.addRow(tr(N_("&Samples")), self.samples)
        form.addRow(tr(N_("&Epochs")), self.epochs)
        form.addRow(tr(N_("I w&ant")), self.objective)
        for index in range(form.rowCount()):
            item = form.itemAt(index, QFormLayout.ItemRole.LabelRole)
            label = item.widget() if item is not None else None
            if label is not None and index == 0:
                label.setBuddy(self.network)  # type: ignore[attr-defined]

    def _connect(self) -> None:
        self.network.activated.connect(self._fill_usual_job)
        self.open_model.clicked.connect(self._ask_for_model)
        self.phase.currentIndexChanged.connect(self._phase_changed)
        for spin in (self.batch_size, self.samples, self.epochs):
            spin.valueChanged.connect(self.changed)
        self.objective.currentIndexChanged.connect(self.changed)

    def _phase_changed(self) -> None:
        self.epochs.setEnabled(self._phase() is Phase.TRAINING)
        self.changed.emit()

    def _phase(self) -> Phase:
        return Phase(self.phase.currentData())

    def _fill_usual_job(self) -> None:
        facts = self._networks.get(str(self.network.currentData()))
        if facts is not None:
            self.batch_size.setValue(facts.batch_size)
            self.samples.setValue(facts.samples or _DEFAULT_SAMPLES)
            self.epochs.setValue(facts.epochs)
        self.changed.emit()

    def _ask_for_model(self) -> None:
        caption = self._tr(N_("Open a model file"))
        name, _kind = QFileDialog.getOpenFileName(self, caption, "", _MODEL_FILES)
        if name:
            self.show_model(Path(name))

    def show_model(self, path: Path) -> None:
        """Choose a model file as the network."""
        self.network.addItem(path.name, path)
        self.network.setCurrentIndex(self.network.count() - 1)
        self.changed.emit()

    def request(self) -> JourneyRequest:
        """Return what the form says."""
        phase = self._phase()
        chosen = self.network.currentData()
        job = Job(
            phase=phase,
            batch_size=self.batch_size.value(),
            samples=self.samples.value(),
            epochs=self.epochs.value() if phase is Phase.TRAINING else 1,
        )
        return JourneyRequest(
            network=None if isinstance(chosen, Path) else str(chosen),
            model_file=chosen if isinstance(chosen, Path) else None,
            job=job,
            preferences=Preferences(objective=Objective(self.objective.currentData())),
        )
