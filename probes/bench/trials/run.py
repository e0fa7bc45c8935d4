"""Runs a setup on the user's network, in a fresh process, and says what became of it.

The process may rest when it has enough steps and be visited again, between those of other setups.
Leaves to others: which processes rest and whose turn it is (`probes.bench.trials.visits`), what to
run next (`advisor.trial.schedule`), keeping runs (`ui.history`).
"""

import dataclasses
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from advisor.model.measurement import Outcome
from advisor.model.trial import CheckValue, TrialRun, TrialSetup, TrialSource
from advisor.model.turns import TURN_S
from probes.bench.commands import WorkerCommand, worker_command
from probes.bench.load import LoadMeter, LoadShare
from probes.bench.parsing import parse_stack, parse_times
from probes.bench.process import CancelToken, Deadlines, Left, WorkerVerdict, work
from probes.bench.stability import warnings_of_load, warnings_of_values
from probes.bench.trials.watch import TreeWatch

WORKER = "user_network"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLimits:
    """How long and how much one process may take.

    Attributes:
        memory_bytes: of the process and its children; None: no limit.
        budget_s: all together; stage_s: silence while something loads or compiles.
        min_time_s: how long steps are timed, where it does not rest; max_time_s: a slow network
            ends after so long.
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


def request_of(
    source: TrialSource, setup: TrialSetup, limits: RunLimits, *, is_in_turns: bool = False
) -> dict[str, Any]:
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
        "turn_s": TURN_S if is_in_turns else None,
    }


class TrialProcess:
    """A process that runs steps under one setup, once or each time that it has its turn.

    Used inside `with`, or closed: nothing of it is left then. What it does wrong is in the run.

    Args:
        source: the network and the job.
        setup: what is set.
        limits: of the first turn.
        number: of this process in its search; None: it runs once and does not rest.
        cancel: ends it early.
        command: makes the command of the worker; replaced in tests.
    """

    def __init__(
        self,
        source: TrialSource,
        setup: TrialSetup,
        *,
        limits: RunLimits,
        number: int | None = None,
        cancel: CancelToken | None = None,
        command: Callable[..., WorkerCommand] = worker_command,
    ) -> None:
        self._setup = setup
        self._number = number
        self._watch = TreeWatch(
            limit_bytes=limits.memory_bytes, most_processes=limits.most_processes
        )
        self._told: Mapping[str, Any] = {}
        self._told_bytes = 0
        self._n_turns = 0
        self._steps = work(
            command(WORKER, python=setup.python, settings=setup.settings),
            request_of(source, setup, limits, is_in_turns=number is not None),
            deadlines=Deadlines(
                stage_s=limits.stage_s, silence_s=limits.silence_s, budget_s=limits.budget_s
            ),
            on_event=self._take,
            cancel=cancel,
        )
        self.rests = False

    def __enter__(self) -> "TrialProcess":
        """Return itself; nothing has started before the first visit."""
        return self

    def __exit__(self, *_details: object) -> None:
        """End the process."""
        self.close()

    def close(self) -> None:
        """End the process and all that it has started."""
        self.rests = False
        self._steps.close()
        self._watch.close()

    @property
    def is_alive(self) -> bool:
        """Whether the process still runs: what rests may be ended by the system."""
        return self._watch.is_alive

    @property
    def memory_bytes(self) -> int:
        """The most memory that it has taken so far, 0 while that is unknown."""
        return max(self._told_bytes, self._watch.peak_bytes or 0)

    def take_turn(self, *, started_s: float, limits: RunLimits) -> TrialRun:
        """Run steps until there are enough; then it rests, or has ended.

        Args:
            started_s: seconds of the search so far; kept in the run.
            limits: of this turn; the first is under those that it was made with.
        """
        began = time.monotonic()
        verdict = self._go_on(limits)
        found = _Told(
            setup=self._setup, started_s=started_s, duration_s=time.monotonic() - began,
            process=self._number, is_first=self._n_turns == 1,
        )  # fmt: skip
        if verdict is None:
            return found.run(self._told, peak_bytes=self._watch.peak_bytes)
        self.close()
        return found.ended(verdict, self._watch)

    def _go_on(self, limits: RunLimits) -> WorkerVerdict | None:
        """Return what became of it when it has ended, None when it rests."""
        self._n_turns += 1
        self._told = {}
        try:
            if self._n_turns == 1:
                next(self._steps)
            else:
                self._watch.go_on(limit_bytes=limits.memory_bytes)
                self._steps.send(Left(limit_s=limits.budget_s, budget_s=limits.budget_s))
        except StopIteration as stop:
            self.rests = False
            verdict: WorkerVerdict = stop.value
            return verdict
        self._watch.rest()
        self.rests = True
        return None

    def _take(self, message: Mapping[str, Any]) -> None:
        self._watch.follow(message.get("pid"))
        if message["type"] == "value":
            self._told = message
            self._told_bytes = int(_number(message.get("peak_memory_bytes")) or 0)


def run_setup(
    source: TrialSource,
    setup: TrialSetup,
    *,
    started_s: float = 0.0,
    limits: RunLimits | None = None,
    cancel: CancelToken | None = None,
    command: Callable[..., WorkerCommand] = worker_command,
) -> TrialRun:
    """Run steps under a setup in a process of its own, once.

    Args:
        source: the network and the job.
        setup: what is set.
        started_s: seconds of the search so far; kept in the run.
        limits: None for the usual ones.
        cancel: ends it early.
        command: makes the command of the worker; replaced in tests.
    """
    limits = limits or RunLimits()
    load = LoadMeter()
    with TrialProcess(source, setup, limits=limits, cancel=cancel, command=command) as process:
        run = process.take_turn(started_s=started_s, limits=limits)
        return with_warnings(run, load.share())


def with_warnings(run: TrialRun, share: LoadShare | None) -> TrialRun:
    """Return a run with what its values and the load meanwhile tell against it."""
    if not run.is_completed:
        return run
    found = warnings_of_values(run.values_s, lasted_s=min(run.values_s))
    return dataclasses.replace(run, warnings=(*found, *warnings_of_load(share)))


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """What is known of a run besides what the process tells."""

    setup: TrialSetup
    started_s: float
    duration_s: float
    process: int | None
    is_first: bool

    def ended(self, verdict: WorkerVerdict, watch: TreeWatch) -> TrialRun:
        """Return the run of a process that has ended."""
        if watch.reason:
            outcome = Outcome.OUT_OF_MEMORY if "memory" in watch.reason else Outcome.FAILED
            return self.failed(outcome, f"the worker was ended: {watch.reason}")
        if verdict.outcome is not Outcome.COMPLETED or verdict.result is None:
            return self.failed(verdict.outcome, verdict.message)
        return self.run(verdict.result, peak_bytes=watch.peak_bytes)

    def failed(self, outcome: Outcome, message: str) -> TrialRun:
        """Return a run without a figure."""
        return TrialRun(
            setup_id=self.setup.id,
            started_s=self.started_s,
            duration_s=self.duration_s,
            outcome=outcome,
            message=message,
            process=self.process,
        )

    def run(self, told: Mapping[str, Any], *, peak_bytes: int | None) -> TrialRun:
        """Return the run of a process that told its figures."""
        values, stack = parse_times(told.get("values_s")), parse_stack(told.get("stack"))
        batch, first = _number(told.get("batch_size")), _number(told.get("first_step_s"))
        if not values or stack is None or batch is None or batch < 1:
            return self.failed(Outcome.PROTOCOL_ERROR, "the worker gave times that make no sense")
        peaks = [_number(told.get("peak_memory_bytes")), _number(peak_bytes)]
        device = _number(told.get("device_memory_bytes"))
        return TrialRun(
            setup_id=self.setup.id,
            started_s=self.started_s,
            duration_s=self.duration_s,
            outcome=Outcome.COMPLETED,
            process=self.process,
            stack=stack,
            first_step_s=first if self.is_first else None,
            values_s=values,
            batch_size=int(batch),
            check_value=_number(told.get("check_value")),
            checks=_parse_checks(told.get("checks")),
            has_random_layers=told.get("has_random_layers") is True,
            peak_memory_bytes=max((int(p) for p in peaks if p is not None), default=None),
            device_memory_bytes=None if device is None else int(device),
            check=str(told.get("check") or ""),
        )
