"""The form of the main job: which network, how much of it, what is wanted and what is refused.

Signals of `JobForm`:
    changed: the user changed something.
Leaves to others: checking the job against the machine (`ui.journey`).
"""

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QGridLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from advisor.i18n import N_, Translator
from advisor.model.objective import Objective
from advisor.model.published import NetworkFacts
from advisor.model.quantity import Phase, Precision
from advisor.model.recommendation import Preferences
from advisor.model.workload import MAX_BATCH_SIZE, Job
from advisor.recommend.preferences import WEEK_H
from advisor.report.names import CONTINENTS, OBJECTIVES, PHASES
from probes.bench.plan import Budget
from ui.journey import DEFAULT_NETWORK, JourneyRequest
from ui.widgets.labels import spoken, text_label
from ui.widgets.limit_spin import DecimalSpin, LimitSpin

MODEL_SUFFIXES = (".keras", ".json", ".onnx")
# Used where the bundled facts do not say how large the usual data set is.
_DEFAULT_SAMPLES = 50_000
# The job of a file, which does not say how it is used.
_DEFAULT_JOB = {"batch_size": 32, "samples": _DEFAULT_SAMPLES, "epochs": 10}
_BUDGETS = {
    Budget.QUICK: N_("about a minute"),
    Budget.THOROUGH: N_("up to ten minutes"),
}
_FIELD_HEIGHT = 28
_MOST_USD_PER_KWH = 10.0


def _spin(value: int, most: int) -> LimitSpin:
    spin = LimitSpin()
    spin.setRange(1, most)
    spin.setGroupSeparatorShown(True)
    spin.setValue(value)
    return spin


def _limit(unit: str, nothing: str) -> DecimalSpin:
    """Return a field for a limit where 0 stands for none."""
    spin = DecimalSpin()
    spin.setRange(0.0, 1e6)
    spin.setDecimals(2)
    spin.setSuffix(f" {unit}")
    spin.setSpecialValueText(nothing)
    return spin


def _combo() -> QComboBox:
    combo = QComboBox()
    # Long names must not make the whole column wide: they end in an ellipsis.
    policy = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
    combo.setSizeAdjustPolicy(policy)
    combo.setMinimumContentsLength(8)
    return combo


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
        """Show the bundled networks, with the usual job of the default one filled in."""
        super().__init__(parent)
        self._tr = translator
        self._networks = {facts.name: facts for facts in networks}
        self.network, self.phase, self.objective = _combo(), _combo(), _combo()
        self.precision, self.budget = _combo(), _combo()
        self.open_model = QPushButton(translator(N_("Open a model &file…")))
        self.batch_size = _spin(_DEFAULT_JOB["batch_size"], MAX_BATCH_SIZE)
        self.samples = _spin(_DEFAULT_JOB["samples"], 2_000_000_000)
        self.epochs = _spin(_DEFAULT_JOB["epochs"], 1_000_000)
        for spin in self._sizes().values():
            spin.setToolTip(translator(N_("From 1 to {most}"), most=f"{spin.maximum():,}"))
        self.max_usd = _limit("USD", translator(N_("no limit")))
        self.deadline_h = _limit("h", translator(N_("no limit")))
        self.where = _combo()
        self.electricity = _limit("USD/kWh", translator(N_("not counted")))
        self.use_h = _limit("h", translator(N_("not said")))
        # As wide as its largest value: it must not make the column wider than the page has room.
        self.electricity.setMaximum(_MOST_USD_PER_KWH)
        self.use_h.setMaximum(WEEK_H)
        self.data_gb = _limit("GB", translator(N_("from the samples")))
        self.allows_cloud = QCheckBox(translator(N_("Renting is possible")))
        self.allows_buying = QCheckBox(translator(N_("Buying is possible")))
        # What the form changed by itself.
        self.note = text_label(name="status")
        self.note.hide()
        self._usual = dict(_DEFAULT_JOB)
        self._folder = Path.home()
        self._refused: set[str] = set()
        self.more_button = QToolButton()
        self.more = QWidget()
        self._fill_lists(networks)
        self._lay_out()
        self._connect()
        self.network.setCurrentIndex(max(0, self.network.findData(DEFAULT_NETWORK)))
        self._fill_usual_job()
        self._tell("")
        self._show_more(self.more_button.isChecked())

    def _fill_lists(self, networks: tuple[NetworkFacts, ...]) -> None:
        tr = self._tr
        for facts in sorted(networks, key=lambda row: row.title.casefold()):
            self.network.addItem(facts.title, facts.name)
        for phase in Phase:
            self.phase.addItem(tr(PHASES[phase]), phase.value)
        for objective in (Objective.BALANCED, Objective.FASTEST, Objective.CHEAPEST):
            self.objective.addItem(tr(OBJECTIVES[objective]), objective.value)
        for precision in Precision:
            self.precision.addItem(precision.value, precision.value)
        for budget, text in _BUDGETS.items():
            self.budget.addItem(tr(text), budget.value)
        self.where.addItem(tr(N_("anywhere")), "")
        for place, name in CONTINENTS.items():
            self.where.addItem(tr(name), place.value)
        self.allows_cloud.setChecked(True)
        self.allows_buying.setChecked(True)

    def _lay_out(self) -> None:
        form = QGridLayout()
        self._add(form, 0, 0, N_("&Network"), self.network, columns=2)
        form.addWidget(self.open_model, 2, 0, 1, 2)
        self._add(form, 3, 0, N_("&What for"), self.phase)
        self._add(form, 3, 1, N_("&Batch size"), self.batch_size)
        self._add(form, 5, 0, N_("&Samples"), self.samples)
        self._add(form, 5, 1, N_("&Epochs"), self.epochs)
        self._add(form, 7, 0, N_("&I want"), self.objective, columns=2)
        more = QGridLayout(self.more)
        self._add(more, 0, 0, N_("Number format"), self.precision)
        self._add(more, 0, 1, N_("Measure for"), self.budget)
        self._add(more, 2, 0, N_("Spend at most"), self.max_usd)
        self._add(more, 2, 1, N_("Ready within"), self.deadline_h)
        more.addWidget(self.allows_cloud, 4, 0)
        more.addWidget(self.allows_buying, 4, 1)
        self._add(more, 5, 0, N_("Rent where"), self.where)
        self._add(more, 5, 1, N_("Data to upload"), self.data_gb)
        self._add(more, 7, 0, N_("Price of electricity"), self.electricity)
        self._add(more, 7, 1, N_("Computing per week"), self.use_h)
        for grid in (form, more):
            grid.setContentsMargins(0, 0, 0, 0)
            grid.setVerticalSpacing(3)
            grid.setColumnStretch(0, 1)
            grid.setColumnStretch(1, 1)
        self.more_button.setText(self._tr(N_("Mo&re settings")))
        self.more_button.setCheckable(True)
        self.more_button.setAutoRaise(True)
        self.more_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(form)
        column.addWidget(self.note)
        column.addWidget(self.more_button)
        column.addWidget(self.more)

    def _add(
        self, grid: QGridLayout, row: int, column: int, text: str, field: QWidget, columns: int = 1
    ) -> None:
        label = QLabel(self._tr(text))
        label.setObjectName("field")
        label.setBuddy(field)
        label.setContentsMargins(0, 5 if row else 0, 0, 0)
        field.setAccessibleName(spoken(self._tr(text)))
        field.setMinimumHeight(_FIELD_HEIGHT)
        grid.addWidget(label, row, column, 1, columns)
        grid.addWidget(field, row + 1, column, 1, columns)

    def _connect(self) -> None:
        self.network.activated.connect(self._network_chosen)
        self.network.currentTextChanged.connect(self.network.setToolTip)
        self.open_model.clicked.connect(self._ask_for_model)
        self.phase.currentIndexChanged.connect(self._phase_changed)
        self.more_button.toggled.connect(self._show_more)
        self.allows_cloud.toggled.connect(self.where.setEnabled)
        self.allows_cloud.toggled.connect(self.data_gb.setEnabled)
        for spin in self._numbers().values():
            spin.valueChanged.connect(self.changed)
            spin.lineEdit().textEdited.connect(lambda _text: self._tell(""))
            spin.limited.connect(lambda text, spin=spin: self._tell_limit(spin, text))
        for combo in (self.objective, self.precision, self.budget, self.where):
            combo.currentIndexChanged.connect(self.changed)
        for combo in (self.objective, self.budget):
            combo.setToolTip(combo.currentText())
            combo.currentTextChanged.connect(combo.setToolTip)
        for box in (self.allows_cloud, self.allows_buying):
            box.toggled.connect(self.changed)

    def _show_more(self, is_open: bool) -> None:  # noqa: FBT001 - Qt's signal
        self.more.setVisible(is_open)
        arrow = Qt.ArrowType.DownArrow if is_open else Qt.ArrowType.RightArrow
        self.more_button.setArrowType(arrow)

    def _phase_changed(self) -> None:
        self.epochs.setEnabled(self._phase() is Phase.TRAINING)
        self.changed.emit()

    def _phase(self) -> Phase:
        return Phase(self.phase.currentData())

    def _network_chosen(self) -> None:
        self._fill_usual_job()
        self.changed.emit()

    def _usual_job(self) -> dict[str, int]:
        facts = self._networks.get(str(self.network.currentData()))
        if facts is None:
            return dict(_DEFAULT_JOB)
        samples = facts.samples or _DEFAULT_SAMPLES
        return {"batch_size": facts.batch_size, "samples": samples, "epochs": facts.epochs}

    def _fill_usual_job(self) -> None:
        """Fill in the usual job of the network; what the user typed stays, and changes are told."""
        before, self._usual = self._usual, self._usual_job()
        filled = []
        for name, spin in self._sizes().items():
            if spin.value() == before[name] != self._usual[name]:
                spin.setValue(self._usual[name])
                filled.append(spin.accessibleName())
        text = ""
        if filled and str(self.network.currentData()) in self._networks:
            text = N_("Set to the usual values of {network}: {fields}.")
        elif filled:
            text = N_("Set to values to begin with, as the file names none: {fields}.")
        network = self.network.currentText()
        self._tell(self._tr(text, network=network, fields=", ".join(filled)))

    def _tell(self, text: str, *, is_wrong: bool = False) -> None:
        self.note.setText(text)
        self.note.setProperty("failed", is_wrong)
        self.note.style().unpolish(self.note)
        self.note.style().polish(self.note)
        self.note.setVisible(bool(text))

    def _tell_limit(self, spin: LimitSpin | DecimalSpin, typed: str) -> None:
        least, most = f"{spin.minimum():,.12g}", f"{spin.maximum():,.12g}"
        text = N_("{field} goes from {least} to {most}: {typed} was changed.")
        field = spin.accessibleName()
        self._tell(
            self._tr(text, field=field, least=least, most=most, typed=typed.strip()), is_wrong=True
        )

    def _ask_for_model(self) -> None:
        caption = self._tr(N_("Open a model file"))
        patterns = " ".join(f"*{suffix}" for suffix in MODEL_SUFFIXES)
        # The program's own folder holds no model of the user's.
        folder = str(self._folder if self._folder.is_dir() else Path.home())
        kinds = f"Keras, ONNX ({patterns})"
        name, _kind = QFileDialog.getOpenFileName(self, caption, folder, kinds)
        if name:
            self.show_model(Path(name))

    def show_model(self, path: Path) -> None:
        """Choose a model file as the network."""
        index = self.network.findData(str(path))
        if index < 0:
            self.network.addItem(path.name, str(path))
            index = self.network.count() - 1
            self.network.setItemData(index, str(path), Qt.ItemDataRole.ToolTipRole)
        self._folder = path.parent
        self.mark_model(path, is_refused=False)
        self.network.setCurrentIndex(index)
        self._network_chosen()

    def mark_model(self, path: Path, *, is_refused: bool) -> None:
        """Let a file that was refused be seen and not be chosen, until it is opened anew."""
        index = self.network.findData(str(path))
        model = self.network.model()
        if index < 0 or not isinstance(model, QStandardItemModel):
            return
        (self._refused.add if is_refused else self._refused.discard)(str(path))
        text = self._tr(N_("{file} (refused)"), file=path.name) if is_refused else path.name
        model.item(index).setEnabled(not is_refused)
        self.network.setItemText(index, text)

    def take_model(self, path: str) -> None:
        """Choose the model file of this path, as text, as the network."""
        self.show_model(Path(path))

    def request(self) -> JourneyRequest:
        """Return what the form says."""
        phase = self._phase()
        chosen = str(self.network.currentData())
        is_bundled = chosen in self._networks
        return JourneyRequest(
            network=chosen if is_bundled else None,
            model_file=None if is_bundled else Path(chosen),
            job=Job(
                phase=phase,
                batch_size=self.batch_size.value(),
                precision=Precision(self.precision.currentData()),
                samples=self.samples.value(),
                epochs=self.epochs.value() if phase is Phase.TRAINING else 1,
            ),
            preferences=Preferences(
                objective=Objective(self.objective.currentData()),
                max_usd=self.max_usd.value() or None,
                deadline_h=self.deadline_h.value() or None,
                allows_cloud=self.allows_cloud.isChecked(),
                allows_buying=self.allows_buying.isChecked(),
                regions=tuple(filter(None, (str(self.where.currentData()),))),
                electricity_usd_per_kwh=self.electricity.value() or None,
                data_bytes=round(self.data_gb.value() * 1e9) or None,
                use_h_per_week=self.use_h.value() or None,
            ),
            budget=Budget(self.budget.currentData()),
        )

    def _lists(self) -> dict[str, QComboBox]:
        return {
            "phase": self.phase, "objective": self.objective, "precision": self.precision,
            "budget": self.budget, "where": self.where,
        }  # fmt: skip

    def _sizes(self) -> dict[str, LimitSpin]:
        return {"batch_size": self.batch_size, "samples": self.samples, "epochs": self.epochs}

    def _numbers(self) -> dict[str, LimitSpin | DecimalSpin]:
        return {
            **self._sizes(),
            "max_usd": self.max_usd, "deadline_h": self.deadline_h,
            "electricity": self.electricity, "use_h": self.use_h, "data_gb": self.data_gb,
        }  # fmt: skip

    def _boxes(self) -> dict[str, QCheckBox]:
        return {"allows_cloud": self.allows_cloud, "allows_buying": self.allows_buying}

    def answers(self) -> dict[str, str]:
        """Return all that was chosen as words, to be kept for the next start."""
        network = str(self.network.currentData())
        kept = {"network": "" if network in self._refused else network}
        kept["folder"] = str(self._folder)
        kept |= {name: str(combo.currentData()) for name, combo in self._lists().items()}
        kept |= {name: str(spin.value()) for name, spin in self._numbers().items()}
        return kept | {name: str(int(box.isChecked())) for name, box in self._boxes().items()}

    def show_answers(self, answers: Mapping[str, str]) -> None:
        """Fill in what was kept; what is missing or makes no sense any more is left as it is."""
        network = answers.get("network", "")
        if self.network.findData(network) >= 0:
            self.network.setCurrentIndex(self.network.findData(network))
        elif network.endswith(MODEL_SUFFIXES) and Path(network).is_file():
            self.show_model(Path(network))
        if answers.get("folder"):
            self._folder = Path(answers["folder"])
        for name, combo in self._lists().items():
            combo.setCurrentIndex(max(combo.findData(answers.get(name)), 0))
        for name, spin in self._numbers().items():
            text = answers.get(name, "")
            if text.replace(".", "", 1).isdecimal():
                value = float(text)
                spin.setValue(value) if isinstance(spin, DecimalSpin) else spin.setValue(
                    int(min(value, spin.maximum()))
                )
        for name, box in self._boxes().items():
            box.setChecked(answers.get(name, "1") == "1")
        self._usual = self._usual_job()
        self._tell("")
