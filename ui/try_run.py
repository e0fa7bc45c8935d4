"""A search on this machine: runs one process after another, keeps each, judges at the end.

Leaves to others: words and files (`ui.try_commands`), what to run next (`advisor.trial`).
"""

import dataclasses
import datetime as dt
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from advisor.model.machine import Environment, MachineProfile
from advisor.model.measurement import Outcome, StabilityWarning
from advisor.model.trial import TrialReport, TrialResult, TrialRun, TrialSetup, TrialSource
from advisor.trial.judge import NO_DIFFERENCE, is_promising, judge_all
from advisor.trial.plan import TrialFacts, list_pairs
from advisor.trial.schedule import MAX_RUNS, leading, search
from advisor.trial.statistics import log_ratios
from probes.bench.process import CancelToken
from probes.bench.stability import DRIFT, warnings_of_machine
from probes.bench.trials import facts as probe
from probes.bench.trials.run import RunLimits
from probes.bench.trials.visits import Visits, can_rest
from ui.history.rows import Search
from ui.history.store import History

# A step this many times as long as now, or a run, need not be timed well.
_HOPELESS = 2.0
_MOST_TIMES_LONGER = 5.0
_LEAST_BUDGET_S = 30.0
_LEAST_LEFT_S = 10.0
# Runs at either end that tell whether the machine has become slower.
_END_RUNS = 3

RunSetup = Callable[..., TrialRun]


@dataclass(frozen=True, slots=True, kw_only=True)
class Phases:
    """How a search with pairs spends its time; all other settings come after these.

    Attributes:
        first, second, pairs: shares of the time, until when the most promising settings are run
            for the first time, those that may be faster again, and their pairs.
        runs_of_others: most runs of each of those that may be faster.
        runs_of_rivals: most runs of each of those that may be the best of them.
        runs_of_leading: of what is ahead, before all other settings have had their first.
    """

    first: float
    second: float
    pairs: float
    runs_of_others: int
    runs_of_rivals: int
    runs_of_leading: int


# Where each run is one of a fresh process, and where it rests and is visited again, which takes a
# fraction of its start (decision 0008).
FRESH = Phases(
    first=0.55, second=0.7, pairs=0.85, runs_of_others=2, runs_of_rivals=2, runs_of_leading=3
)
VISITED = Phases(
    first=0.5, second=0.75, pairs=0.85, runs_of_others=2, runs_of_rivals=4, runs_of_leading=8
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """A search: what is run, for how long, and where it is kept.

    Attributes:
        setups: baseline first.
        with_pairs: combine those that are faster.
        earlier: runs of the same search, when it is resumed.
    """

    source: TrialSource
    setups: tuple[TrialSetup, ...]
    budget_s: float
    with_pairs: bool = False
    earlier: tuple[tuple[TrialSetup, TrialRun], ...] = ()
    limits: RunLimits | None = None


def machine_facts() -> TrialFacts:
    """Return what trials need to know of this machine besides its profile."""
    return TrialFacts(
        core_cpus=probe.first_cpus_of_cores(),
        allocators=probe.installed_allocators(),
        has_huge_pages=probe.has_huge_pages(),
        has_glibc=probe.has_glibc(),
    )


def gpu_backends(profile: MachineProfile, environment: Environment | None) -> tuple[str, ...]:
    """Return backends whose packages can drive a GPU that this machine has."""
    if not profile.graphics:
        return ()
    environments = [environment] if environment is not None else list(profile.environments[:1])
    names = {(f.name, f.version) for e in environments for f in e.frameworks}
    markers = {"torch": ("+rocm", "+xpu", "+cu"), "tensorflow-rocm": ("",), "torch-directml": ("",)}
    found = {
        name.partition("-")[0]
        for name, version in names
        for marker in markers.get(name, ())
        if marker in version
    }
    return tuple(sorted(found))


def limits_beside(
    limits: RunLimits,
    runs: Sequence[TrialRun],
    *,
    source: TrialSource,
    setup: TrialSetup,
    budget_s: float,
) -> RunLimits:
    """Return the limits of a run beside those of the baseline, which comes first.

    What is far slower is given up as soon as that is seen, so that it leaves time to the others.

    Args:
        limits: the widest.
        runs: made so far; the first is one of the baseline.
        source: the job.
        setup: what is run next.
        budget_s: of the search.
    """
    left_s = budget_s - sum(run.duration_s for run in runs)
    # The network's own code may do anything: no run is far longer than the search.
    limits = dataclasses.replace(limits, budget_s=min(limits.budget_s, max(left_s, _LEAST_LEFT_S)))
    own = [run for run in runs if run.setup_id == runs[0].setup_id and run.is_completed]
    if not own or setup.id == runs[0].setup_id:
        return limits
    sample_s = statistics.median(run.sample_s for run in own)
    longest_s = max(run.duration_s for run in own)
    return dataclasses.replace(
        limits,
        hopeless_step_s=_HOPELESS * sample_s * (setup.batch_size or source.batch_size),
        budget_s=min(limits.budget_s, max(_LEAST_BUDGET_S, _MOST_TIMES_LONGER * longest_s)),
    )


class Searcher:
    """Runs a search; holds the runs made so far.

    Args:
        history: where each finished run is kept; None: nowhere.
        search_: what the runs belong to.
        on_run: told of each finished run, with its setup.
        run: runs a setup once; None: in processes that rest between their visits.
    """

    def __init__(
        self,
        request: SearchRequest,
        *,
        today: str,
        history: History | None = None,
        search_: Search | None = None,
        on_start: Callable[[TrialSetup], None] | None = None,
        on_run: Callable[[TrialSetup, TrialRun], None] | None = None,
        cancel: CancelToken | None = None,
        run: RunSetup | None = None,
    ) -> None:
        self._request = request
        self._today = today
        self._history, self._search = history, search_
        self._on_start, self._on_run = on_start, on_run
        self._cancel = cancel
        self._given_run = run
        self._runs = [run for setup, run in request.earlier if run.outcome is not Outcome.CANCELLED]
        self._visits = Visits(
            baseline_id=request.setups[0].id,
            n_earlier=max((run.process or 0 for run in self._runs), default=0),
        )

    def go(self, profile: MachineProfile) -> TrialReport:
        """Run until all is decided, the time is used up or it is cancelled; return all results.

        Raises:
            InputError: when the runs cannot be kept; a history that is locked says so at once.
        """
        request = self._request
        if self._history is not None:
            self._history.check_writable()
        setups = list(request.setups)
        with self._visits:
            if self._is_resumed:
                # What is run in this sitting takes turns with a process of this sitting.
                self._run(setups[0])
            if request.with_pairs:
                setups += self._search_pairs(setups)
            self._search_among(setups, budget_s=request.budget_s)
        return self._report(setups, profile)

    def _search_pairs(self, setups: Sequence[TrialSetup]) -> tuple[TrialSetup, ...]:
        """Run all but batch sizes, pairs of what may be faster as soon as they are known.

        What is least likely to help comes after them. Another batch size trains another way: it
        comes after all that needs no such decision.
        """
        budget_s = self._request.budget_s
        baseline, *singles = [setup for setup in setups if setup.batch_size is None]

        def go_on(chosen: Sequence[TrialSetup], share: float, max_runs: int = MAX_RUNS) -> None:
            self._search_among(
                [baseline, *chosen], budget_s=share * budget_s, max_runs=max_runs, is_last=False
            )

        go_on((), FRESH.first, 1)
        has_visits = any(run.process is not None for run in self._runs)
        phases = VISITED if has_visits else FRESH
        go_on(singles, phases.first, 1)
        again = self._rivals if has_visits else self._promising
        go_on(again(baseline, singles), phases.second, phases.runs_of_others)
        # What gains less than the best may be part of a pair: that needs no better figure.
        rivals = again(baseline, singles)
        go_on(self._contenders(baseline, rivals), phases.second, phases.runs_of_rivals)
        pairs = list_pairs(self._judged(baseline, singles))
        go_on(pairs, phases.pairs, 1)
        # To know what is ahead tells more than a first run of what seldom helps.
        go_on(self._leading(baseline, (*singles, *pairs)), 1.0, phases.runs_of_leading)
        go_on(singles, 1.0, 1)
        if has_visits:
            # What is far ahead is known well enough; a second look at the others takes little.
            go_on(self._rivals(baseline, (*singles, *pairs)), 1.0, phases.runs_of_rivals)
            go_on(singles, 1.0, 2)
        go_on(self._promising(baseline, (*singles, *pairs)), 1.0)
        self._search_among([baseline, *singles, *pairs], budget_s=budget_s)
        return pairs

    def _judged(
        self, baseline: TrialSetup, setups: Sequence[TrialSetup]
    ) -> tuple[TrialResult, ...]:
        """Return the results of setups so far, without that of the baseline."""
        precision = self._request.source.precision
        return judge_all([baseline, *setups], self._runs, precision=precision)[1:]

    def _promising(
        self, baseline: TrialSetup, setups: Sequence[TrialSetup]
    ) -> tuple[TrialSetup, ...]:
        ratios = log_ratios(self._runs, baseline_id=baseline.id)
        return tuple(setup for setup in setups if is_promising(ratios.get(setup.id, ())))

    def _rivals(self, baseline: TrialSetup, setups: Sequence[TrialSetup]) -> tuple[TrialSetup, ...]:
        """Return what ran and may be faster, as far as its runs tell."""
        return tuple(
            result.setup
            for result in self._judged(baseline, setups)
            if result.n_runs > 0
            and (result.speedup is None or result.speedup.high > 1.0 + NO_DIFFERENCE)
        )

    def _contenders(
        self, baseline: TrialSetup, rivals: Sequence[TrialSetup]
    ) -> tuple[TrialSetup, ...]:
        """Return what of these may be the best of them, as far as its runs tell."""
        results = self._judged(baseline, rivals)
        best = max((result.speedup.mid for result in results if result.speedup), default=1.0)
        return tuple(
            result.setup
            for result in results
            if result.speedup is None or result.speedup.high > best
        )

    def _leading(
        self, baseline: TrialSetup, setups: Sequence[TrialSetup]
    ) -> tuple[TrialSetup, ...]:
        ratios = log_ratios(self._runs, baseline_id=baseline.id)
        ahead = leading({setup.id: ratios.get(setup.id, ()) for setup in setups})
        return tuple(setup for setup in setups if setup.id in ahead)

    @property
    def _is_resumed(self) -> bool:
        spent_s = sum(run.duration_s for run in self._runs)
        has_time = 0.0 < spent_s < self._request.budget_s
        rests = can_rest(self._request.source, self._request.setups[0])
        return has_time and rests and self._given_run is None and not self._is_cancelled

    @property
    def _is_cancelled(self) -> bool:
        return self._cancel is not None and self._cancel.is_cancelled

    def _search_among(
        self,
        setups: Sequence[TrialSetup],
        *,
        budget_s: float,
        max_runs: int = MAX_RUNS,
        is_last: bool = True,
    ) -> None:
        if self._is_cancelled:
            return
        search(
            setups,
            run=self._run,
            budget_s=budget_s,
            runs=self._runs,
            precision=self._request.source.precision,
            max_runs=max_runs,
            is_last=is_last,
        )

    def _run(self, setup: TrialSetup) -> TrialRun:
        if self._on_start is not None:
            self._on_start(setup)
        run_setup = self._given_run or self._visits.run
        run = run_setup(
            self._request.source,
            setup,
            started_s=sum(run.duration_s for run in self._runs),
            limits=limits_beside(
                self._request.limits or RunLimits(),
                self._runs,
                source=self._request.source,
                setup=setup,
                budget_s=self._request.budget_s,
            ),
            cancel=self._cancel,
        )
        if run.outcome is Outcome.CANCELLED:
            return run
        self._runs.append(run)
        if self._history is not None and self._search is not None:
            now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
            self._history.add_run(
                self._search, setup, run, finished_on=self._today, finished_at=now
            )
        if self._on_run is not None:
            self._on_run(setup, run)
        return run

    def _report(self, setups: Sequence[TrialSetup], profile: MachineProfile) -> TrialReport:
        source = self._request.source
        warnings = list(warnings_of_machine(profile))
        if has_slowed_down(self._runs, baseline_id=setups[0].id):
            warnings.append(StabilityWarning.THROTTLED)
        busy = (StabilityWarning.BUSY, StabilityWarning.STEAL)
        warnings += [w for w in busy if any(w in run.warnings for run in self._runs)]
        return TrialReport(
            measured_on=self._today,
            source=source.name,
            title=source.title,
            phase=source.phase,
            batch_size=source.batch_size,
            precision=source.precision,
            results=judge_all(setups, self._runs, precision=source.precision),
            duration_s=sum(run.duration_s for run in self._runs),
            has_own_data=source.data is not None,
            warnings=tuple(dict.fromkeys(warnings)),
        )


def has_slowed_down(runs: Sequence[TrialRun], *, baseline_id: str) -> bool:
    """Return whether the baseline was clearly slower in the end than at first."""
    steps_s = [
        min(values_s)
        for run in runs
        if (values_s := run.values_s if run.setup_id == baseline_id else run.beside_s)
    ]
    count = min(_END_RUNS, len(steps_s) // 2)
    return count > 0 and min(steps_s[-count:]) > min(steps_s[:count]) * (1.0 + DRIFT)
