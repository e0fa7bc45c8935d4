"""Real steps of the user's network under some conditions: the measurement behind "Try it".

Conditions that are to be compared are run in turns, so that a machine that warms up or is
disturbed treats all alike.
Leaves to others: which conditions are worth trying (`advisor.recommend`), the child
(`probes.bench.process`).
"""

import dataclasses
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from advisor.model.measurement import Outcome, Setting, SoftwareStack, StabilityWarning
from advisor.model.quantity import Phase, Precision
from probes.bench.commands import WorkerCommand, worker_command
from probes.bench.parsing import parse_stack, parse_times
from probes.bench.process import CancelToken, Deadlines, WorkerVerdict, run_worker
from probes.bench.stability import warnings_of_values

DEFAULT_ROUNDS = 2
# Building and tracing a network of several hundred layers takes half a minute on a slow machine.
_STAGE_S = 300.0
_SILENCE_S = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialRequest:
    """Steps of a network under some conditions.

    Attributes:
        id: unique among those that are compared; usually of an option.
        model_json: the network as a Keras configuration.
        optimizer: as Keras names it; not used in inference.
        python: interpreter to be used; None: our own.
        backend: of Keras: "tensorflow", "torch", "jax".
        threads: None for the default; settings: variables to be set.
        min_value_s: shortest timed value; n_values: how many in each round.
        budget_s: seconds for one round of it.
    """

    id: str
    model_json: str
    phase: Phase
    batch_size: int
    precision: Precision = Precision.FLOAT32
    optimizer: str = "sgd"
    python: str | None = None
    backend: str = "tensorflow"
    threads: int | None = None
    settings: tuple[Setting, ...] = ()
    min_value_s: float = 0.2
    n_values: int = 5
    budget_s: float = 180.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What became of a trial; `values_s` are seconds of one step, of all rounds.

    Attributes:
        message: why there is no figure, "" when completed.
        stack: None unless completed; loss: the last one, None in inference.
        check: how the steps were verified, in words.
    """

    request: TrialRequest
    outcome: Outcome
    message: str = ""
    stack: SoftwareStack | None = None
    warmups_s: tuple[float, ...] = ()
    values_s: tuple[float, ...] = ()
    loops: int = 0
    loss: float | None = None
    check: str = ""
    warnings: tuple[StabilityWarning, ...] = ()

    @property
    def is_completed(self) -> bool:
        """Whether there is a figure."""
        return self.outcome is Outcome.COMPLETED

    @property
    def median_s(self) -> float:
        """Median seconds of one step.

        Raises:
            statistics.StatisticsError: when there is no figure.
        """
        return statistics.median(self.values_s)


def run_trial(
    request: TrialRequest,
    *,
    cancel: CancelToken | None = None,
    command: Callable[..., WorkerCommand] = worker_command,
) -> Trial:
    """Run one round of a trial in a child process of its own."""
    network = {
        "model_json": request.model_json,
        "phase": request.phase.value,
        "batch_size": request.batch_size,
        "precision": request.precision.value,
        "optimizer": request.optimizer,
        "min_value_s": request.min_value_s,
        "n_values": request.n_values,
    }
    options = {"threads": request.threads, "backend": request.backend}
    deadlines = Deadlines(stage_s=_STAGE_S, silence_s=_SILENCE_S, budget_s=request.budget_s)
    verdict = run_worker(
        command("main", python=request.python, settings=request.settings),
        {"runner": "network", "options": options, "network": network},
        deadlines=deadlines,
        cancel=cancel,
    )
    return _trial_of(request, verdict)


def _trial_of(request: TrialRequest, verdict: WorkerVerdict) -> Trial:
    if verdict.outcome is not Outcome.COMPLETED or verdict.result is None:
        return Trial(request=request, outcome=verdict.outcome, message=verdict.message)
    result = verdict.result
    values, stack = parse_times(result.get("values_s")), parse_stack(result.get("stack"))
    loops, loss = result.get("loops"), result.get("loss")
    if not values or stack is None or not isinstance(loops, int):
        text = "the worker gave times that make no sense"
        return Trial(request=request, outcome=Outcome.PROTOCOL_ERROR, message=text)
    return Trial(
        request=request,
        outcome=Outcome.COMPLETED,
        stack=stack,
        warmups_s=parse_times(result.get("warmups_s")),
        values_s=values,
        loops=loops,
        loss=float(loss) if isinstance(loss, int | float) else None,
        check=str(result.get("check") or ""),
        warnings=warnings_of_values(values, lasted_s=min(values) * loops),
    )


def run_trials(
    requests: Sequence[TrialRequest],
    *,
    rounds: int = DEFAULT_ROUNDS,
    on_trial: Callable[[Trial], None] | None = None,
    cancel: CancelToken | None = None,
    command: Callable[..., WorkerCommand] = worker_command,
) -> tuple[Trial, ...]:
    """Run trials in turns, A B A B, and return one for each request, with the values of all rounds.

    A trial that fails is not run again; what was measured before is kept.

    Args:
        requests: what is compared.
        rounds: how often each is run.
        on_trial: called with each request's trial so far, after each of its rounds.
        cancel: stops early.
        command: makes the command of a worker; replaced in tests.
    """
    trials: dict[str, Trial] = {}
    for _ in range(rounds):
        for request in requests:
            so_far = trials.get(request.id)
            if so_far is not None and not so_far.is_completed:
                continue
            if cancel is not None and cancel.is_cancelled:
                latest = Trial(request=request, outcome=Outcome.CANCELLED, message="cancelled")
            else:
                latest = run_trial(request, cancel=cancel, command=command)
            trials[request.id] = latest if so_far is None else _pooled(so_far, latest)
            if on_trial is not None:
                on_trial(trials[request.id])
    return tuple(trials[request.id] for request in requests)


def _pooled(first: Trial, second: Trial) -> Trial:
    """Return both rounds as one; a round that failed leaves the figures of the other."""
    if not second.is_completed:
        return first
    values = (*first.values_s, *second.values_s)
    return dataclasses.replace(
        second,
        warmups_s=(*first.warmups_s, *second.warmups_s),
        values_s=values,
        warnings=warnings_of_values(values, lasted_s=min(values) * second.loops),
    )
