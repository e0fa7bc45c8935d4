"""What counts as last measured: complete runs before stopped ones, this machine's alone."""

import dataclasses
import datetime as dt
import os

import pytest

from advisor.errors import InputError
from advisor.model.measurement import FailedMeasurement, Outcome
from tests.ui.history_values import DAY, keep, measured_advice
from ui import cli, commands, settings
from ui import last_measured as last_measured_module
from ui.last_measured import MeasuredRun, last_measured


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(settings, "data_folder", lambda: tmp_path)


def run_of(advice):
    return MeasuredRun(profile=advice.profile, measurements=advice.measurements)


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
    assert last_measured() == run_of(complete)
    finish(dataclasses.replace(complete, measurements=None), days=2)
    assert last_measured() == run_of(complete)


def test_without_a_complete_run_the_last_part_counts():
    first, second = (stopped(measured_advice(time_s=t)) for t in (0.5, 0.7))
    finish(first, days=0)
    finish(second, days=1)
    assert last_measured() == run_of(second)


def test_another_machine_says_nothing_of_this_one():
    here = measured_advice(time_s=0.5)
    cpu = dataclasses.replace(here.profile.cpu, brand="Another CPU")
    there = dataclasses.replace(here, profile=dataclasses.replace(here.profile, cpu=cpu))
    finish(there, days=0)
    finish(dataclasses.replace(here, measurements=None), days=1)
    assert last_measured() is None


def bench(advice, *, days):
    """Keep a run of `bench` as if it had ended so many days after the first advice."""
    last_measured_module.keep_bench(advice.profile, advice.measurements)
    ended_s = (DAY + dt.timedelta(days=days)).timestamp()
    os.utime(settings.last_bench_file(), (ended_s, ended_s))


def finish_at(advice, *, days):
    finish(advice, days=days)
    ended_s = (DAY + dt.timedelta(days=days)).timestamp()
    os.utime(settings.last_recommendation_file(), (ended_s, ended_s))


def test_a_bench_by_itself_is_a_run():
    run = measured_advice(time_s=0.5)
    bench(run, days=0)
    assert last_measured() == run_of(run)


def test_the_later_of_a_bench_and_an_advice_counts():
    advice, run = measured_advice(time_s=0.5), measured_advice(time_s=0.7)
    finish_at(advice, days=1)
    bench(run, days=2)
    assert last_measured() == run_of(run)
    again = measured_advice(time_s=0.6)
    finish_at(again, days=3)
    assert last_measured() == run_of(again)
    finish_at(dataclasses.replace(again, measurements=None), days=4)
    assert last_measured() == run_of(again)


def test_a_bench_between_kept_advice_stands_in_its_place():
    old, run = measured_advice(time_s=0.5), measured_advice(time_s=0.7)
    finish_at(old, days=1)
    bench(run, days=2)
    finish_at(dataclasses.replace(old, measurements=None), days=3)
    assert last_measured() == run_of(run)


def test_a_stopped_bench_takes_the_place_of_no_other():
    whole, part = measured_advice(time_s=0.5), stopped(measured_advice(time_s=0.7))
    bench(part, days=0)
    assert last_measured() == run_of(part)
    bench(whole, days=1)
    bench(part, days=2)
    assert last_measured() == run_of(whole)


def test_a_damaged_bench_hides_nothing():
    complete = measured_advice(time_s=0.5)
    finish_at(complete, days=0)
    settings.last_bench_file().write_text("{")
    assert last_measured() == run_of(complete)


def test_a_place_that_cannot_be_written_costs_no_figures(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(settings, "data_folder", lambda: tmp_path / "file")
    run = measured_advice(time_s=0.5)
    last_measured_module.keep_bench(run.profile, run.measurements)
    assert last_measured() is None


@pytest.mark.parametrize(
    ("words", "is_kept"),
    [([], True), (["--device", "cpu"], False), (["--sustained", "1"], False)],
)
def test_only_a_bench_of_the_whole_machine_is_kept(monkeypatch, capsys, words, is_kept):
    advice = measured_advice(time_s=0.5)
    monkeypatch.setattr(commands.journey, "probe_machine", lambda: advice.profile)
    monkeypatch.setattr("ui.bench_modes.measure", lambda *_a, **_k: advice.measurements)
    assert cli.run(["bench", "--quick", *words]) == 0
    assert "the headline figures" in capsys.readouterr().out
    assert settings.last_bench_file().exists() is is_kept


def test_a_disk_that_is_full_by_the_end_costs_the_file_and_not_the_figures(
    monkeypatch, capsys, tmp_path
):
    def full(_target, _value):
        raise InputError("m.json: cannot be written: No space left on device")

    advice = measured_advice(time_s=0.5)
    monkeypatch.setattr(commands.journey, "probe_machine", lambda: advice.profile)
    monkeypatch.setattr("ui.bench_modes.measure", lambda *_a, **_k: advice.measurements)
    monkeypatch.setattr(commands, "write_document", full)
    assert cli.run(["bench", "--out", str(tmp_path / "m.json")]) == 2
    said = capsys.readouterr()
    assert "the headline figures" in said.out
    assert said.err == "dl-advisor: m.json: cannot be written: No space left on device\n"
    assert last_measured() == run_of(advice)
