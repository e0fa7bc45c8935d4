"""The processes of a search: each rests after its steps and is visited again in its turn.

To start a process and to compile takes far longer than the steps that are timed. What rests costs
memory alone, so a setup can be run again and again, close in time to what it is compared with.
Leaves to others: one process (`probes.bench.trials.run`), whose turn it is
(`advisor.trial.schedule`).
"""

import dataclasses
from collections.abc import Callable

import psutil

from advisor.model.trial import MOST_VISITS, TrialRun, TrialSetup, TrialSource
from probes.bench.commands import WorkerCommand, worker_command
from probes.bench.process import CancelToken
from probes.bench.trials.run import RunLimits, TrialProcess, run_setup

# Of the memory that a trial may take, what those that rest may hold together.
_SHARE_AT_REST = 0.5
# Of the memory that is free, where nothing else limits a trial.
_SHARE_OF_FREE = 0.8
# Of a process that has not told: a framework and a small network.
_USUAL_BYTES = 1 << 30


def can_rest(source: TrialSource, setup: TrialSetup) -> bool:
    """Return whether the steps of a job may be taken in several visits.

    A reader of data would fill its buffers meanwhile, what the user's own code does between visits
    is unknown, and a framework may hold all the memory of a GPU as long as it lives.
    """
    return source.code is None and source.data is None and setup.device == "cpu"


class Visits:
    """The processes of one search. Used inside `with`: none is left after it.

    Args:
        n_earlier: processes of the same search in an earlier sitting; numbers go on after them.
        most_visits: to one process; a fresh one takes its place after them.
        command: makes the command of the worker; replaced in tests.
    """

    def __init__(
        self,
        *,
        n_earlier: int = 0,
        most_visits: int = MOST_VISITS,
        command: Callable[..., WorkerCommand] = worker_command,
    ) -> None:
        self._resting: dict[str, TrialProcess] = {}
        self._n_visits: dict[str, int] = {}
        self._first = ""
        self._n_processes = n_earlier
        self._most_visits = most_visits
        self._command = command

    def __enter__(self) -> "Visits":
        """Return itself."""
        return self

    def __exit__(self, *_details: object) -> None:
        """End all processes."""
        for name in tuple(self._resting):
            self._end(name)

    def run(
        self,
        source: TrialSource,
        setup: TrialSetup,
        *,
        started_s: float,
        limits: RunLimits,
        cancel: CancelToken | None = None,
    ) -> TrialRun:
        """Run a setup once more, in its own process where that rests; as `run_setup` otherwise."""
        if not can_rest(source, setup):
            return run_setup(source, setup, started_s=started_s, limits=limits, cancel=cancel)
        if not self._may_go_on(setup.id):
            self._end(setup.id)
        process = self._resting.pop(setup.id, None)
        limits = self._make_room(limits)
        self._first = self._first or setup.id
        if process is None:
            self._n_visits[setup.id] = 0
            self._n_processes += 1
            process = TrialProcess(
                source, setup, limits=limits, number=self._n_processes, cancel=cancel,
                command=self._command,
            )  # fmt: skip
        try:
            run = process.visit(started_s=started_s, limits=limits)
        except BaseException:
            process.close()
            raise
        if process.rests:
            # The last of them was visited last.
            self._resting[setup.id] = process
            self._n_visits[setup.id] += 1
        return run

    def _may_go_on(self, name: str) -> bool:
        process = self._resting.get(name)
        return process is not None and process.is_alive and self._n_visits[name] < self._most_visits

    @property
    def _held_bytes(self) -> int:
        return sum(process.memory_bytes for process in self._resting.values())

    def _make_room(self, limits: RunLimits) -> RunLimits:
        """End what was visited longest ago until the others leave room; return what is left.

        The first of all, which the others are compared with and which is visited most, goes last.
        """
        limit_bytes = limits.memory_bytes
        if limit_bytes is None:
            free_bytes = psutil.virtual_memory().available + self._held_bytes
            limit_bytes = int(_SHARE_OF_FREE * free_bytes)
        most = max([p.memory_bytes for p in self._resting.values()], default=0) or _USUAL_BYTES
        for name in sorted(self._resting, key=lambda name: name == self._first):
            held = self._held_bytes
            if held <= _SHARE_AT_REST * limit_bytes and held + most <= limit_bytes:
                break
            self._end(name)
        if limits.memory_bytes is None:
            return limits
        return dataclasses.replace(limits, memory_bytes=limits.memory_bytes - self._held_bytes)

    def _end(self, name: str) -> None:
        process = self._resting.pop(name, None)
        if process is not None:
            process.close()
