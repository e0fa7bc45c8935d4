"""Trials of settings on the user's own network: what is tried, each run, what came out.

Leaves to others: what is worth trying and the statistics (`advisor.trial`), running
(`probes.bench.trials`), keeping (`ui.history`).
"""

import statistics
from dataclasses import dataclass
from enum import StrEnum

from advisor.model.measurement import Outcome, Setting, SoftwareStack, StabilityWarning
from advisor.model.quantity import Interval, Phase, Precision

# A fresh process takes the place of one that was visited so often, so that no figure hangs on
# where one process happened to lie in memory. That of the state now takes part in all visits, and
# is replaced after so many.
MOST_VISITS = 12
MOST_VISITS_OF_BASELINE = 24


class Jit(StrEnum):
    """Whether Keras compiles the step with XLA; AUTO is its own default."""

    AUTO = "auto"
    ON = "on"


class Runner(StrEnum):
    """What runs the network: Keras on its backend, or a framework itself without Keras."""

    KERAS = "keras"
    TORCH = "torch"
    ONNXRUNTIME = "onnxruntime"


class Pipeline(StrEnum):
    """What is added to the user's input pipeline."""

    AS_IS = "as_is"
    CACHE = "cache"
    PREFETCH = "prefetch"
    CACHE_PREFETCH = "cache_prefetch"


class DataKind(StrEnum):
    """How the user's own data are stored."""

    NPZ = "npz"
    CSV = "csv"
    IMAGES = "images"
    FUNCTION = "function"


class TrialVerdict(StrEnum):
    """What a trial says about a setting."""

    BASELINE = "baseline"
    FASTER = "faster"
    SLOWER = "slower"
    NO_DIFFERENCE = "no_difference"
    UNSTABLE = "unstable"
    WRONG_RESULT = "wrong_result"
    FAILED = "failed"
    NOT_RUN = "not_run"


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeReference:
    """A Python file of the user and the name of a function in it."""

    path: str
    function: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialData:
    """The user's own data: a file, a folder, or (FUNCTION) a Python file and its function."""

    kind: DataKind
    path: str
    function: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialSource:
    """The network and the job that all trials of a search share.

    Attributes:
        name: short name; title: for people.
        model_json: Keras configuration; None when `code` makes the model.
        loss: as Keras names it; None: chosen from the last layer, or the user's own.
        data: None for made-up data of the right shape.
    """

    name: str
    title: str
    phase: Phase
    batch_size: int
    precision: Precision = Precision.FLOAT32
    optimizer: str = "sgd"
    model_json: str | None = None
    code: CodeReference | None = None
    loss: str | None = None
    data: TrialData | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialSetup:
    """What is set for a trial; a field at its default is left as it is now.

    Attributes:
        id: unique in a search; option_id: the row of the options table that it tries.
        settings: environment variables of the process.
        intra_threads, inter_threads: of TensorFlow; intra also of the numerical libraries.
        cpus: the process may run on these logical CPUs only.
        precision: number format of the computing layers; batch_size: of the step.
        runner: what runs the network; backend: of Keras; python: interpreter; None: our own.
        device: "cpu", or "gpu" for what the framework drives.
        parts: ids of the setups that this one combines.
        recipe: what its row of the options table says to do in the program, piece by piece.
    """

    id: str
    title: str
    option_id: str | None = None
    recipe: tuple[str, ...] = ()
    settings: tuple[Setting, ...] = ()
    intra_threads: int | None = None
    inter_threads: int | None = None
    cpus: tuple[int, ...] = ()
    precision: Precision | None = None
    jit: Jit = Jit.AUTO
    batch_size: int | None = None
    pipeline: Pipeline = Pipeline.AS_IS
    runner: Runner = Runner.KERAS
    backend: str = "tensorflow"
    python: str | None = None
    device: str = "cpu"
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckValue:
    """Loss after so many steps from the same weights."""

    steps: int
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialRun:
    """Steps of one process under one setup: all that it ran, or those of one visit to it.

    Attributes:
        started_s: seconds since the search began, without pauses between two sittings;
            duration_s: of the process, or of the visit.
        process: number in the search of a process that is visited more than once; None: it ran
            once.
        message: why there is no figure, "" when completed.
        first_step_s: the first step with all that is compiled in it; None in later visits.
        values_s: seconds of one step, each the mean of a block of steps.
        beside_s: of the state now, each of the turn next to that of the value: two processes that
            rest take their steps in turns. Empty where it ran alone.
        batch_size: samples of one step.
        check_value: loss after a fixed number of steps from the same weights (training) or the
            size of the outputs (inference), to be compared with the baseline's; checks: in
            training after each of several numbers of steps, the fewer the slower it is.
        has_random_layers: the network draws random masks, which differ between backends.
        peak_memory_bytes: of the process and its children; device_memory_bytes: of the GPU.
        check: how the steps were verified, in words.
    """

    setup_id: str
    started_s: float
    duration_s: float
    outcome: Outcome
    message: str = ""
    process: int | None = None
    stack: SoftwareStack | None = None
    first_step_s: float | None = None
    values_s: tuple[float, ...] = ()
    beside_s: tuple[float, ...] = ()
    batch_size: int = 1
    check_value: float | None = None
    checks: tuple[CheckValue, ...] = ()
    has_random_layers: bool = False
    peak_memory_bytes: int | None = None
    device_memory_bytes: int | None = None
    check: str = ""
    warnings: tuple[StabilityWarning, ...] = ()

    @property
    def is_completed(self) -> bool:
        """Whether there is a figure."""
        return self.outcome is Outcome.COMPLETED

    @property
    def step_s(self) -> float:
        """Median seconds of one step.

        Raises:
            statistics.StatisticsError: when there is no figure.
        """
        return statistics.median(self.values_s)

    @property
    def sample_s(self) -> float:
        """Seconds of one sample in the shortest block, which was disturbed least.

        It is what runs are compared by: whatever else a machine does makes a block longer.

        Raises:
            ValueError: when there is no figure.
        """
        return min(self.values_s) / self.batch_size

    @property
    def step_beside_s(self) -> float | None:
        """Median seconds of one step of the state now in the turns beside; None: it ran alone."""
        return statistics.median(self.beside_s) if self.beside_s else None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialResult:
    """What is known about a setup after its runs.

    Attributes:
        message: why it failed or is wrong, "" otherwise.
        speedup: time per sample now / time per sample then, with a 95 % interval; None without
            figures.
        step_s: median seconds of one step over the runs, and where 80 % of runs lie; of what ran
            in turns at the pace of the baseline's; samples_per_step: its batch.
        n_runs: processes, or visits to them, that gave a figure.
    """

    setup: TrialSetup
    verdict: TrialVerdict
    message: str = ""
    speedup: Interval | None = None
    step_s: Interval | None = None
    samples_per_step: int = 1
    first_step_s: float | None = None
    peak_memory_bytes: int | None = None
    device_memory_bytes: int | None = None
    check_value: float | None = None
    baseline_check_value: float | None = None
    n_runs: int = 0
    warnings: tuple[StabilityWarning, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialReport:
    """A whole search: the baseline first, then each setup; a file of its own.

    `duration_s` is what the processes took, over all sittings.
    """

    measured_on: str
    source: str
    title: str
    phase: Phase
    batch_size: int
    precision: Precision
    results: tuple[TrialResult, ...]
    duration_s: float
    has_own_data: bool = False
    warnings: tuple[StabilityWarning, ...] = ()

    @property
    def best(self) -> TrialResult | None:
        """The fastest setup that is surely faster and right; None when there is none."""
        faster = [r for r in self.results if r.verdict is TrialVerdict.FASTER and r.speedup]
        return max(faster, key=lambda r: r.speedup.mid if r.speedup else 0.0, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class UntakenTrial:
    """An earlier trial of a job whose times are not those of now.

    Attributes:
        tried_on: ISO date.
        then, now: versions of what has changed since, in words; "" where something else has.
    """

    tried_on: str
    then: str = ""
    now: str = ""
