"""The sentence of a job names every limit that is set, and none that is not."""

import dataclasses

import pytest

from advisor.i18n import translator_for
from advisor.model.quantity import Phase
from advisor.model.recommendation import Objective, Preferences
from advisor.report.job_line import amount_text, job_sentence, wishes
from tests.advisor.recommend.builders import a_workload

TR = translator_for("en")


def test_a_job_without_limits_says_what_is_wanted_only():
    plain = job_sentence(a_workload(), None, TR)
    told = job_sentence(a_workload(), Preferences(objective=Objective.FASTEST), TR)
    assert told.startswith(f"{plain} · ")
    assert told.removeprefix(f"{plain} · ") == next(
        iter(wishes(Preferences(objective=Objective.FASTEST), TR))
    )


@pytest.mark.parametrize(
    ("phase", "samples", "epochs", "told"),
    [
        (Phase.TRAINING, 50_000, 10, "50,000 samples × 10 epochs"),
        (Phase.TRAINING, 500, 1, "500 samples × 1 epoch"),
        (Phase.TRAINING, 1, 3, "1 sample × 3 epochs"),
        (Phase.TRAINING, 1, 1, "1 sample × 1 epoch"),
        (Phase.INFERENCE, 1, 1, "1 sample"),
        (Phase.INFERENCE, 2, 1, "2 samples"),
    ],
)
def test_one_is_no_plural(phase, samples, epochs, told):
    work = dataclasses.replace(a_workload(), phase=phase, samples=samples, epochs=epochs)
    assert amount_text(work, TR) == told
    assert f" · {told} · " in job_sentence(work, None, TR)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"max_usd": 20.0}, ["at most 20.00 USD"]),
        ({"max_usd": 0.0}, ["at most 0.00 USD"]),
        ({"deadline_h": 1.5}, ["ready within 1 h 30 min"]),
        ({"allows_cloud": False}, ["no renting"]),
        ({"allows_buying": False}, ["no buying"]),
        ({"regions": ("europe",)}, ["renting only in Europe"]),
        ({"regions": ("europe", "us-east-1")}, ["renting only in Europe, in us-east-1"]),
        ({"regions": ("europe",), "allows_cloud": False}, ["no renting"]),
        ({"electricity_usd_per_kwh": 0.3}, ["electricity at 0.3 USD/kWh"]),
        ({"data_bytes": 5_000_000_000}, ["5 GB to upload"]),
        ({"data_bytes": 5_000_000_000, "allows_cloud": False}, ["no renting"]),
        ({"use_h_per_week": 10.0}, ["10 h of computing a week"]),
        (
            {"max_usd": 1.0, "deadline_h": 24.0, "allows_buying": False},
            ["at most 1.00 USD", "ready within 1 d", "no buying"],
        ),
    ],
)
def test_each_limit_that_is_set_is_named(changes, words):
    _wanted, *told = wishes(Preferences(**changes), TR)
    assert told == words
    assert job_sentence(a_workload(), Preferences(**changes), TR).endswith(" · ".join(words))
