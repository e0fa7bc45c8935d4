"""Speed-up of a setup from its runs, with its interval.

A run that took turns with the baseline is compared turn by turn. One of a process that cannot rest
is compared with the baseline at its time: interpolated between the runs of the baseline around it
where the machine changes slowly, the middle of them all where they only scatter. The spread is
pooled over all setups of a search that were compared the same way.
Leaves to others: verdicts (`advisor.trial.judge`), the order of runs (`advisor.trial.schedule`).
"""

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from advisor.model.quantity import Interval
from advisor.model.trial import TrialRun

# Two processes of one setting differ by at least this share, whatever few runs suggest.
LEAST_SD = 0.005
# A setup has a spread of its own when it is this much larger than that of all together.
_OWN_SPREAD = 2.0
_OWN_SPREAD_OF_PAIR = 4.0
_LEAST_DEGREES_OF_OTHERS = 6
_LEAST_RUNS_OF_OWN = 3
# With fewer runs of a setup none is left out; one is that lies beyond the median by so many median
# deviations (4 standard deviations of a normal scatter are 5.9) and by so much as a logarithm.
_LEAST_RUNS_TO_LEAVE_OUT = 4
_FAR_SCATTERS = 6.0
_LEAST_FAR = 0.08
# With fewer runs of the baseline it cannot be told whether the machine changes slowly.
_LEAST_ANCHORS_OF_MIDDLE = 4

# Where turns next to each other are alike, the middle of a run's scatters by more than their own
# scatter says: that counts until runs tell so much themselves (decision 0008).
_TURNS_ALIKE = 1.3
_ENOUGH_DEGREES = 8
# Of the values of a setup, or the turns of a run, what is left out on either side.
_TRIMMED = 0.2
_LEAST_RUNS_TO_TRIM = 5

# Quantiles of Student's t for 1, 2, ... 30 degrees of freedom, two-sided.
_T_95 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
_T_99 = (
    63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169, 3.106, 3.055, 3.012,
    2.977, 2.947, 2.921, 2.898, 2.878, 2.861, 2.845, 2.831, 2.819, 2.807, 2.797, 2.787, 2.779,
    2.771, 2.763, 2.756, 2.750,
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Standard deviation of the logarithm of one paired run, and its degrees of freedom.

    All runs of a search lean on the same `n_anchors` runs of the baseline: their error does not
    shrink with the runs of a setup. None leaves it out.
    """

    sd: float
    degrees: int
    n_anchors: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Logarithm of a speed-up: middle, and half widths of the 95 % and the 99 % interval.

    `is_visited`: its process rests, so that another run is soon made.
    """

    log_mid: float
    half_95: float
    half_99: float
    n_runs: int
    is_visited: bool = False

    def interval(self) -> Interval:
        """Return the speed-up with its 95 % interval."""
        return Interval(
            low=math.exp(self.log_mid - self.half_95),
            mid=math.exp(self.log_mid),
            high=math.exp(self.log_mid + self.half_95),
        )


def runs_of(runs: Sequence[TrialRun]) -> dict[str, list[TrialRun]]:
    """Return the runs of each setup, whatever became of them."""
    found: dict[str, list[TrialRun]] = {}
    for run in runs:
        found.setdefault(run.setup_id, []).append(run)
    return found


def log_ratios(runs: Sequence[TrialRun], *, baseline_id: str) -> dict[str, tuple[float, ...]]:
    """Return for each setup the logarithms of baseline time / its time, one for each run.

    Runs without a figure are left out, as are those that ran alone where others of the setup took
    turns with the baseline; without any baseline the result is empty.

    Args:
        runs: in the order in which they were made.
        baseline_id: the setup that stands for the state now.
    """
    good = undisturbed(runs)
    anchors = [run for run in good if run.setup_id == baseline_id]
    found: dict[str, list[float]] = {}
    if not anchors:
        return {}
    baseline_at = _best_fit(anchors)
    in_turns = {run.setup_id for run in good if run.beside_s}
    for run in good:
        if run.beside_s:
            samples = math.log(run.batch_size / anchors[0].batch_size)
            value = middle(_turn_ratios(run)) + samples
        elif run.setup_id not in in_turns and run.setup_id != baseline_id:
            value = baseline_at(run.started_s, anchors) - math.log(run.sample_s)
        else:
            continue
        found.setdefault(run.setup_id, []).append(value)
    return {
        name: tuple(_without_accidents(values) if name in in_turns else values)
        for name, values in found.items()
    }


def _without_accidents(ratios: Sequence[float]) -> list[float]:
    """Return the ratios of visits without those that lie apart, to either side.

    The steps of a whole visit may be slow beside those of the baseline, most often of the first
    one (decision 0008).
    """
    left_out = _accidents(ratios) | _accidents([-ratio for ratio in ratios])
    return [ratio for at, ratio in enumerate(ratios) if at not in left_out]


def _turn_ratios(run: TrialRun) -> list[float]:
    """Return the logarithm of baseline step / own step of each turn."""
    return [math.log(b / own) for b, own in zip(run.beside_s, run.values_s, strict=True)]


def middle(values: Sequence[float]) -> float:
    """Return the mean of the inner values: one that something else held up does not count.

    Of three it is the middle one, of five the mean of three.
    """
    count = max(1, round(_TRIMMED * len(values))) if len(values) > 2 else 0
    return statistics.fmean(sorted(values)[count : len(values) - count])


def undisturbed(runs: Sequence[TrialRun]) -> list[TrialRun]:
    """Return the runs with a figure, without those that something else must have held up.

    A run alone that takes far longer than the others of its setup, by their own scatter, is left
    out where those before and after it do not. The last one stays: the machine may have become
    slower.
    What takes turns between two speeds by itself scatters so much that nothing is left out.
    """
    good = [run for run in runs if run.is_completed]
    held_up: set[int] = set()
    for name in {run.setup_id for run in good}:
        places = [at for at, run in enumerate(good) if run.setup_id == name and not run.beside_s]
        accidents = _accidents([math.log(good[at].sample_s) for at in places])
        held_up.update(places[at] for at in accidents)
    return [run for at, run in enumerate(good) if at not in held_up]


def _accidents(values: Sequence[float]) -> set[int]:
    """Return the places of those, in order, that lie far above the others alone; never the last."""
    is_far = _are_far(values)
    return {
        at
        for at in range(len(values) - 1)
        if is_far[at] and not is_far[at + 1] and not (at and is_far[at - 1])
    }


def _are_far(values: Sequence[float]) -> list[bool]:
    """Return of each logarithm whether it lies far above the others."""
    if len(values) < _LEAST_RUNS_TO_LEAVE_OUT:
        return [False] * len(values)
    median = statistics.median(values)
    scatter = statistics.median(abs(value - median) for value in values)
    longest = median + max(_FAR_SCATTERS * scatter, _LEAST_FAR)
    return [value > longest for value in values]


def _interpolated(at_s: float, anchors: Sequence[TrialRun]) -> float:
    """Return the logarithm of the baseline's time at a moment, interpolated between runs."""
    before = [run for run in anchors if run.started_s <= at_s]
    after = [run for run in anchors if run.started_s > at_s]
    if not before or not after:
        nearest = before[-1] if before else after[0]
        return math.log(nearest.sample_s)
    first, last = before[-1], after[0]
    share = (at_s - first.started_s) / (last.started_s - first.started_s)
    return (1.0 - share) * math.log(first.sample_s) + share * math.log(last.sample_s)


def _at_any_time(_at_s: float, anchors: Sequence[TrialRun]) -> float:
    """Return the logarithm of the baseline's time, the middle of its runs at any moment."""
    return math.log(statistics.median(run.sample_s for run in anchors))


_BaselineAt = Callable[[float, Sequence[TrialRun]], float]


def _residuals(anchors: Sequence[TrialRun], baseline_at: _BaselineAt) -> tuple[float, ...]:
    """Return how far each inner run of the baseline lies from what the others say."""
    return tuple(
        math.log(anchors[at].sample_s)
        - baseline_at(anchors[at].started_s, [*anchors[:at], *anchors[at + 1 :]])
        for at in range(1, len(anchors) - 1)
    )


def _best_fit(anchors: Sequence[TrialRun]) -> _BaselineAt:
    """Return what tells the runs of the baseline better from each other."""
    if len(anchors) < _LEAST_ANCHORS_OF_MIDDLE:
        return _interpolated
    return min((_interpolated, _at_any_time), key=lambda way: math.hypot(*_residuals(anchors, way)))


def baseline_residuals(runs: Sequence[TrialRun], *, baseline_id: str) -> tuple[float, ...]:
    """Return how far each inner run of the baseline lies from the others, as logarithms.

    They scatter as the ratio of a setup does: one run against what the others say of its time.
    """
    anchors = [run for run in undisturbed(runs) if run.setup_id == baseline_id]
    return _residuals(anchors, _best_fit(anchors)) if anchors else ()


def pooled_spread(
    ratios: Mapping[str, Sequence[float]],
    *,
    residuals: Sequence[float] = (),
    turns: Sequence[TrialRun] = (),
    n_anchors: int | None = None,
) -> Spread | None:
    """Return the spread of one run, pooled over all setups; None when nothing tells it.

    Args:
        ratios: of each setup, as `log_ratios` gives them.
        residuals: of the baseline, about zero.
        turns: runs in turns, whose scatter tells of the spread before anything ran twice.
        n_anchors: runs of the baseline that all lean on.
    """
    wild = _wild(ratios)
    groups = [values for name, values in ratios.items() if len(values) > 1 and name not in wild]
    degrees = sum(len(values) - 1 for values in groups) + len(residuals)
    tame = [run for run in turns if run.setup_id not in wild]
    inner = [_turn_ratios(run) for run in tame] if degrees < _ENOUGH_DEGREES else []
    degrees += sum(len(values) - 1 for values in inner)
    if not degrees:
        return None
    squares = sum(_squares(values) for values in groups) + sum(r * r for r in residuals)
    squares += sum(_TURNS_ALIKE**2 * _squares(values) / len(values) for values in inner)
    sd = max(math.sqrt(squares / degrees), LEAST_SD)
    return Spread(sd=sd, degrees=degrees, n_anchors=n_anchors)


def _wild(ratios: Mapping[str, Sequence[float]]) -> frozenset[str]:
    """Return the setups that scatter far more than all others together: they tell of themselves."""
    found: set[str] = set()
    by_sd = {name: statistics.stdev(values) for name, values in ratios.items() if len(values) > 1}
    for name in sorted(by_sd, key=lambda name: -by_sd[name]):
        others = [values for other, values in ratios.items() if other not in found | {name}]
        degrees = sum(len(values) - 1 for values in others)
        if degrees < _LEAST_DEGREES_OF_OTHERS:
            break
        sd = max(math.sqrt(sum(map(_squares, others)) / degrees), LEAST_SD)
        if not _is_far_wider(by_sd[name], than=sd, n_runs=len(ratios[name])):
            break
        found.add(name)
    return frozenset(found)


def _is_far_wider(sd: float, *, than: float, n_runs: int) -> bool:
    """Return whether runs scatter by more than chance does: two alone may lie far apart by it."""
    is_pair = n_runs < _LEAST_RUNS_OF_OWN
    return sd > (_OWN_SPREAD_OF_PAIR if is_pair else _OWN_SPREAD) * than


def _squares(values: Sequence[float]) -> float:
    mean = statistics.fmean(values)
    return sum((value - mean) ** 2 for value in values)


def _own_spread(values: Sequence[float]) -> Spread | None:
    if len(values) < 2:
        return None
    return Spread(sd=statistics.stdev(values), degrees=len(values) - 1)


def estimate(
    values: Sequence[float],
    *,
    spread: Spread | None,
    n_processes: int | None = None,
    n_baseline_processes: int | None = None,
) -> Estimate | None:
    """Return the speed-up of a setup from the logarithms of its ratios.

    Args:
        values: of one setup.
        spread: pooled over the search; None when nothing ran twice, and then there is none.
        n_processes: that the values are from; None: each from one of its own.
        n_baseline_processes: that they are compared with turn by turn; None: they are not.
    """
    if not values or spread is None:
        return None
    own = _own_spread(values)
    is_own = own is not None and _is_far_wider(own.sd, than=spread.sd, n_runs=len(values))
    used = own if own is not None and is_own else spread
    share = 1.0 / len(values)
    if spread.n_anchors:
        # Half of the spread of a ratio is that of the baseline.
        share += 0.5 / spread.n_anchors
    # However often a process is visited, another one may differ from it.
    # Of visits that were left out the process may be counted still.
    beyond = 1.0 / min(n_processes or len(values), len(values)) - 1.0 / len(values)
    if n_baseline_processes:
        beyond += 1.0 / n_baseline_processes
    error = math.hypot(used.sd * math.sqrt(share), LEAST_SD * math.sqrt(beyond))
    at = min(used.degrees, len(_T_95)) - 1
    is_trimmed = spread.n_anchors is None and len(values) >= _LEAST_RUNS_TO_TRIM
    return Estimate(
        log_mid=middle(values) if is_trimmed else statistics.fmean(values),
        half_95=_T_95[at] * error,
        half_99=_T_99[at] * error,
        n_runs=len(values),
        is_visited=n_processes is not None,
    )
