"""What counts as last measured: complete runs before stopped ones, this machine's alone."""

import dataclasses

import pytest

from advisor.model.measurement import FailedMeasurement, Outcome
from tests.ui.history_values import keep, measured_advice
from ui import settings
from ui.last_measured import last_measured


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(settings, "data_folder", lambda: tmp_path)


def stopped(advice):
    known = advice.measurements
    lost = FailedMeasurement(
        request=known.results[0].request, outcome=Outcome.CANCELLED, message="before its turn"
    )
    results = dataclasses.replace(known, results=(*known.results, lost))
    return dataclasses.replace(advice, measurements=results)


def finish(advice, *, days):
    settings.last_recommendation_file().write_text(settings.dump_document(advice))
    keep(advice, days=days)


def test_nothing_was_measured():
    assert last_measured() is None


def test_a_stopped_run_and_an_advice_without_figures_do_not_hide_the_complete_one():
    complete = measured_advice(time_s=0.5)
    finish(complete, days=0)
    finish(stopped(measured_advice(time_s=0.7, n=1)), days=1)
    assert last_measured() == complete
    finish(dataclasses.replace(complete, measurements=None), days=2)
    assert last_measured() == complete


def test_without_a_complete_run_the_last_part_counts():
    first, second = (stopped(measured_advice(time_s=t)) for t in (0.5, 0.7))
    finish(first, days=0)
    finish(second, days=1)
    assert last_measured() == second


def test_another_machine_says_nothing_of_this_one():
    here = measured_advice(time_s=0.5)
    cpu = dataclasses.replace(here.profile.cpu, brand="Another CPU")
    there = dataclasses.replace(here, profile=dataclasses.replace(here.profile, cpu=cpu))
    finish(there, days=0)
    finish(dataclasses.replace(here, measurements=None), days=1)
    assert last_measured() is None
