"""What to run next, from what was run so far: pure, so a search can be resumed and simulated.

The baseline runs first, and after every few others and last where these did not take turns with
it. Setups follow each other, every other round backwards; one that is decided, failed or wrong is
left out. A process may rest after its run and be visited again, which takes far less time than its
start.
Leaves to others: running (`probes.bench.trials`), verdicts (`advisor.trial.judge`).
"""

import math
import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from advisor.model.measurement import Outcome
from advisor.model.quantity import Precision
from advisor.model.trial import (
    MOST_VISITS,
    MOST_VISITS_OF_BASELINE,
    TrialRun,
    TrialSetup,
    TrialVerdict,
)
from advisor.model.turns import TURNS_ALONE, n_turns, turn_s
from advisor.trial.judge import (
    estimates_of,
    is_decided,
    is_hopeless,
    is_promising,
    judge_all,
)
from advisor.trial.statistics import log_ratios, middle, runs_of

# Runs of others between two runs of the baseline.
_BETWEEN = 3
MAX_RUNS = 48
# A run that was started should also be finished: time beyond the last one's.
_MARGIN = 1.1
# Runs for which time is kept, of what may be the best: as many visits, or fresh processes.
_CONFIRMING_VISITS, _CONFIRMING = 4, 2
# Another process of the baseline is worth its start where there is time for four of them.
_LEAST_RUNS_OF_TIME = 4
# Two setups are about as fast: the difference of the logarithms of their speed-ups.
_CLOSE = 0.03


def next_setup(
    setups: Sequence[TrialSetup],
    runs: Sequence[TrialRun],
    *,
    budget_s: float,
    precision: Precision = Precision.FLOAT32,
    max_runs: int = MAX_RUNS,
    is_last: bool = True,
) -> TrialSetup | None:
    """Return the setup to be run next; None when all is decided or the time is used up.

    Args:
        setups: baseline first, then by promise.
        runs: made so far, in order.
        budget_s: seconds for all runs together.
        precision: of the job.
        max_runs: of one setup.
        is_last: nothing else is searched after this, so that the baseline closes it.
    """
    baseline = setups[0]
    spent_s = sum(run.duration_s for run in runs)
    own = [run for run in runs if run.setup_id == baseline.id]
    if not own:
        return baseline
    if len(own) > 1 and not any(run.is_completed for run in own):
        return None
    if not own[0].is_completed and len(own) == 1:
        has_time = spent_s + own[0].duration_s <= budget_s
        return baseline if has_time and own[0].outcome is not Outcome.CANCELLED else None
    since = _since_baseline(runs, baseline.id)
    # Whatever is run next, the baseline closes the search.
    left_s = budget_s - spent_s - cost_s(own) * _MARGIN
    open_ = _undecided(setups, runs, precision=precision, max_runs=max_runs)
    chosen = _choose(open_, runs, left_s=left_s)
    if chosen is None:
        return baseline if since and is_last else None
    if since >= min(_BETWEEN, len(open_)) or _is_worn(runs, own, left_s=left_s):
        return baseline
    return chosen


def _is_worn(runs: Sequence[TrialRun], own: Sequence[TrialRun], *, left_s: float) -> bool:
    """Return whether another process of the baseline is due, and leaves time for more than it."""
    latest = max((run.process for run in own if run.process is not None), default=None)
    began_s = min((run.started_s for run in own if run.process == latest), default=0.0)
    n_visits = sum(bool(run.beside_s) and run.started_s > began_s for run in runs)
    n_visits += sum(run.process == latest for run in own)
    has_time = left_s >= _LEAST_RUNS_OF_TIME * max(run.duration_s for run in own)
    return latest is not None and n_visits >= MOST_VISITS_OF_BASELINE and has_time


def _since_baseline(runs: Sequence[TrialRun], baseline_id: str) -> int:
    """Return how many runs lean on a baseline that is still to come: not those in turns with it."""
    count = 0
    for run in reversed(runs):
        if run.setup_id == baseline_id:
            break
        count += not run.beside_s
    return count


def _undecided(
    setups: Sequence[TrialSetup],
    runs: Sequence[TrialRun],
    *,
    precision: Precision,
    max_runs: int,
) -> list[TrialSetup]:
    baseline_id = setups[0].id
    estimates = estimates_of(runs, baseline_id=baseline_id)
    lost = {
        result.setup.id
        for result in judge_all(setups, runs, precision=precision, estimates=estimates)
        if result.verdict in (TrialVerdict.FAILED, TrialVerdict.WRONG_RESULT)
    }
    by_setup = runs_of(runs)

    def is_open(setup: TrialSetup) -> bool:
        n_runs = len(by_setup.get(setup.id, ()))
        is_known = is_decided(estimates.get(setup.id))
        return setup.id not in lost and n_runs < max_runs and not is_known

    return [setup for setup in setups[1:] if is_open(setup)]


def cost_s(own: Sequence[TrialRun]) -> float:
    """Return how long the next run of a setup will take, from its runs so far, at least one."""
    last = own[-1]
    if last.process is None or not last.is_completed:
        return last.duration_s
    visits = [run for run in own if run.process == last.process]
    if len(visits) >= MOST_VISITS:
        return max(run.duration_s for run in own)
    if len(visits) > 1 or _was_ended(own, now=last.process):
        return last.duration_s
    sides = [statistics.median(side) for side in (last.values_s, last.beside_s) if side]
    count = n_turns(min(sides)) if last.beside_s else TURNS_ALONE
    return min(count * sum(map(turn_s, sides)), last.duration_s)


def _was_ended(own: Sequence[TrialRun], *, now: int) -> bool:
    """Return whether an earlier process had to make room for others: this one may have to."""
    counts = Counter(run.process for run in own if run.process != now)
    return any(count < MOST_VISITS for count in counts.values())


def count_runs(runs: Sequence[TrialRun]) -> dict[str, int]:
    """Return how many runs each setup had, whatever became of them."""
    return {name: len(own) for name, own in runs_of(runs).items()}


def _choose(
    open_: Sequence[TrialSetup], runs: Sequence[TrialRun], *, left_s: float
) -> TrialSetup | None:
    """Return the setup with the fewest runs that the time allows.

    The hopeless ones come a round later, those that may be the best a round earlier.
    """
    by_setup = runs_of(runs)
    baseline = by_setup[runs[0].setup_id]
    known = log_ratios(runs, baseline_id=runs[0].setup_id)
    ratios = {setup.id: known.get(setup.id, ()) for setup in open_}
    rounds = {
        name: len(by_setup.get(name, ())) + is_hopeless(values) - _head_start(values)
        for name, values in ratios.items()
    }
    # What never ran takes as long as the baseline did with its start.
    start_s = max(run.duration_s for run in baseline)
    costs_s = {
        setup.id: _MARGIN * (cost_s(by_setup[setup.id]) if setup.id in by_setup else start_s)
        for setup in open_
    }
    # Time is kept to confirm what was faster twice: that tells more than a first run of what
    # seldom helps.
    hopeful = leading(known) & {name for name, values in ratios.items() if len(values) > 1}
    kept_s = max(
        (_confirming(by_setup[name]) * costs_s[name] + cost_s(baseline) for name in hopeful),
        default=0.0,
    )
    affordable = [
        s for s in open_ if costs_s[s.id] + (0.0 if s.id in hopeful else kept_s) <= left_s
    ]
    if not affordable:
        return None
    fewest = min(rounds[s.id] for s in affordable)
    turn = [s for s in affordable if rounds[s.id] == fewest]
    return turn[-1] if math.ceil(fewest) % 2 else turn[0]


def _confirming(own: Sequence[TrialRun]) -> int:
    return _CONFIRMING if own[-1].process is None else _CONFIRMING_VISITS


def leading(ratios: Mapping[str, Sequence[float]]) -> frozenset[str]:
    """Return the setups that may be faster, and are about as fast as the fastest of these.

    Args:
        ratios: of each setup, as `log_ratios` gives them.
    """
    speeds = {name: middle(values) for name, values in ratios.items() if values}
    best = max(speeds.values(), default=0.0)
    return frozenset(
        name
        for name, speed in speeds.items()
        if is_promising(ratios[name]) and speed > best - _CLOSE
    )


def _head_start(ratios: Sequence[float]) -> float:
    """Return by how many rounds a setup is before the others.

    What may be the best has its second run before that of the others, and one run more from then.
    """
    if not is_promising(ratios):
        return 0.0
    return 1.0 if len(ratios) > 1 else 0.5


def search(
    setups: Sequence[TrialSetup],
    *,
    run: Callable[[TrialSetup], TrialRun],
    budget_s: float,
    runs: Sequence[TrialRun] = (),
    precision: Precision = Precision.FLOAT32,
    max_runs: int = MAX_RUNS,
    is_last: bool = True,
) -> tuple[TrialRun, ...]:
    """Run until all is decided, the time is used up, or a run was cancelled; return all runs.

    Args:
        setups: baseline first.
        run: runs a setup once.
        budget_s: seconds for all runs, those that are given included.
        runs: of an earlier sitting.
        precision: of the job.
        max_runs: of one setup.
        is_last: see `next_setup`.
    """
    made = list(runs)
    while True:
        chosen = next_setup(
            setups, made, budget_s=budget_s, precision=precision, max_runs=max_runs, is_last=is_last
        )
        if chosen is None:
            return tuple(made)
        made.append(run(chosen))
        if made[-1].outcome is Outcome.CANCELLED:
            return tuple(made)
