"""A new advice takes in what was tried here for the same job, and says so; no other trial."""

import dataclasses

import pytest

from advisor.i18n import translator_for
from advisor.model.codec import dump_document, load_document
from advisor.model.machine import Environment
from advisor.model.measurement import SoftwareStack
from advisor.model.quantity import Basis, Phase
from advisor.model.recommendation import Preferences, Recommendation
from advisor.model.trial import UntakenTrial
from advisor.model.workload import Job
from advisor.network.load import bundled_workload
from advisor.report.build import build_report, build_summary
from advisor.report.reasons import trial_text
from advisor.report.text import render_text
from probes.bench.process import CancelToken
from tests.ui.fake_trials import Fake
from tests.ui.test_own_steps import MEASURED
from ui import dataset, earlier_trials, journey, settings, try_commands, trying
from ui.cli import run
from ui.earlier_trials import EarlierTrials, earlier_trials_of
from ui.history.store import History
from ui.widgets.answer_card import AnswerCard

NET = "mnist-cnn"
TR, ZH = translator_for("en"), translator_for("zh_CN")
OLD = SoftwareStack(
    framework="keras", framework_version="3.0.0", backend="tensorflow", backend_version="2.10.0"
)


@pytest.fixture
def profile(monkeypatch):
    found = journey.probe_machine(with_opencl=False, overrides={})
    monkeypatch.setattr(journey, "probe_machine", lambda **_more: found)
    monkeypatch.setattr(journey, "measure", lambda *_a, **_more: MEASURED)
    return found


@pytest.fixture
def tried(fake, profile, capsys):
    """A trial of the command line that found something."""
    assert run(["try", NET, "--option", "malloc-keep"]) == 0, capsys.readouterr().err


def workload(name=NET, **job):
    facts = dataset.bundled_knowledge().networks
    return bundled_workload(name, job=Job(**job), networks=facts)


def walk(name=NET, **job):
    request = journey.JourneyRequest(network=name, job=Job(**job))
    return journey.walk(request, on_event=lambda _event: None, cancel=CancelToken())


def with_versions(profile, **versions):
    """Return the machine with other versions of what is installed in our own environment."""
    own, *others = profile.environments
    frameworks = tuple(
        dataclasses.replace(f, version=versions.get(f.name.partition("-")[0], f.version))
        for f in own.frameworks
    )
    changed = dataclasses.replace(own, frameworks=frameworks)
    return dataclasses.replace(profile, environments=(changed, *others))


def lines(advice, tr=TR):
    return render_text(build_summary(advice, tr), width=10_000).splitlines()


def today():
    return journey.today()


def an_advice(profile):
    return journey.advise(
        profile, MEASURED, workload(), Preferences(), dataset.bundled_knowledge(),
        index=dataset.bundled_index(),
    )  # fmt: skip


def run_with_stack(profile):
    class Told(Fake):
        def __call__(self, *arguments, **words):
            return dataclasses.replace(super().__call__(*arguments, **words), stack=OLD)

    plan = trying.plan_trial(an_advice(profile))
    return trying.run_trial(
        plan, plan.setups[1:2], minutes=1.0, on_start=lambda _setup: None,
        on_run=lambda _setup, _run: None, cancel=CancelToken(), run=Told(),
    )  # fmt: skip


def test_a_new_advice_is_that_of_the_trial(tried):
    last = settings.read_last()
    advice = walk()
    assert advice.baseline.basis is Basis.MEASURED
    assert advice.baseline.step_s == last.baseline.step_s
    assert advice.trials.results == last.trials.results
    first = advice.ranked[0]
    assert first.prediction.basis is Basis.MEASURED
    assert advice.untaken_trial is None
    assert load_document(dump_document(advice), Recommendation) == advice


def test_one_line_says_from_which_day_it_is(tried, qtbot):
    advice = walk()
    told = f"Taken in: the times that were measured when this job was tried here on {today()}."
    assert lines(advice).count(told) == 1
    assert told in render_text(build_report(advice, TR), width=10_000)
    assert f"已采用：{today()}" in trial_text(advice, ZH)
    card = AnswerCard(translator=TR)
    qtbot.addWidget(card)
    card.show_option(advice, 0)
    assert told in [label.text() for label in card.findChildren(type(card.title))]
    again = journey.rank_anew(advice, journey.WhatIf(epochs=7, max_usd=None, deadline_h=None))
    assert trial_text(again, TR) == told


def test_other_versions_are_not_taken_and_named(profile):
    run_with_stack(profile)
    newer = with_versions(profile, keras="3.0.0", tensorflow="2.99.0")
    found = earlier_trials_of(newer, workload())
    assert found == EarlierTrials(
        untaken=UntakenTrial(tried_on=today(), then="tensorflow 2.10.0", now="tensorflow 2.99.0")
    )


def test_what_is_not_taken_stands_in_the_advice_and_stays_there(profile, monkeypatch):
    run_with_stack(profile)
    newer = with_versions(profile, keras="3.0.0", tensorflow="2.99.0")
    monkeypatch.setattr(journey, "probe_machine", lambda **_more: newer)
    advice = walk()
    assert advice.trials is None
    assert advice.baseline.basis is not Basis.MEASURED
    told = (
        f"Not taken in: this job was tried on {today()} with tensorflow 2.10.0, here is tensorflow"
        " 2.99.0 now. Try it again."
    )
    assert lines(advice).count(told) == 1
    assert "未采用" in trial_text(advice, ZH)
    again = journey.rank_anew(advice, journey.WhatIf(epochs=7, max_usd=None, deadline_h=None))
    assert trial_text(again, TR) == told


def test_versions_that_no_run_tells_are_other_software(tried, profile):
    found = earlier_trials_of(with_versions(profile, tensorflow="9"), workload())
    assert found == EarlierTrials(untaken=UntakenTrial(tried_on=today()))


def test_another_optimizer_is_another_job_and_said(tried):
    advice = walk(optimizer="adam")
    assert advice.trials is None
    assert trial_text(advice, TR).startswith(f"Not taken in: such a job was tried on {today()}")


@pytest.mark.parametrize(
    "job", [{"batch_size": 7}, {"phase": Phase.INFERENCE}, {"name": "mnist-mlp"}]
)
def test_another_job_takes_nothing_and_says_nothing(tried, job):
    advice = walk(**job)
    assert (advice.trials, advice.untaken_trial, trial_text(advice, TR)) == (None, None, "")


def test_more_epochs_are_the_same_step(tried):
    assert walk(epochs=99).baseline.basis is Basis.MEASURED


def test_another_machine_takes_nothing(tried, profile):
    cpu = dataclasses.replace(profile.cpu, brand="another")
    other = dataclasses.replace(profile, cpu=cpu)
    assert earlier_trials_of(other, workload()) == EarlierTrials()


def test_without_a_history_or_with_a_broken_one_nothing_is_taken(profile):
    assert earlier_trials_of(profile, workload()) == EarlierTrials()
    settings.trials_file().parent.mkdir(parents=True)
    settings.trials_file().write_bytes(b"no database" * 100)
    assert earlier_trials_of(profile, workload()) == EarlierTrials()


def test_a_job_that_cannot_be_tried_takes_nothing(tried, profile, tmp_path):
    onnx = tmp_path / "net.onnx"
    assert earlier_trials_of(profile, workload(), model_file=onnx) == EarlierTrials()


def test_the_last_trial_that_told_something_goes_before_a_later_one_that_did_not(
    tried, fake, profile, capsys
):
    # Broken off after the first run of the state now.
    fake.breaks_at = len(fake.order) + 1
    run(["try", NET, "--option", "malloc-keep"])
    capsys.readouterr()
    taken = earlier_trials_of(profile, workload()).taken
    assert trying.tells_something(taken)
    assert {result.setup.id for result in taken.results} == {"now", "malloc-keep"}


def test_what_is_forgotten_in_the_history_is_not_taken_any_more(tried, profile):
    with History(settings.trials_file()) as history:
        (key,) = {row.search.key for row in history.rows()}
        history.remove(key)
    assert earlier_trials_of(profile, workload()) == EarlierTrials()


def test_a_trial_in_another_python_is_taken_while_that_is_as_it_was(
    fake, profile, capsys, monkeypatch
):
    jax = dataclasses.replace(profile.environments[0].frameworks[0], name="jax", version="0.7")
    other = Environment(python="/other/python", version="3.12", kind="venv", frameworks=(jax,))
    now, first, *_others = trying.plan_trial(an_advice(profile)).setups
    setups = (now, dataclasses.replace(first, python=other.python))
    for module in (earlier_trials, try_commands):
        monkeypatch.setattr(module, "named_environment", lambda word: word and other)
    monkeypatch.setattr(try_commands, "setups_for", lambda *_a, **_more: setups)
    assert run(["try", NET, "--python", other.python]) == 0, capsys.readouterr().err
    assert earlier_trials_of(profile, workload()).taken is not None
    newer = dataclasses.replace(jax, version="0.8")
    changed = dataclasses.replace(other, frameworks=(newer,))
    monkeypatch.setattr(earlier_trials, "named_environment", lambda word: word and changed)
    assert earlier_trials_of(profile, workload()).untaken == UntakenTrial(tried_on=today())
