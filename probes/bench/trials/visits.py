"""The processes of a search: each rests after its steps and is visited again in its turn.

To start a process and to compile takes far longer than the steps that are timed. What rests costs
memory alone, so a setup can be run again and again. A run is a handful of turns of a twentieth of
a second, each next to one of the state now: whatever else the machine does then, it does to both.
Leaves to others: one process (`probes.bench.trials.run`), which setup comes next
(`advisor.trial.schedule`).
"""

import dataclasses
import statistics
import time
from collections.abc import Callable, Sequence

import psutil

from advisor.model.trial import (
    MOST_VISITS,
    MOST_VISITS_OF_BASELINE,
    TrialRun,
    TrialSetup,
    TrialSource,
)
from advisor.model.turns import TURNS_ALONE, n_turns
from probes.bench.commands import WorkerCommand, worker_command
from probes.bench.load import LoadMeter
from probes.bench.process import CancelToken
from probes.bench.trials.run import RunLimits, TrialProcess, run_setup, with_warnings

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
        baseline_id: the setup that stands for the state now: it runs alone, all others in turns
            with it while its process rests.
        n_earlier: processes of the same search in an earlier sitting; numbers go on after them.
        most_visits: to one process; a fresh one takes its place after them.
        most_of_baseline: in which that of the state now takes part; a fresh one takes its place
            with its next run alone.
        command: makes the command of the worker; replaced in tests.
    """

    def __init__(
        self,
        *,
        baseline_id: str,
        n_earlier: int = 0,
        most_visits: int = MOST_VISITS,
        most_of_baseline: int = MOST_VISITS_OF_BASELINE,
        command: Callable[..., WorkerCommand] = worker_command,
    ) -> None:
        self._resting: dict[str, TrialProcess] = {}
        self._n_visits: dict[str, int] = {}
        self._baseline_id = baseline_id
        self._n_processes = n_earlier
        self._most_visits = {baseline_id: most_of_baseline}
        self._usual_most_visits = most_visits
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
        """Run a setup once more, in turns with the state now; as `run_setup` if it cannot rest."""
        if not can_rest(source, setup):
            return run_setup(source, setup, started_s=started_s, limits=limits, cancel=cancel)
        began, load = time.monotonic(), LoadMeter()
        if not self._may_go_on(setup.id):
            self._end(setup.id)
        self._make_room(limits, but=setup.id)
        if setup.id not in self._resting:
            self._n_visits[setup.id] = 0
            self._n_processes += 1
            self._resting[setup.id] = TrialProcess(
                source, setup, limits=self._left_for(setup.id, limits), number=self._n_processes,
                cancel=cancel, command=self._command,
            )  # fmt: skip
        # The last of them was visited last.
        self._resting[setup.id] = self._resting.pop(setup.id)
        for name in {setup.id, self._baseline_id} & set(self._resting):
            self._n_visits[name] += 1
        found = self._in_turns(setup.id, started_s=started_s, limits=limits)
        found = dataclasses.replace(found, duration_s=time.monotonic() - began)
        return with_warnings(found, load.share())

    def _in_turns(self, name: str, *, started_s: float, limits: RunLimits) -> TrialRun:
        """Take the turns of a run, each next to one of the state now while that can go on."""
        began = time.monotonic()
        own: list[TrialRun] = []
        beside: list[TrialRun] = []
        while not _is_enough(own, beside, limits=limits, spent_s=time.monotonic() - began):
            pair = [(own, name)]
            if name != self._baseline_id and self._rests(self._baseline_id):
                pair.append((beside, self._baseline_id))
            # Every other time the other way round: what becomes slower meanwhile cancels.
            for turns, whose in pair if len(own) % 2 == 0 else pair[::-1]:
                turn = self._turn(whose, started_s=started_s, limits=limits)
                if turn.is_completed:
                    turns.append(turn)
                elif turns is own:
                    return turn
        return _merged(own, beside)

    def _turn(self, name: str, *, started_s: float, limits: RunLimits) -> TrialRun:
        process = self._resting[name]
        try:
            turn = process.take_turn(started_s=started_s, limits=self._left_for(name, limits))
        except BaseException:
            self._end(name)
            raise
        if not process.rests:
            del self._resting[name]
        return turn

    def _rests(self, name: str) -> bool:
        process = self._resting.get(name)
        return process is not None and process.is_alive

    def _may_go_on(self, name: str) -> bool:
        """Return whether a process still rests, and need not make place for a fresh one."""
        most = self._most_visits.get(name, self._usual_most_visits)
        return self._rests(name) and self._n_visits[name] < most

    def _held_bytes(self, *, but: str) -> int:
        """Return the memory of all that rest but one."""
        return sum(process.memory_bytes for name, process in self._resting.items() if name != but)

    def _make_room(self, limits: RunLimits, *, but: str) -> None:
        """End what was visited longest ago until the others leave room for one of them.

        What the others are compared with goes last.
        """
        limit_bytes = limits.memory_bytes
        if limit_bytes is None:
            free_bytes = psutil.virtual_memory().available + self._held_bytes(but="")
            limit_bytes = int(_SHARE_OF_FREE * free_bytes)
        most = max([p.memory_bytes for p in self._resting.values()], default=0) or _USUAL_BYTES
        others = [name for name in self._resting if name != but]
        for name in sorted(others, key=lambda name: name == self._baseline_id):
            held = self._held_bytes(but=but)
            if held <= _SHARE_AT_REST * limit_bytes and held + most <= limit_bytes:
                break
            self._end(name)

    def _left_for(self, name: str, limits: RunLimits) -> RunLimits:
        """Return the limits of a process beside the memory that the others hold."""
        if limits.memory_bytes is None:
            return limits
        left_bytes = limits.memory_bytes - self._held_bytes(but=name)
        return dataclasses.replace(limits, memory_bytes=left_bytes)

    def _end(self, name: str) -> None:
        process = self._resting.pop(name, None)
        if process is not None:
            process.close()


def _is_enough(
    own: Sequence[TrialRun], beside: Sequence[TrialRun], *, limits: RunLimits, spent_s: float
) -> bool:
    """Return whether a run has all its turns, or is so slow that it need not have them."""
    if not own:
        return False
    steps_s = [_mean_s(turn) for turn in own]
    hopeless_s = limits.hopeless_step_s
    is_hopeless = hopeless_s is not None and len(own) > 1 and min(steps_s) > hopeless_s
    # The start of a process is no time of its steps.
    first_s = own[0].duration_s if own[0].first_step_s is not None else 0.0
    if is_hopeless or spent_s - first_s > limits.max_time_s:
        return True
    others_s = [_mean_s(turn) for turn in beside]
    return len(own) >= (n_turns(min(steps_s + others_s)) if others_s else TURNS_ALONE)


def _mean_s(turn: TrialRun) -> float:
    """Return the mean step of a turn: the shortest would favour the side with more steps in it."""
    return statistics.fmean(turn.values_s)


def _merged(own: Sequence[TrialRun], beside: Sequence[TrialRun]) -> TrialRun:
    """Return the turns of a run as one; where those beside it broke off, as far as they came."""
    n_pairs = min(len(own), len(beside)) or len(own)
    return dataclasses.replace(
        own[-1],
        first_step_s=own[0].first_step_s,
        values_s=tuple(map(_mean_s, own[:n_pairs])),
        beside_s=tuple(map(_mean_s, beside[:n_pairs])),
    )
