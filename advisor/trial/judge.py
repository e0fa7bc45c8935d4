"""Verdicts: faster, slower, no difference, unstable, wrong, failed.

Leaves to others: the figures (`advisor.trial.statistics`), words (`advisor.report`).
"""

import dataclasses
import math
import statistics
from collections.abc import Mapping, Sequence

from advisor.model.measurement import Outcome
from advisor.model.quantity import Interval, Precision
from advisor.model.trial import TrialReport, TrialResult, TrialRun, TrialSetup, TrialVerdict
from advisor.trial.statistics import (
    Estimate,
    baseline_residuals,
    estimate,
    log_ratios,
    middle,
    pooled_spread,
    runs_of,
)

# Less than this is no difference worth the typing.
NO_DIFFERENCE = 0.05
_DELTA = math.log1p(NO_DIFFERENCE)
# An interval this wide (half, in logarithms) says nothing about 5 %.
_WIDEST = 2.0 * _DELTA
# What a figure must be known to before a search stops looking at it.
_GOAL_HALF, _GOAL_HALF_IN_TURNS = 0.02, 0.015
_LEAST_RUNS = 2
_LEAST_RUNS_OF_FASTER = 3
# A run this slow waits for its second until the others had theirs.
_HOPELESS = math.log(1.5)
# A run this far from the baseline needs no second look to tell which way it goes. The first visit
# to a process has told 0.34 of 0.98 (decision 0008).
_CLEAR, _CLEAR_IN_TURNS = math.log(1.5), math.log(3.0)

# A setting is ahead of another when it is faster by this share of half of its 95 % interval: about
# nine times of ten, one that gains nothing is not.
_AHEAD_SHARE = 0.6

# A run this much faster may be one of a setting that is 5 % faster.
_PROMISING = 0.5 * _DELTA

# The range of nine values holds 80 % of all others like them, that of more holds more.
_ALL_IN_EIGHTY = 10

# How far the loss after the same steps may be from the baseline's, as a share of it.
_TOLERANCES = {
    Precision.FLOAT32: 0.01,
    Precision.BFLOAT16: 0.06,
    Precision.FLOAT16: 0.06,
    Precision.INT8: 0.20,
}
_RANDOM_LAYERS_TOLERANCE = 0.25
_LEAST_DIFFERENCE = 1e-3


def tolerance_of(
    setup: TrialSetup, *, baseline: TrialSetup, precision: Precision, has_random_layers: bool
) -> float:
    """Return how far the check value may be from the baseline's, as a share of it.

    Args:
        setup: what is compared.
        baseline: what it is compared with.
        precision: of the job, where the setup does not change it.
        has_random_layers: the network draws masks, which differ between backends and formats.
    """
    found = max(_TOLERANCES[setup.precision or precision], _TOLERANCES[precision])
    is_other = (setup.runner, setup.backend, setup.python, setup.device) != (
        baseline.runner, baseline.backend, baseline.python, baseline.device,
    )  # fmt: skip
    # Masks are drawn in the number format of the layer, and anew by another compiler.
    is_other_format = setup.precision not in (None, precision)
    is_redrawn = is_other or is_other_format or setup.jit is not baseline.jit
    return max(found, _RANDOM_LAYERS_TOLERANCE) if is_redrawn and has_random_layers else found


def _wrongness(
    setup: TrialSetup, run: TrialRun, *, baseline: TrialSetup, now: Sequence[TrialRun],
    precision: Precision,
) -> str:  # fmt: skip
    """Return why the result is wrong, "" when it agrees or cannot be compared."""
    if run.batch_size != now[0].batch_size:
        return ""
    own, wanted = _comparable(run, now)
    if own is None or not wanted:
        return ""
    share = tolerance_of(
        setup, baseline=baseline, precision=precision, has_random_layers=run.has_random_layers
    )
    middle = statistics.median(wanted)
    # A baseline that differs from run to run cannot be asked for more than it gives itself.
    # A loss near zero is as good as zero; outputs of many classes are small and are not.
    least = _LEAST_DIFFERENCE if run.checks else 0.0
    allowed = max(share * abs(middle), least) + (max(wanted) - min(wanted))
    if abs(own - middle) <= allowed:
        return ""
    return f"after the same steps the check value is {own:.5g}, {middle:.5g} without the setting"


def _comparable(run: TrialRun, now: Sequence[TrialRun]) -> tuple[float | None, list[float]]:
    """Return the check value of a run and those of the baseline after as many steps.

    A slow run has taken fewer steps: the most that all have in common count.
    """
    tables = [{check.steps: check.value for check in r.checks} for r in (run, *now)]
    common = set.intersection(*map(set, tables))
    if common:
        own, *wanted = (table[max(common)] for table in tables)
        return own, wanted
    if any(tables):
        return None, []
    return run.check_value, [r.check_value for r in now if r.check_value is not None]


def _is_surely_equal(found: Estimate) -> bool:
    return abs(found.log_mid) + found.half_99 < _DELTA


def _is_clear_at_once(found: Estimate) -> bool:
    """Return whether one run tells which way it goes, by the spread of all others."""
    size = abs(found.log_mid)
    if found.is_visited:
        # Another look takes a second or two.
        return size >= _CLEAR_IN_TURNS
    return size >= _CLEAR or size - found.half_99 > 2.0 * _DELTA


def verdict_of(found: Estimate | None) -> TrialVerdict:
    """Return what a speed-up says; without an estimate nothing is sure."""
    if found is None:
        return TrialVerdict.UNSTABLE
    if found.n_runs < _LEAST_RUNS and not _is_clear_at_once(found):
        is_equal = abs(found.log_mid) + found.half_95 < _DELTA
        return TrialVerdict.NO_DIFFERENCE if is_equal else TrialVerdict.UNSTABLE
    # Several settings are judged at once: a difference is asked for more than 95 %.
    low, high = found.log_mid - found.half_99, found.log_mid + found.half_99
    if found.log_mid >= _DELTA and low > 0.0:
        return TrialVerdict.FASTER
    if found.log_mid <= -_DELTA and high < 0.0:
        return TrialVerdict.SLOWER
    if abs(found.log_mid) < _DELTA and found.half_95 <= _WIDEST:
        return TrialVerdict.NO_DIFFERENCE
    return TrialVerdict.UNSTABLE


def is_decided(found: Estimate | None) -> bool:
    """Return whether more runs would not change what is said.

    A difference is decided when its 99 % interval leaves out "no difference" and the figure is
    known well enough, or when it is so slow that how slow does not matter; no difference is
    decided when the interval lies within it, which one run may be enough for where the search
    knows the spread; where another run takes a second it is to be as narrow.
    """
    if found is None:
        return False
    goal = _GOAL_HALF_IN_TURNS if found.is_visited else _GOAL_HALF
    if _is_surely_equal(found):
        return not found.is_visited or found.half_95 <= goal
    if found.n_runs < _LEAST_RUNS:
        is_slow = found.log_mid + found.half_99 < -2.0 * _DELTA
        return is_slow and (not found.is_visited or _is_clear_at_once(found))
    low, high = found.log_mid - found.half_99, found.log_mid + found.half_99
    if high < -_DELTA:
        return found.half_95 <= goal or found.log_mid < -2.0 * _DELTA
    is_clear = low > 0.0 and found.log_mid - found.half_95 > _DELTA
    return is_clear and found.half_95 <= goal and found.n_runs >= _LEAST_RUNS_OF_FASTER


def is_hopeless(ratios: Sequence[float]) -> bool:
    """Return whether a setup was so slow that another run waits until the others are decided."""
    return bool(ratios) and max(ratios) < -_HOPELESS


def is_promising(ratios: Sequence[float]) -> bool:
    """Return whether a setup may be the best: it gets its next run before the others."""
    return bool(ratios) and middle(ratios) > _PROMISING


def judge_all(
    setups: Sequence[TrialSetup],
    runs: Sequence[TrialRun],
    *,
    precision: Precision = Precision.FLOAT32,
    estimates: Mapping[str, Estimate] | None = None,
) -> tuple[TrialResult, ...]:
    """Return the result of each setup; the first setup is the baseline.

    Args:
        setups: baseline first.
        runs: in the order in which they were made.
        precision: of the job.
        estimates: of these runs, as `estimates_of` gives them; None: made here.
    """
    baseline = setups[0]
    if estimates is None:
        estimates = estimates_of(runs, baseline_id=baseline.id)
    now = [run for run in runs if run.setup_id == baseline.id and run.is_completed]
    results = [_of_baseline(baseline, [run for run in runs if run.setup_id == baseline.id],
                            beside=[run for run in runs if run.beside_s])]  # fmt: skip
    for setup in setups[1:]:
        own = [run for run in runs if run.setup_id == setup.id]
        found = estimates.get(setup.id)
        verdict, message = _judge(setup, own, now=now, found=found, precision=precision,
                                  baseline=baseline)  # fmt: skip
        result = _result(setup, own, verdict, message, found=found, now=now)
        if found is not None and found.is_visited:
            result = _at_the_same_pace(result, baseline=results[0])
        results.append(result)
    return tuple(results)


def _at_the_same_pace(result: TrialResult, *, baseline: TrialResult) -> TrialResult:
    """Return it with the step that it takes at the pace of the machine in the baseline's runs.

    What runs in turns runs at other times than most of these: its own steps beside the
    baseline's of another minute would tell another speed-up than the turns did.
    """
    if result.speedup is None or baseline.step_s is None:
        return result
    samples = result.samples_per_step / baseline.samples_per_step
    return dataclasses.replace(result, step_s=baseline.step_s.scaled(samples / result.speedup.mid))


def ahead_of(report: TrialReport) -> TrialResult | None:
    """Return the setup that is ahead of all else without a proof; None when there is none.

    It computes the same and ran more than once, but the time was too short for the spread of its
    runs. Of 100 searches with a spread of 5 and 8 % in which one setting is 10 % faster, what is
    named first is more than 3 % slower than the best in 13 and 42 with it, in 41 and 78 without.
    """
    best = report.best
    to_beat = math.log(best.speedup.mid) if best is not None and best.speedup is not None else 0.0
    found = [
        (math.log(result.speedup.mid), result)
        for result in report.results
        if result.verdict is TrialVerdict.UNSTABLE
        and result.speedup is not None
        and result.n_runs >= _LEAST_RUNS
        and _is_beyond(result.speedup, log=to_beat)
    ]
    return max(found, key=lambda pair: pair[0], default=(0.0, None))[1]


def _is_beyond(speedup: Interval, *, log: float) -> bool:
    gain = math.log(speedup.mid) - log
    return gain >= _DELTA and gain > _AHEAD_SHARE * math.log(speedup.mid / speedup.low)


def _judge(
    setup: TrialSetup, own: Sequence[TrialRun], *, baseline: TrialSetup, now: Sequence[TrialRun],
    found: Estimate | None, precision: Precision,
) -> tuple[TrialVerdict, str]:  # fmt: skip
    if not own or all(run.outcome is Outcome.CANCELLED for run in own):
        return TrialVerdict.NOT_RUN, "the time was used up before its turn"
    lost = next((r for r in own if r.outcome is Outcome.WRONG_RESULT), None)
    if lost is not None:
        return TrialVerdict.WRONG_RESULT, lost.message
    good = [run for run in own if run.is_completed]
    failed = [r for r in own if not r.is_completed and r.outcome is not Outcome.CANCELLED]
    if not good or len(failed) > len(good):
        return TrialVerdict.FAILED, failed[0].message if failed else "cancelled"
    if not now:
        return TrialVerdict.UNSTABLE, "there is no figure of the state now to compare with"
    for run in good:
        why = _wrongness(setup, run, baseline=baseline, now=now, precision=precision)
        if why:
            return TrialVerdict.WRONG_RESULT, why
    verdict = verdict_of(found)
    is_alone = verdict is TrialVerdict.UNSTABLE and found is not None
    return verdict, "one run is too few to tell" if is_alone and len(good) == 1 else ""


def step_interval(runs: Sequence[TrialRun]) -> Interval:
    """Return the step of a run, from the median of each: the middle, and where 80 % of runs lie.

    One run tells nothing of others; where its own blocks of steps lie stands for them.
    """
    steps = [run.step_s for run in runs]
    low, high = _eighty_percent(steps if len(steps) > 1 else runs[0].values_s)
    return Interval(low=low, mid=statistics.median(steps), high=high)


def _eighty_percent(values: Sequence[float]) -> tuple[float, float]:
    """Return between which values 80 % lie: of fewer than ten the smallest and the largest.

    From ten on those two lie further and further apart, and one that was held up decides.
    """
    if len(values) < _ALL_IN_EIGHTY:
        return min(values), max(values)
    tenths = statistics.quantiles(values, n=10)
    # What lies between two equal values is a hair beyond them where it is rounded.
    return max(tenths[0], min(values)), min(tenths[-1], max(values))


def _of_baseline(
    setup: TrialSetup, own: Sequence[TrialRun], *, beside: Sequence[TrialRun]
) -> TrialResult:
    """Return the result of the baseline, from its own runs and its turns beside those of others."""
    good = [run for run in own if run.is_completed]
    if not good:
        message = own[0].message if own else "it was not run"
        if own and own[0].outcome is Outcome.TIMED_OUT:
            message += ": its steps are long, allow more minutes"
        return TrialResult(setup=setup, verdict=TrialVerdict.FAILED, message=message)
    found = _result(setup, own, TrialVerdict.BASELINE, "", found=None, now=good)
    as_own = [dataclasses.replace(run, values_s=run.beside_s) for run in beside]
    return dataclasses.replace(
        found, step_s=step_interval([*good, *as_own]), n_runs=len(good) + len(beside)
    )


def _largest(values: Sequence[int | None]) -> int | None:
    return max((value for value in values if value is not None), default=None)


def _result(
    setup: TrialSetup, own: Sequence[TrialRun], verdict: TrialVerdict, message: str, *,
    found: Estimate | None, now: Sequence[TrialRun],
) -> TrialResult:  # fmt: skip
    good = [run for run in own if run.is_completed]
    firsts = [run.first_step_s for run in good if run.first_step_s is not None]
    checks = [run.check_value for run in now if run.check_value is not None]
    return TrialResult(
        setup=setup,
        verdict=verdict,
        message=message,
        speedup=found.interval() if found is not None else None,
        step_s=step_interval(good) if good else None,
        samples_per_step=good[0].batch_size if good else 1,
        first_step_s=statistics.median(firsts) if firsts else None,
        peak_memory_bytes=_largest([run.peak_memory_bytes for run in good]),
        device_memory_bytes=_largest([run.device_memory_bytes for run in good]),
        check_value=good[0].check_value if good else None,
        baseline_check_value=statistics.median(checks) if checks else None,
        n_runs=len(good),
        warnings=tuple(dict.fromkeys(w for run in good for w in run.warnings)),
    )


def n_processes(runs: Sequence[TrialRun]) -> int | None:
    """Return how many processes gave these runs; None where each had one of its own."""
    visited = {run.process for run in runs if run.is_completed and run.process is not None}
    alone = sum(run.is_completed and run.process is None for run in runs)
    return len(visited) + alone if visited else None


def estimates_of(runs: Sequence[TrialRun], *, baseline_id: str) -> dict[str, Estimate]:
    """Return the speed-up of each setup that has one.

    What took turns with the baseline, and what is compared with runs of it at other times, have a
    spread each.
    """
    ratios = log_ratios(runs, baseline_id=baseline_id)
    turns = [run for run in runs if run.beside_s]
    names = {run.setup_id for run in turns}
    in_turns = {name: values for name, values in ratios.items() if name in names}
    apart = {name: values for name, values in ratios.items() if name not in names}
    of_turns = pooled_spread(in_turns, turns=turns)
    of_others = pooled_spread(
        apart,
        residuals=baseline_residuals(runs, baseline_id=baseline_id),
        n_anchors=sum(run.setup_id == baseline_id and run.is_completed for run in runs),
    )
    by_setup = runs_of(runs)
    found: dict[str, Estimate] = {}
    for name, values in ratios.items():
        is_in_turns = name in in_turns
        one = estimate(
            values,
            spread=of_turns if is_in_turns else of_others,
            n_processes=n_processes(by_setup[name]),
            n_baseline_processes=n_processes(by_setup[baseline_id]) if is_in_turns else None,
        )
        if one is not None:
            found[name] = one
    return found
