"""What was measured in a sitting stands for half an hour, for the same machine and question."""

import dataclasses

import pytest

from advisor.model.measurement import FailedMeasurement, MeasurementSet, Outcome
from advisor.model.quantity import Precision
from advisor.model.workload import Job
from probes.bench.plan_builder import Budget
from tests.ui.advice_values import a_first_guess, an_advice
from ui.journey import JourneyRequest
from ui.sitting import FRESH_S, Sitting, known_of, n_taken

QUICK = JourneyRequest(network="mnist-cnn")


class Clock:
    now_s = 100.0

    def __call__(self):
        return self.now_s


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def sitting(clock):
    return Sitting(clock=clock)


def known(sitting, request=QUICK):
    return sitting.with_known(request).known


def test_a_finished_run_stands_for_another_network(sitting):
    advice = an_advice()
    assert known(sitting) is None
    sitting.keep(QUICK, advice)
    found = known(sitting, JourneyRequest(network="lstm-ptb"))
    assert (found.profile, found.measurements) == (advice.profile, advice.measurements)


def test_it_does_not_stand_for_ever_and_what_is_added_does_not_make_it_younger(sitting, clock):
    first = an_advice()
    sitting.keep(QUICK, first)
    clock.now_s += FRESH_S - 1.0
    request = sitting.with_known(QUICK)
    more = dataclasses.replace(first.measurements, duration_s=70.0)
    sitting.keep(request, dataclasses.replace(first, measurements=more))
    assert known(sitting).measurements.duration_s == 70.0
    clock.now_s += 2.0
    assert known(sitting) is None
    sitting.keep(QUICK, an_advice())
    assert known(sitting) is not None


@pytest.mark.parametrize(
    "other",
    [
        {"budget": Budget.THOROUGH},
        {"device_ids": ("cpu",)},
        {"python": "/usr/bin/python3"},
        {"job": Job(precision=Precision.BFLOAT16)},
    ],
)
def test_another_question_is_measured_whole(sitting, other):
    sitting.keep(QUICK, an_advice())
    assert known(sitting, dataclasses.replace(QUICK, **other)) is None


def test_a_stopped_run_or_a_guess_stands_for_nothing(sitting):
    advice = an_advice()
    done = advice.measurements
    stopped = FailedMeasurement(
        request=done.measured[0].request, outcome=Outcome.CANCELLED, message=""
    )
    cut = dataclasses.replace(done, results=(*done.results, stopped))
    for each in (a_first_guess(), dataclasses.replace(advice, measurements=cut)):
        sitting.keep(QUICK, each)
        assert known(sitting) is None


def test_it_is_of_this_machine_with_these_devices(sitting):
    advice = an_advice()
    sitting.keep(QUICK, advice)
    request = sitting.with_known(QUICK)
    here = advice.profile
    assert known_of(request, here) is advice.measurements
    assert known_of(QUICK, here) is None
    assert known_of(request, dataclasses.replace(here, opencl=())) is None
    cpu = dataclasses.replace(here.cpu, brand="Another")
    assert known_of(request, dataclasses.replace(here, cpu=cpu)) is None


def test_figures_are_taken_where_they_are_the_same_ones():
    results = an_advice().measurements
    other = MeasurementSet(measured_on="2026-11-28", duration_s=1.0, results=())
    assert n_taken(results, results) == len(results.measured) > 0
    assert n_taken(results, other) == n_taken(results, None) == n_taken(None, results) == 0
