"""Every setting of a network in turn, for as long as is asked: the truth for the others.

It is kept after each round, so it can be broken off and goes on where it was.
"""

import random
import time

from advisor.format import format_duration
from advisor.model.trial import TrialResult, TrialRun, TrialSetup
from advisor.trial.judge import judge_all
from advisor.trial.plan import list_pairs
from advisor.trial.schedule import count_runs
from probes.bench.trials.run import run_setup
from tests.trial_proof.jobs import (
    Job,
    Measured,
    Proof,
    job_of,
    measured_file,
    read_measured,
    write_json,
)

# A setting this much slower, or one that does not run, is left out from the third round on.
_FAR_SLOWER = 0.5
_ROUNDS_OF_ALL = 2
_BETWEEN = 4


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
    while time.monotonic() < until:
        for setup in round_of(measured):
            started_s = sum(run.duration_s for run in measured.runs)
            run = run_setup(job.source, setup, started_s=started_s, limits=job.limits)
            measured = measured.with_run(run)
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
    """Return one round in an order of its own, with the baseline first, between and last."""
    counts = count_runs(measured.runs)
    baseline, *others = measured.setups
    results = {r.setup.id: r for r in judge_all(measured.setups, measured.runs)}
    chosen = [
        setup
        for setup in others
        if counts.get(setup.id, 0) < _ROUNDS_OF_ALL or not _is_out(results[setup.id])
    ]
    random.Random(len(measured.runs)).shuffle(chosen)
    order = [baseline]
    for at, setup in enumerate(chosen, start=1):
        order.append(setup)
        if at % _BETWEEN == 0 or at == len(chosen):
            order.append(baseline)
    return order


def _is_out(result: TrialResult) -> bool:
    return result.speedup is None or result.speedup.mid < _FAR_SLOWER


def with_pairs(measured: Measured) -> Measured:
    """Return it with the pairs of what is faster so far."""
    singles = [setup for setup in measured.setups if not setup.parts]
    known = {setup.id for setup in measured.setups}
    found = list_pairs(judge_all(singles, measured.runs)[1:], most=6)
    new = tuple(pair for pair in found if pair.id not in known)
    return Measured(setups=(*measured.setups, *new), runs=measured.runs)
