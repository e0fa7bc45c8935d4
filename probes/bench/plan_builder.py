"""What a plan is made of: roles, budgets, and requests that are collected without repetition.

Leaves to others: which kernels are asked for (`probes.bench.plan`).
"""

from collections.abc import Iterable
from enum import StrEnum

from advisor.model.kernel import Direction, KernelShape, OptimizerShape, OverheadShape
from advisor.model.machine import CPU_DEVICE_ID
from advisor.model.measurement import BenchmarkRequest, Runner, Setting
from advisor.model.quantity import Phase, Precision
from probes.bench.labels import kernel_label
from probes.bench.suite import Row

HEADLINE = "headline"
CALIBRATION = "calibration"
# Part of every step, but not shown: timed over the whole run like headlines, for one bad moment
# would be in all that is predicted.
ANCHOR = "anchor"
REPLAY = "replay"
SETTING = "setting"
# Timed for so long as all of its values last together.
SUSTAINED = "sustained"
# Roles whose values cover the run.
SPREAD = frozenset({HEADLINE, ANCHOR})


class Budget(StrEnum):
    """How much time the user gives: about a minute, or up to ten."""

    QUICK = "quick"
    THOROUGH = "thorough"


# So many values of a headline are taken at each look at it; the looks cover the run.
AT_A_LOOK = 3
# Shortest value and number of values by role; the headlines are shown, the others fitted. Many
# short values that lie apart find the moments in which nothing disturbs; few long ones do not.
_TIMING = {
    Budget.QUICK: {
        HEADLINE: (0.01, 14 * AT_A_LOOK),
        ANCHOR: (0.008, 10),
        REPLAY: (0.03, 4),
        CALIBRATION: (0.012, 3),
    },
    Budget.THOROUGH: {
        HEADLINE: (0.017, 20 * AT_A_LOOK),
        ANCHOR: (0.02, 16),
        REPLAY: (0.05, 8),
        CALIBRATION: (0.03, 7),
    },
}
# The same for what is cheap, whose child rests beside that of the framework.
CHEAP = frozenset({Runner.CLOCK, Runner.NUMPY, Runner.STREAM})
_BESIDE_HEADLINE = {
    Budget.QUICK: (0.007, 17 * AT_A_LOOK),
    Budget.THOROUGH: (0.017, 17 * AT_A_LOOK),
}
# The same for an OpenCL device, whose kernels are prepared anew for each visit.
_OPENCL_HEADLINE = {Budget.QUICK: (0.05, 5), Budget.THOROUGH: (0.1, 5)}
_ANCHORS = (OptimizerShape, OverheadShape)
# Takes long where it matters, and changes little.
_STEADY = OverheadShape(kind="fresh_mebibyte")


def n_looks(request: BenchmarkRequest) -> int:
    """Return over how many looks the values of a request are spread, see `SPREAD`."""
    return -(-request.n_values // (AT_A_LOOK if request.role == HEADLINE else 1))


class PlanBuilder:
    """Collects requests; the same kernel under the same conditions is taken once."""

    def __init__(self, *, budget: Budget) -> None:
        self._budget = budget
        self._requests: dict[str, BenchmarkRequest] = {}

    def add(
        self,
        shape: KernelShape,
        *,
        direction: Direction,
        runner: Runner,
        role: str,
        device_id: str = CPU_DEVICE_ID,
        precision: Precision = Precision.FLOAT32,
        threads: int | None = None,
        settings: tuple[Setting, ...] = (),
        suffix: str = "",
        n_values: int | None = None,
    ) -> None:
        """Add one kernel unless it is there; `n_values` in place of what is usual."""
        parts = [runner.value, kernel_label(shape, direction=direction)]
        if device_id != CPU_DEVICE_ID:
            parts.insert(1, device_id)
        if precision is not Precision.FLOAT32:
            parts.append(precision.value)
        if threads is not None:
            parts.append(f"threads-{threads}")
        parts += [f"{setting.name}={setting.value}" for setting in settings]
        name = "/".join(parts) + suffix
        min_value_s, wanted = self._timing_of(role, runner=runner, n_values=n_values)
        self._requests.setdefault(
            name,
            BenchmarkRequest(
                id=name,
                role=role,
                runner=runner,
                device_id=device_id,
                shape=shape,
                direction=direction,
                precision=precision,
                threads=threads,
                settings=settings,
                min_value_s=min_value_s,
                n_values=wanted,
            ),
        )

    def _timing_of(self, role: str, *, runner: Runner, n_values: int | None) -> tuple[float, int]:
        timing = _TIMING[self._budget]
        min_value_s, usual = timing.get(role, timing[CALIBRATION])
        if runner is Runner.OPENCL and role == HEADLINE:
            min_value_s, usual = _OPENCL_HEADLINE[self._budget]
            return (min_value_s / AT_A_LOOK, n_values) if n_values else (min_value_s, usual)
        if runner in CHEAP and role == HEADLINE:
            min_value_s, usual = _BESIDE_HEADLINE[self._budget]
        return min_value_s, n_values or usual

    def add_rows(
        self, rows: Iterable[Row], *, phase: Phase, runner: Runner, role: str, **more: object
    ) -> None:
        """Add the rows that the budget and the phase need."""
        for row in rows:
            if row.is_thorough and self._budget is Budget.QUICK:
                continue
            for direction in directions_of(row, phase=phase):
                self.add(row.shape, direction=direction, runner=runner, role=role, **more)  # type: ignore[arg-type]

    def add_table(self, rows: Iterable[Row], *, phase: Phase, runner: Runner) -> None:
        """Add rows that are fitted: the values of what every step has cover the run."""
        for row in rows:
            is_anchor = isinstance(row.shape, _ANCHORS) and row.shape != _STEADY
            role = ANCHOR if is_anchor else CALIBRATION
            self.add_rows([row], phase=phase, runner=runner, role=role)

    def requests(self) -> tuple[BenchmarkRequest, ...]:
        """Return what was added, in that order."""
        return tuple(self._requests.values())


def directions_of(row: Row, *, phase: Phase) -> tuple[Direction, ...]:
    """Return the directions of a row that a phase computes."""
    if phase is Phase.TRAINING:
        return row.directions
    return tuple(d for d in row.directions if d is Direction.FORWARD)
