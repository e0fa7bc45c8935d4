"""Simulated machines: runs of setups with a true speed, noise and drift."""

import math
import random

import pytest

from advisor.model.measurement import Outcome
from advisor.model.trial import TrialRun, TrialSetup
from advisor.trial.judge import judge_all
from advisor.trial.schedule import search

RUN_S = 6.0


class Machine:
    """Runs setups: `speeds` by id against 1 for the baseline, others fail as told.

    The first visit to a setup in `slow_starts` takes so many times as long.
    """

    def __init__(
        self, speeds, *, noise=0.01, drift=0.0, seed=0, checks=None, failing=(),
        in_turns=False, slow_starts=None,
    ):  # fmt: skip
        self.setups = [TrialSetup(id="now", title="now")]
        self.setups += [TrialSetup(id=name, title=name) for name in speeds]
        self._speeds = {"now": 1.0, **speeds}
        self._noise, self._drift = noise, drift
        self._random = random.Random(seed)
        self._checks = checks or {}
        self._failing = failing
        self._in_turns = in_turns
        self._slow_starts = slow_starts or {}
        self.order = []
        self.time_s = 0.0

    def run(self, setup):
        self.order.append(setup.id)
        at_s, self.time_s = self.time_s, self.time_s + RUN_S
        common = {"setup_id": setup.id, "started_s": at_s, "duration_s": RUN_S}
        if setup.id in self._failing:
            return TrialRun(outcome=Outcome.CRASHED, message="it crashed", **common)
        scale = 1.0 + self._drift * at_s / 120.0
        n_values = 5 if self._in_turns else 1
        is_beside = self._in_turns and setup.id != "now"
        is_first = self.order.count(setup.id) == 1
        slower = self._slow_starts.get(setup.id, 1.0) if is_first else 1.0
        return TrialRun(
            outcome=Outcome.COMPLETED,
            values_s=self._steps(setup.id, slower * scale, n_values),
            beside_s=self._steps("now", scale, n_values) if is_beside else (),
            process=self._process(setup.id) if self._in_turns else None,
            check_value=self._checks.get(setup.id, 2.3),
            **common,
        )

    def _process(self, name):
        """Each visit of the baseline alone begins a process, the others have one each."""
        return 100 + self.order.count(name) if name == "now" else self.order.index(name) + 1

    def _steps(self, name, scale, count):
        return tuple(
            0.1 / self._speeds[name] * scale * math.exp(self._random.gauss(0, self._noise))
            for _ in range(count)
        )

    def search(self, budget_s=120.0, runs=()):
        return search(self.setups, run=self.run, budget_s=budget_s, runs=runs)

    def results(self, budget_s=120.0):
        runs = self.search(budget_s)
        return {r.setup.id: r for r in judge_all(self.setups, runs)}


@pytest.fixture
def machine():
    return Machine
