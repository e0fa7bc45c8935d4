"""Trials of a network, with a worker that answers as the network's name says."""

import statistics
import sys
from pathlib import Path

import pytest

from advisor.model.measurement import Outcome, Setting
from advisor.model.quantity import Phase
from probes.bench.process import CancelToken, WorkerCommand
from probes.bench.trial import TrialRequest, run_trial, run_trials

WORKER = Path(__file__).parents[2] / "data" / "workers" / "network.py"


def request(name, model="good", **more):
    return TrialRequest(id=name, model_json=model, phase=Phase.TRAINING, batch_size=8, **more)


@pytest.fixture
def command(tmp_path):
    def make(_name, *, python=None, settings=()):
        log = Setting(name="DL_TEST_LOG", value=str(tmp_path / "log"))
        return WorkerCommand(
            argv=(python or sys.executable, "-S", str(WORKER)), environment=(log, *settings)
        )

    make.log = tmp_path / "log"
    return make


def test_a_trial_gives_times_loss_and_stack(command):
    trial = run_trial(request("a"), command=command)
    assert trial.is_completed, trial.message
    assert trial.median_s == pytest.approx(0.2)
    assert (trial.loss, trial.loops, trial.check) == (0.75, 3, "fine")
    assert trial.stack.framework == "keras"
    assert trial.warnings == ()


@pytest.mark.parametrize(
    ("model", "outcome"), [("fails", Outcome.UNSUPPORTED), ("nonsense", Outcome.PROTOCOL_ERROR)]
)
def test_a_trial_that_fails_says_why(command, model, outcome):
    trial = run_trial(request("a", model), command=command)
    assert trial.outcome is outcome
    assert trial.message
    assert trial.values_s == ()
    with pytest.raises(statistics.StatisticsError):
        _ = trial.median_s


def test_trials_run_in_turns_and_pool_their_values(command):
    seen = []
    trials = run_trials(
        [request("a"), request("b", settings=(Setting(name="DL_B", value="1"),))],
        rounds=3,
        command=command,
        on_trial=lambda trial: seen.append((trial.request.id, len(trial.values_s))),
    )
    assert command.log.read_text().split() == ["-", "b"] * 3
    assert seen == [("a", 3), ("b", 3), ("a", 6), ("b", 6), ("a", 9), ("b", 9)]
    assert [len(trial.values_s) for trial in trials] == [9, 9]


def test_a_failed_trial_is_not_run_again_and_a_failed_round_loses_nothing(command):
    trials = run_trials(
        [request("a", "fails"), request("b", "good_once")], rounds=2, command=command
    )
    assert [trial.outcome for trial in trials] == [Outcome.UNSUPPORTED, Outcome.COMPLETED]
    assert len(trials[1].values_s) == 3
    assert len(command.log.read_text().split()) == 3


def test_cancelling_ends_all(command):
    token = CancelToken()
    token.cancel()
    trials = run_trials([request("a"), request("b")], command=command, cancel=token)
    assert {trial.outcome for trial in trials} == {Outcome.CANCELLED}
    assert not command.log.exists()
