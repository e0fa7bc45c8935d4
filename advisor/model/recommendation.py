"""The recommendation: ranked options, why, why not, what to avoid. A pure function of its inputs.

Leaves to others: making it (`advisor.recommend`), showing it (`advisor.report`, `ui`).
"""

from dataclasses import dataclass
from enum import StrEnum

from advisor.model.efficiency import Efficiency
from advisor.model.machine import MachineProfile
from advisor.model.measurement import MeasurementSet
from advisor.model.objective import Objective
from advisor.model.option import Option
from advisor.model.own_step import OwnStep
from advisor.model.prediction import Cost, Evidence, Prediction
from advisor.model.quantity import Interval, Source
from advisor.model.trial import TrialReport, UntakenTrial
from advisor.model.workload import Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """What the user wants and refuses. None: no limit, or not said.

    Attributes:
        data_bytes: size of the data set, for a rented machine's disk and the way there.
        use_h_per_week: hours of computing here per week, of this and other jobs, by which a
            purchase is judged.
    """

    objective: Objective = Objective.BALANCED
    max_usd: float | None = None
    deadline_h: float | None = None
    regions: tuple[str, ...] = ()
    allows_cloud: bool = True
    allows_buying: bool = True
    electricity_usd_per_kwh: float | None = None
    currency: str = "USD"
    data_bytes: int | None = None
    use_h_per_week: float | None = None

    @property
    def has_limits(self) -> bool:
        """Whether anything is refused by the user's own word."""
        is_free = self.allows_cloud and self.allows_buying and not self.regions
        return not (is_free and self.max_usd is None and self.deadline_h is None)


class ReasonCode(StrEnum):
    """Why an option stands where it stands, is refused, or is to be avoided.

    The text of each code, with its parameters, lives in `advisor.report.reasons`.
    """

    FASTEST = "fastest"
    CHEAPEST = "cheapest"
    NO_COST_NO_CHANGE = "no_cost_no_change"
    FASTER_THAN_NOW = "faster_than_now"
    SLOWER_THAN_NOW = "slower_than_now"
    UNCERTAIN_SPEED = "uncertain_speed"
    TIE_WITH = "tie_with"
    MEASURED_HERE = "measured_here"
    PUBLISHED_EFFECT = "published_effect"
    NO_FIGURE = "no_figure"
    BREAK_EVEN_HOURS = "break_even_hours"
    CHEAPEST_WITHIN = "cheapest_within"
    OVER_BUDGET = "over_budget"
    OVER_DEADLINE = "over_deadline"
    REGION_NOT_CHOSEN = "region_not_chosen"
    CLOUD_NOT_ALLOWED = "cloud_not_allowed"
    BUYING_NOT_ALLOWED = "buying_not_allowed"
    PRICE_UNKNOWN = "price_unknown"
    TIME_UNKNOWN = "time_unknown"
    MEMORY_TOO_SMALL = "memory_too_small"
    WRONG_SYSTEM = "wrong_system"
    WRONG_PHASE = "wrong_phase"
    ISA_MISSING = "isa_missing"
    GPU_MISSING = "gpu_missing"
    NO_DRIVER = "no_driver"
    FRAMEWORK_DOES_NOT_RUN = "framework_does_not_run"
    EXCLUDED = "excluded"
    RETIRED = "retired"
    BURSTABLE = "burstable"
    DOMINATED = "dominated"
    MEASURED_SLOWER = "measured_slower"
    PUBLISHED_SLOWER = "published_slower"
    TABLE_SAYS_AVOID = "table_says_avoid"
    NOT_APPLICABLE = "not_applicable"
    SLOWER_THAN_FIRST = "slower_than_first"
    DEARER_THAN_FIRST = "dearer_than_first"
    SAVES_TOO_LITTLE = "saves_too_little"
    CHANGES_THE_NETWORK = "changes_the_network"
    ALREADY_SO = "already_so"
    DEPENDS_ON_YOUR_CODE = "depends_on_your_code"
    FRAMEWORK_NOT_FOUND = "framework_not_found"
    FRAMEWORK_TOO_OLD = "framework_too_old"
    PAYS_BELOW_PRICE = "pays_below_price"
    PAYS_TOO_LATE = "pays_too_late"
    GAINS_TOO_LITTLE = "gains_too_little"
    WORK_MINUTES = "work_minutes"
    FREE_LIMIT = "free_limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A named value of a reason or a caveat; numbers keep their unit in the name ("factor_x")."""

    name: str
    value: str | float


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """A code with its parameters; text is made at the last moment."""

    code: ReasonCode
    parameters: tuple[Parameter, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Something to do: `kind` is "shell", "python", "file", "text" or "url"; `content` to copy."""

    kind: str
    caption: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorePart:
    """A term of the score; the score is the sum of its parts."""

    name: str
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedOption:
    """An option in its place.

    Attributes:
        rank: 1 for the first; options that tie share the same rank.
        speedup: time now / time with this option.
        score: lower is better, the sum of `score_parts`.
        done_s: seconds from now to the result, the middle: computing, redone work, waiting and
            the user's own work, by which soonness is judged; None in a file from before.
    """

    option: Option
    rank: int
    prediction: Prediction
    cost: Cost
    speedup: Interval
    score: float
    score_parts: tuple[ScorePart, ...]
    reasons: tuple[Reason, ...]
    steps: tuple[Step, ...]
    is_pareto: bool
    tied_with: tuple[str, ...] = ()
    done_s: float | None = None

    @property
    def until_done_s(self) -> float:
        """Seconds until it is done; a file from before knows those of computing alone."""
        return self.prediction.total_s.mid if self.done_s is None else self.done_s


@dataclass(frozen=True, slots=True, kw_only=True)
class AvoidedOption:
    """Something that people try and that makes it worse here: the factor (time now / time then)."""

    option: Option
    reasons: tuple[Reason, ...]
    speedup: Interval | None
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """An option that does not apply, and why."""

    option_id: str
    title: str
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """Advice worth trying whose gain nobody measured: no time, no rank, but how and why."""

    option: Option
    reasons: tuple[Reason, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Caveat:
    """A sentence the reader must know, as a code with parameters (`advisor.report.reasons`)."""

    code: str
    parameters: tuple[Parameter, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """Everything that was advised and everything that it was made from.

    Attributes:
        created_on: ISO date; data_dates: newest date of each part of the dataset.
        baseline: the prediction for this machine as it is now.
        ranked: first the best under the objective.
        n_offers_considered: cloud offers that were priced (only the best few are in `ranked`).
        efficiencies: what was measured against what the hardware could do.
        trials: what was tried on this network here; None when nothing was.
        own_steps: jobs that were tried on this machine before, with what had been predicted.
        untaken_trial: of this job, made under other circumstances; None when there is none.
    """

    created_on: str
    app_version: str
    profile: MachineProfile
    measurements: MeasurementSet | None
    workload: Workload
    preferences: Preferences
    baseline: Prediction
    ranked: tuple[RankedOption, ...]
    hints: tuple[Hint, ...]
    avoid: tuple[AvoidedOption, ...]
    rejected: tuple[Rejection, ...]
    caveats: tuple[Caveat, ...]
    n_offers_considered: int
    data_dates: tuple[Parameter, ...]
    sources: tuple[Source, ...]
    efficiencies: tuple[Efficiency, ...] = ()
    trials: TrialReport | None = None
    own_steps: tuple[OwnStep, ...] = ()
    untaken_trial: UntakenTrial | None = None
