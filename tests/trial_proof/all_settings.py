"""Every setting of a network in turn, for as long as is asked: the truth for the others.

It is kept after each run, so it can be broken off and goes on where it was.
"""

import random
import time

from advisor.format import format_duration
from advisor.model.trial import TrialResult, TrialRun, TrialSetup, TrialVerdict
from advisor.trial.judge import judge_all
from advisor.trial.plan import list_pairs
from advisor.trial.schedule import count_runs
from probes.bench.trials.visits import Visits
from tests.trial_proof.jobs import (
    Job,
    Measured,
    Proof,
    job_of,
    measured_file,
    read_measured,
    write_json,
)

# A setting this much slower, or one that does not run, is left out from the third round on;
# from the fourth on also what is surely not the best, and other batch sizes.
_FAR_SLOWER = 0.5
_ROUNDS_OF_ALL = 2
_ROUNDS_OF_WORSE = 3
_BETWEEN = 4
_MOST_PAIRS = 8
# Each figure is to be that of several processes: they are replaced more often than in a try.
_VISITS = 4


def measure_all(proof: Proof) -> int:
    """Measure all networks; return 1 when a baseline does not run."""
    code = 0
    for network in proof.networks:
        job = job_of(proof, network)
        measured = measure(proof, network, job)
        results = judge_all(measured.setups, measured.runs)
        print(f"\n{network}: {len(measured.runs)} runs")
        print_results(results)
        code = code or int(results[0].step_s is None)
    return code


def print_results(results: tuple[TrialResult, ...]) -> None:
    """Print verdict, speed-up with its interval and step of each setting."""
    for result in sorted(results, key=lambda r: -(r.speedup.mid if r.speedup else 0.0)):
        speed = result.speedup
        interval = f"{speed.mid:6.3f} [{speed.low:.3f} {speed.high:.3f}]" if speed else " " * 22
        step = format_duration(result.step_s.mid) if result.step_s else "-"
        print(f"  {result.setup.id:28} {result.verdict.value:14} {interval} "
              f"{step:>9} {result.n_runs:3} {result.message}")  # fmt: skip


def measure(proof: Proof, network: str, job: Job) -> Measured:
    """Return all runs of a network after the minutes that are asked for."""
    path = measured_file(proof, network)
    measured = read_measured(path) or Measured(setups=job.setups)
    spent_s = sum(run.duration_s for run in measured.runs)
    until = time.monotonic() + 60.0 * proof.minutes - spent_s
    earlier = max((run.process or 0 for run in measured.runs), default=0)
    with Visits(
        baseline_id=job.setups[0].id,
        n_earlier=earlier,
        most_visits=_VISITS,
        most_of_baseline=_VISITS,
    ) as visits:
        while time.monotonic() < until:
            for setup in round_of(measured):
                started_s = sum(run.duration_s for run in measured.runs)
                run = visits.run(job.source, setup, started_s=started_s, limits=job.limits)
                measured = measured.with_run(run)
                write_json(path, measured)
                _tell(network, run)
                if time.monotonic() > until:
                    break
            measured = with_pairs(measured)
            write_json(path, measured)
    return measured


def _tell(network: str, run: TrialRun) -> None:
    text = format_duration(run.step_s) if run.is_completed else run.message
    print(f"  {run.started_s:6.0f} s {network} {run.setup_id}: {text}", flush=True)


def round_of(measured: Measured) -> list[TrialSetup]:
    """Return one round in an order of its own, with the baseline first, between and last.

    Those with the fewest runs take part, so that a round that was broken off is made whole.
    """
    counts = count_runs(measured.runs)
    baseline, *others = measured.setups
    results = {r.setup.id: r for r in judge_all(measured.setups, measured.runs)}
    best_low = max(
        (r.speedup.low for r in results.values() if r.speedup and _is_rival(r)), default=0.0
    )
    open_ = [
        setup
        for setup in others
        if counts.get(setup.id, 0) < _ROUNDS_OF_ALL
        or not _is_out(results[setup.id], best_low=best_low)
    ]
    fewest = min((counts.get(setup.id, 0) for setup in open_), default=0)
    chosen = [setup for setup in open_ if counts.get(setup.id, 0) == fewest]
    random.Random(len(measured.runs)).shuffle(chosen)
    order = [baseline]
    for at, setup in enumerate(chosen, start=1):
        order.append(setup)
        if at % _BETWEEN == 0 or at == len(chosen):
            order.append(baseline)
    return order


def _is_rival(result: TrialResult) -> bool:
    """Return whether a result may be the best one: it runs, is right, and trains the same way."""
    is_lost = result.verdict in (TrialVerdict.WRONG_RESULT, TrialVerdict.FAILED)
    return result.speedup is not None and not is_lost and result.setup.batch_size is None


def _is_out(result: TrialResult, *, best_low: float) -> bool:
    if result.speedup is None or result.speedup.mid < _FAR_SLOWER:
        return True
    is_worse = not _is_rival(result) or result.speedup.high < best_low
    return is_worse and result.n_runs >= _ROUNDS_OF_WORSE


def with_pairs(measured: Measured) -> Measured:
    """Return it with the pairs of what is faster, once each setting has had its rounds."""
    counts = count_runs(measured.runs)
    if any(counts.get(setup.id, 0) < _ROUNDS_OF_ALL for setup in measured.setups):
        return measured
    singles = [setup for setup in measured.setups if not setup.parts]
    known = {setup.id for setup in measured.setups}
    found = list_pairs(judge_all(singles, measured.runs)[1:], most=6)
    n_pairs = len(measured.setups) - len(singles)
    new = tuple(pair for pair in found if pair.id not in known)[: max(0, _MOST_PAIRS - n_pairs)]
    return Measured(setups=(*measured.setups, *new), runs=measured.runs)
