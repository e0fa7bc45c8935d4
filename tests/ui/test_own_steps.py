"""What was tried is kept in the end and corrects the next advice, from the command line on."""

import contextlib
import dataclasses
from types import SimpleNamespace

import pytest

from advisor.model.kernel import GemmShape, StreamShape
from advisor.model.measurement import MeasurementSet
from advisor.model.recommendation import Preferences
from advisor.model.workload import Job
from advisor.network.load import bundled_workload
from probes.bench.process import CancelToken
from tests.advisor.predict.builders import measure
from tests.ui.fake_trials import Fake
from ui import dataset, journey, settings, try_run, trying
from ui.cli import run
from ui.own_steps import own_steps_of

MEASURED = MeasurementSet(
    measured_on="2026-11-21",
    duration_s=1.0,
    results=(
        measure(GemmShape(m=1024, n=1024, k=1024), 0.02),
        measure(StreamShape(op="triad", elements=10**7), 0.01),
    ),
)


@pytest.fixture
def profile():
    return journey.probe_machine(with_opencl=False, overrides={})


def an_advice(profile, network, *, measurements=MEASURED, own_steps=()):
    facts = dataset.bundled_knowledge()
    work = bundled_workload(network, job=Job(), networks=facts.networks)
    return journey.advise(
        profile, measurements, work, Preferences(), facts,
        index=dataset.bundled_index(), own_steps=own_steps,
    )  # fmt: skip


def test_without_a_history_or_with_a_file_that_is_none_nothing_is_known(profile):
    assert own_steps_of(profile) == ()
    assert not settings.trials_file().exists()
    settings.trials_file().mkdir(parents=True)
    assert own_steps_of(profile) == ()


def test_a_trial_of_the_command_line_corrects_the_next_advice(fake, capsys, profile):
    settings.keep_last(an_advice(profile, "mnist-mlp"))
    assert run(["try", "mnist-cnn", "--option", "malloc-keep"]) == 0, capsys.readouterr().err
    (step,) = own_steps_of(profile)
    assert (step.network, step.measured_s) == ("mnist-cnn", pytest.approx(0.1, rel=0.01))
    raw = an_advice(profile, "mnist-cnn").baseline
    assert step.predicted_s == pytest.approx(raw.step_s.mid)
    told = an_advice(profile, "alexnet-s", own_steps=own_steps_of(profile))
    plain = an_advice(profile, "alexnet-s")
    ratio = told.baseline.step_s.mid / plain.baseline.step_s.mid
    assert max(ratio, 1.0 / ratio) == pytest.approx(1.5)
    assert (ratio > 1.0) == (step.measured_s > step.predicted_s)
    assert "1 network tried on this machine" in told.baseline.evidence[0].statement
    again = journey.rank_anew(told, journey.WhatIf(epochs=7, max_usd=None, deadline_h=None))
    assert again.baseline.step_s == told.baseline.step_s


def test_nothing_is_kept_where_nothing_was_measured(fake, capsys, profile):
    assert run(["try", "mnist-cnn", "--option", "malloc-keep"]) == 0, capsys.readouterr().err
    settings.keep_last(an_advice(profile, "mnist-mlp", measurements=None))
    assert run(["try", "mnist-cnn", "--option", "malloc-keep"]) == 0, capsys.readouterr().err
    assert own_steps_of(profile) == ()


def test_the_last_advice_of_another_machine_says_nothing_here(fake, capsys, profile):
    cpu = dataclasses.replace(profile.cpu, brand="another")
    settings.keep_last(an_advice(dataclasses.replace(profile, cpu=cpu), "mnist-mlp"))
    assert run(["try", "mnist-cnn", "--option", "malloc-keep"]) == 0, capsys.readouterr().err
    assert own_steps_of(profile) == ()


def test_a_trial_of_the_window_is_kept_alike(profile):
    advice = an_advice(profile, "mnist-mlp")
    plan = trying.plan_trial(advice)
    report = trying.run_trial(
        plan, plan.setups[1:2], minutes=1.0, on_start=lambda _setup: None,
        on_run=lambda _setup, _run: None, cancel=CancelToken(), run=Fake(),
    )  # fmt: skip
    (step,) = own_steps_of(profile)
    assert step.network == "mnist-mlp"
    assert step.measured_s == report.results[0].step_s.mid
    assert step.predicted_s == pytest.approx(advice.baseline.step_s.mid)


def test_the_window_tries_in_processes_that_rest_as_the_command_does(profile, monkeypatch):
    resting = contextlib.nullcontext(SimpleNamespace(run=Fake()))
    resting.run = resting.enter_result.run
    monkeypatch.setattr(try_run, "Visits", lambda **_more: resting)
    plan = trying.plan_trial(an_advice(profile, "mnist-mlp"))
    told = []
    trying.run_trial(
        plan, plan.setups[1:2], minutes=1.0, on_start=lambda _setup: None,
        on_run=lambda setup, _run: told.append(setup.id), cancel=CancelToken(),
    )  # fmt: skip
    assert told[:2] == [plan.setups[0].id, plan.setups[1].id]


def test_a_walk_takes_what_was_tried_here(fake, capsys, profile, monkeypatch):
    settings.keep_last(an_advice(profile, "mnist-mlp"))
    assert run(["try", "mnist-cnn", "--option", "malloc-keep"]) == 0, capsys.readouterr().err
    monkeypatch.setattr(journey, "probe_machine", lambda **_more: profile)
    monkeypatch.setattr(journey, "measure", lambda *_a, **_more: MEASURED)
    request = journey.JourneyRequest(network="alexnet-s")
    told = []
    advice = journey.walk(request, on_event=told.append, cancel=CancelToken())
    assert advice.own_steps == own_steps_of(profile)
    assert "tried on this machine" in advice.baseline.evidence[0].statement
    first = next(e for e in told if isinstance(e, journey.ProvisionalReady))
    assert first.recommendation.own_steps == ()
