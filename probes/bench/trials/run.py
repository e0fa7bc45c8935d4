"""Runs a setup once on the user's network, in a fresh process, and says what became of it.

Leaves to others: what to run next (`advisor.trial.schedule`), keeping runs (`ui.history`).
"""

import dataclasses
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from advisor.model.measurement import Outcome
from advisor.model.trial import CheckValue, TrialRun, TrialSetup, TrialSource
from probes.bench.commands import WorkerCommand, worker_command
from probes.bench.load import LoadMeter
from probes.bench.parsing import parse_stack, parse_times
from probes.bench.process import CancelToken, Deadlines, WorkerVerdict, run_worker
from probes.bench.stability import warnings_of_load, warnings_of_values
from probes.bench.trials.watch import TreeWatch

WORKER = "user_network"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLimits:
    """How long and how much one process may take.

    Attributes:
        memory_bytes: of the process and its children; None: no limit.
        budget_s: all together; stage_s: silence while something loads or compiles.
        min_time_s: how long steps are timed; max_time_s: a slow network ends after so long.
        check_steps: steps after which the last check value is taken, where there is time for it.
        n_blocks: values that the timed steps are cut into, as many as there are steps at most.
        hopeless_step_s: a step that takes longer ends the run after three; None: none does.
    """

    memory_bytes: int | None = None
    budget_s: float = 180.0
    stage_s: float = 90.0
    silence_s: float = 60.0
    min_time_s: float = 1.0
    max_time_s: float = 15.0
    check_steps: int = 8
    hopeless_step_s: float | None = None
    n_blocks: int = 20
    max_steps: int = 20_000
    most_processes: int = 64


def request_of(source: TrialSource, setup: TrialSetup, limits: RunLimits) -> dict[str, Any]:
    """Return what the worker is asked, as `probes/workers/user_network.py` describes it."""
    model: dict[str, Any] = {"json": source.model_json}
    if source.code is not None:
        model = {"path": source.code.path, "function": source.code.function}
    data = source.data
    return {
        "model": model,
        "data": None
        if data is None
        else {"kind": data.kind.value, "path": data.path, "function": data.function},
        "phase": source.phase.value,
        "batch_size": setup.batch_size or source.batch_size,
        "precision": (setup.precision or source.precision).value,
        "optimizer": source.optimizer,
        "loss": source.loss,
        "runner": setup.runner.value,
        "backend": setup.backend,
        "device": setup.device,
        "intra_threads": setup.intra_threads,
        "inter_threads": setup.inter_threads,
        "cpus": list(setup.cpus),
        "jit": setup.jit.value,
        "pipeline": setup.pipeline.value,
        "check_steps": limits.check_steps,
        "min_time_s": limits.min_time_s,
        "max_time_s": limits.max_time_s,
        "n_blocks": limits.n_blocks,
        "max_steps": limits.max_steps,
        "hopeless_step_s": limits.hopeless_step_s,
    }


def run_setup(
    source: TrialSource,
    setup: TrialSetup,
    *,
    started_s: float = 0.0,
    limits: RunLimits | None = None,
    cancel: CancelToken | None = None,
    command: Callable[..., WorkerCommand] = worker_command,
) -> TrialRun:
    """Run steps under a setup in a process of its own; what it does wrong is in the result.

    Args:
        source: the network and the job.
        setup: what is set.
        started_s: seconds of the search so far; kept in the run.
        limits: None for the usual ones.
        cancel: ends it early.
        command: makes the command of the worker; replaced in tests.
    """
    limits = limits or RunLimits()
    deadlines = Deadlines(
        stage_s=limits.stage_s, silence_s=limits.silence_s, budget_s=limits.budget_s
    )
    began = time.monotonic()
    load = LoadMeter()
    watch = TreeWatch(limit_bytes=limits.memory_bytes, most_processes=limits.most_processes)

    def on_event(message: Mapping[str, Any]) -> None:
        watch.follow(message.get("pid"))

    with watch:
        verdict = run_worker(
            command(WORKER, python=setup.python, settings=setup.settings),
            request_of(source, setup, limits),
            deadlines=deadlines,
            on_event=on_event,
            cancel=cancel,
        )
    spent_s = time.monotonic() - began
    run = _run_of(setup, verdict, watch, started_s=started_s, duration_s=spent_s)
    if not run.is_completed:
        return run
    warnings = warnings_of_load(load.share())
    return dataclasses.replace(run, warnings=(*run.warnings, *warnings))


def _failed(
    setup: TrialSetup, outcome: Outcome, message: str, *, started_s: float, duration_s: float
) -> TrialRun:
    return TrialRun(
        setup_id=setup.id,
        started_s=started_s,
        duration_s=duration_s,
        outcome=outcome,
        message=message,
    )


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)


def _parse_checks(found: object) -> tuple[CheckValue, ...]:
    """Return the check values of a result; what makes no sense is left out."""
    checks = []
    for entry in found if isinstance(found, list) else []:
        if isinstance(entry, list) and len(entry) == 2:
            steps, value = map(_number, entry)
            if steps is not None and value is not None:
                checks.append(CheckValue(steps=int(steps), value=value))
    return tuple(checks)


def _run_of(
    setup: TrialSetup,
    verdict: WorkerVerdict,
    watch: TreeWatch,
    *,
    started_s: float,
    duration_s: float,
) -> TrialRun:
    times = {"started_s": started_s, "duration_s": duration_s}
    if watch.reason:
        outcome = Outcome.OUT_OF_MEMORY if "memory" in watch.reason else Outcome.FAILED
        return _failed(setup, outcome, f"the worker was ended: {watch.reason}", **times)
    if verdict.outcome is not Outcome.COMPLETED or verdict.result is None:
        return _failed(setup, verdict.outcome, verdict.message, **times)
    result = verdict.result
    values, stack = parse_times(result.get("values_s")), parse_stack(result.get("stack"))
    batch, first = _number(result.get("batch_size")), _number(result.get("first_step_s"))
    if not values or stack is None or batch is None or batch < 1:
        text = "the worker gave times that make no sense"
        return _failed(setup, Outcome.PROTOCOL_ERROR, text, **times)
    peaks = [_number(result.get("peak_memory_bytes")), _number(watch.peak_bytes)]
    device = _number(result.get("device_memory_bytes"))
    return TrialRun(
        setup_id=setup.id,
        started_s=started_s,
        duration_s=duration_s,
        outcome=Outcome.COMPLETED,
        stack=stack,
        first_step_s=first,
        values_s=values,
        batch_size=int(batch),
        check_value=_number(result.get("check_value")),
        checks=_parse_checks(result.get("checks")),
        has_random_layers=result.get("has_random_layers") is True,
        peak_memory_bytes=max((int(p) for p in peaks if p is not None), default=None),
        device_memory_bytes=None if device is None else int(device),
        check=str(result.get("check") or ""),
        warnings=warnings_of_values(values, lasted_s=min(values)),
    )
