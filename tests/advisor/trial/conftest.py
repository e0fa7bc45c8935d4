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
    """Runs setups: `speeds` by id against 1 for the baseline, others fail as told."""

    def __init__(self, speeds, *, noise=0.01, drift=0.0, seed=0, checks=None, failing=()):
        self.setups = [TrialSetup(id="now", title="now")]
        self.setups += [TrialSetup(id=name, title=name) for name in speeds]
        self._speeds = {"now": 1.0, **speeds}
        self._noise, self._drift = noise, drift
        self._random = random.Random(seed)
        self._checks = checks or {}
        self._failing = failing
        self.order = []
        self.time_s = 0.0

    def run(self, setup):
        self.order.append(setup.id)
        at_s, self.time_s = self.time_s, self.time_s + RUN_S
        common = {"setup_id": setup.id, "started_s": at_s, "duration_s": RUN_S}
        if setup.id in self._failing:
            return TrialRun(outcome=Outcome.CRASHED, message="it crashed", **common)
        scale = 1.0 + self._drift * at_s / 120.0
        value = 0.1 / self._speeds[setup.id] * scale * math.exp(self._random.gauss(0, self._noise))
        return TrialRun(
            outcome=Outcome.COMPLETED,
            values_s=(value,),
            check_value=self._checks.get(setup.id, 2.3),
            **common,
        )

    def search(self, budget_s=120.0, runs=()):
        return search(self.setups, run=self.run, budget_s=budget_s, runs=runs)

    def results(self, budget_s=120.0):
        runs = self.search(budget_s)
        return {r.setup.id: r for r in judge_all(self.setups, runs)}


@pytest.fixture
def machine():
    return Machine
