"""The last recommendation is kept whole, and a disk that refuses costs nothing."""

import dataclasses

from advisor.model.measurement import FailedMeasurement, Outcome
from tests.ui.advice_values import an_advice
from tests.ui.history_values import measured_advice
from ui.history.advices import kept_advices
from ui.settings import (
    advices_folder,
    data_folder,
    keep_last,
    last_recommendation_file,
    read_last,
)


def stopped(advice):
    lost = FailedMeasurement(
        request=advice.measurements.results[0].request,
        outcome=Outcome.CANCELLED,
        message="before its turn",
    )
    known = dataclasses.replace(advice.measurements, results=(lost,))
    return dataclasses.replace(advice, measurements=known)


def test_what_is_kept_comes_back():
    keep_last(an_advice())
    assert read_last() == an_advice()


def test_nothing_kept_is_none():
    assert read_last() is None


def test_a_broken_file_is_none():
    last_recommendation_file().parent.mkdir(parents=True)
    last_recommendation_file().write_text("{")
    assert read_last() is None


def test_a_folder_that_cannot_be_made_is_no_error():
    data_folder().parent.mkdir(parents=True)
    data_folder().write_text("in the way")
    assert "in the way" not in str(keep_last(an_advice()))
    assert str(data_folder()) in str(keep_last(an_advice()))
    assert read_last() is None


def test_a_stopped_run_takes_the_place_of_no_complete_one_of_its_job():
    complete = measured_advice(time_s=0.5)
    keep_last(complete)
    keep_last(stopped(complete))
    assert read_last() == complete
    assert len(kept_advices(advices_folder())) == 2


def test_a_stopped_run_is_the_last_of_another_job_and_where_nothing_was_complete():
    first = stopped(measured_advice(time_s=0.5))
    keep_last(first)
    assert read_last() == first
    complete = measured_advice(time_s=0.7)
    keep_last(complete)
    job = dataclasses.replace(complete.workload, batch_size=complete.workload.batch_size + 1)
    other = dataclasses.replace(stopped(complete), workload=job)
    keep_last(other)
    assert read_last() == other
