"""What a recording says: real steps, and steps as the product would have predicted them.

Leaves to others: errors and their summary (`live_recorded`), the file (`live_file`).
"""

import functools
import math
import re
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from advisor.knowledge.store import Knowledge
from advisor.model.measurement import Measurement, MeasurementSet
from advisor.model.quantity import Phase, Precision
from advisor.model.workload import Workload
from advisor.predict.ceilings import MachineCeilings, fit_ceilings
from advisor.predict.disturbed import Disturbance, disturbance
from advisor.predict.workload_time import StepEstimate, step_on
from probes.bench.plan import CPU_BUDGET_S, Budget
from tests.accuracy.live_file import Recording
from tests.accuracy.live_networks import LiveNetwork, live_networks
from tests.accuracy.live_units import kernels_of
from tests.helpers.bundled import bundled_knowledge

BOUTS = (1, 2)
# Calibrations that the predictions of the networks after them rest on.
_REPEATED = re.compile(r"calibration/(start|[0-9]+)")
QUICK_S = CPU_BUDGET_S[Budget.QUICK]


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """Real steps of a network: the median seconds of each bout."""

    network: LiveNetwork
    phase: Phase
    batch: int
    precision: Precision
    bouts_s: tuple[float, ...]

    @property
    def step_s(self) -> float:
        """Return the geometric mean of the bouts."""
        return math.exp(statistics.fmean(map(math.log, self.bouts_s)))

    @property
    def name(self) -> str:
        """Return what is run."""
        return f"{self.network.name} {self.phase.value} {self.batch} {self.precision.value}"

    def workload(self) -> Workload:
        """Return what the product makes of it, in float32."""
        return self.network.workload(phase=self.phase, batch=self.batch)


def truths(recording: Recording, kind: str = "truth/{}/{}") -> dict[tuple[Any, ...], Truth]:
    """Return the real steps by network, phase, batch and precision; failed ones are not there."""
    found: dict[tuple[Any, ...], Truth] = {}
    for network in live_networks():
        values: dict[tuple[Any, ...], list[float]] = {}
        for bout in BOUTS:
            unit = recording.units.get(kind.format(bout, network.name))
            for case in unit["cases"] if unit else ():
                if not case.get("values_s"):
                    continue
                key = (Phase(case["phase"]), case["batch_size"], Precision(case["precision"]))
                values.setdefault(key, []).append(statistics.median(case["values_s"]))
        for (phase, batch, precision), bouts in values.items():
            found[network.name, phase, batch, precision] = Truth(
                network=network, phase=phase, batch=batch, precision=precision,
                bouts_s=tuple(bouts),
            )  # fmt: skip
    return found


def plain_truths(recording: Recording) -> list[Truth]:
    """Return the real steps in float32."""
    return [t for t in truths(recording).values() if t.precision is Precision.FLOAT32]


def kernel_seconds(unit: dict[str, Any]) -> dict[str, float]:
    """Return how long each kernel of a unit took, building included; the first without imports."""
    ends = [end for _, end in unit["ends_s"]]
    spans = [end - before for before, end in zip([0.0, *ends], ends, strict=False)]
    if len(spans) > 1:
        spans[0] = min(spans[0], statistics.median(spans[1:]))
    return {name: span for (name, _), span in zip(unit["ends_s"], spans, strict=True)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """Measured kernels of a workload, and the seconds that they took."""

    measured: tuple[Measurement, ...]
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """A machine as measurements tell it."""

    ceilings: MachineCeilings
    disturbance: Disturbance

    def step(
        self, truth: Truth, *, precision: Precision = Precision.FLOAT32, threads: int | None = None
    ) -> StepEstimate | None:
        """Return the step as it is predicted; None: nothing is known."""
        device = self.ceilings.find("cpu", threads=threads)
        if device is None:
            return None
        return self.disturbance.of(step_on(truth.workload(), device=device, precision=precision))


class Judge:
    """Predicts the recorded cases as the product would have.

    Args:
        recording: of a machine.
        knowledge: the facts.
    """

    def __init__(self, recording: Recording, knowledge: Knowledge) -> None:
        self.recording = recording
        self._knowledge = knowledge
        self._sets: dict[str, MeasurementSet | None] = {}
        self._steps: dict[tuple[str, str], StepEstimate | None] = {}
        self._machines: dict[str, Machine | None] = {}

    def measurements(self, name: str) -> MeasurementSet | None:
        """Return the measurements of a unit, read once."""
        if name not in self._sets:
            self._sets[name] = self.recording.measurements(name)
        return self._sets[name]

    def replay(self, truth: Truth, kind: str) -> Replay | None:
        """Return what the product would have replayed for a case, as it was recorded."""
        name = f"replay/{kind}/{truth.network.name}"
        found = self.measurements(name)
        if found is None:
            return None
        wanted = {(call.shape, call.direction) for call in kernels_of(truth.workload())}
        own = tuple(
            m for m in found.measured if (m.request.shape, m.request.direction) in wanted
        )  # fmt: skip
        spans = kernel_seconds(self.recording.units[name])
        return Replay(measured=own, seconds=sum(spans[m.request.id] for m in own))

    def calibration(self, name: str, *, seconds: float) -> list[Measurement]:
        """Return the kernels of a calibration that were over after so many seconds."""
        found = self.measurements(f"calibration/{name}")
        if found is None:
            return []
        ends = dict(self.recording.units[f"calibration/{name}"]["ends_s"])
        return [m for m in found.measured if ends[m.request.id] <= seconds + 1.0]

    def last_calibration(self, truth: Truth) -> str:
        """Return the name of the last calibration before the first steps of a network."""
        units = self.recording.units
        begun = units[f"truth/1/{truth.network.name}"]["started_s"]
        started = {
            unit["started_s"]: name.removeprefix("calibration/")
            for name, unit in units.items()
            if _REPEATED.fullmatch(name) and unit["started_s"] < begun
        }
        return started[max(started)] if started else "start"

    def machine(self, measured: Iterable[Measurement]) -> Machine:
        """Return the machine as these measurements tell it."""
        every = MeasurementSet(measured_on="", duration_s=0.0, results=tuple(measured))
        profile = self.recording.profile
        return Machine(
            ceilings=fit_ceilings(profile, every, self._knowledge),
            disturbance=disturbance(every, n_cpus=profile.cpu.n_logical_cpus),
        )

    def by(self, source: str, truth: Truth) -> StepEstimate | None:
        """Return the step as predicted from a source, once; None when it was not recorded."""
        key = source, truth.name
        if key not in self._steps:
            self._steps[key] = self._by(source, truth)
        return self._steps[key]

    def _by(self, source: str, truth: Truth) -> StepEstimate | None:
        if source == "replay":
            own = self.replay(truth, "float32")
            if own is None:
                return None
            table = self.calibration(self.last_calibration(truth), seconds=QUICK_S - own.seconds)
            return self.machine([*table, *own.measured]).step(truth)
        name = "end" if source == "again" else self.last_calibration(truth)
        if name not in self._machines:
            table = self.calibration(name, seconds=math.inf)
            self._machines[name] = self.machine(table) if table else None
        machine = self._machines[name]
        return machine.step(truth) if machine is not None else None


@functools.cache
def judge_of(path: Path) -> Judge:
    """Return the judge of a recording by the bundled facts, the same one to all who ask."""
    return Judge(Recording(path), bundled_knowledge())
