"""What the model took from the recording is what the recording gives."""

import math
from pathlib import Path

import numpy as np
import pytest

from advisor.knowledge.store import load_knowledge
from advisor.model.quantity import Phase
from advisor.predict.typical import GROUPS, LEAST, MOST, typical_factor
from advisor.predict.workload_time import Z_80
from tests.accuracy.recorded_factors import (
    COVERAGE,
    SOURCES,
    Shares,
    all_shares,
    factors,
    fit,
    held_by,
    log_error,
    run,
    scores,
    training_step_factors,
    without_family,
)

# It fits all of them anew: that changes only with the model of the step.
pytestmark = pytest.mark.slow
FITTED_ON = [
    Path(__file__).with_name("recorded") / f"linux-{name}.json.gz"
    for name in ("sapphirerapids-2", "sapphirerapids-3", "zen5-2")
]
# Intervals must hold on a machine's quiet day that the factors never saw, too.
JUDGED_ON = [*FITTED_ON, FITTED_ON[0].with_name("linux-zen5-4.json.gz")]


@pytest.fixture(scope="module")
def cases():
    return all_shares(FITTED_ON)


def test_factors_are_those_of_the_fit(cases):
    found = factors(cases)
    for name, kinds in GROUPS.items():
        used = typical_factor(kinds[0], phase=Phase.INFERENCE)
        assert found[name] == pytest.approx(used, abs=0.02), name


def test_factors_of_a_training_step_are_those_of_the_recordings():
    rows = {row.microarchitecture: row for row in load_knowledge().cpu_isa}
    found = training_step_factors(JUDGED_ON)
    assert len(found) == 2
    for name, factor in found.items():
        assert rows[name].training_step_factor == pytest.approx(factor, abs=0.002), name


def test_factors_help_families_that_they_do_not_know(cases):
    logs = without_family(cases, Phase.INFERENCE)
    held_out = [c for c in cases if c.phase is Phase.INFERENCE and c.role == "held_out"]
    none = np.zeros(len(next(iter(logs.values()))))
    bare = np.median([abs(log_error(c, none)) for c in held_out])
    left = np.median([abs(log_error(c, logs[c.family])) for c in held_out])
    assert left < bare


@pytest.fixture(scope="module")
def judged():
    return all_shares(JUDGED_ON)


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("source", SOURCES)
def test_intervals_are_as_wide_as_the_residuals_say(judged, phase, source):
    found = held_by(scores(judged, phase=phase, source=source), COVERAGE)
    assert found == pytest.approx(Z_80, rel=0.08)


def test_the_fit_stays_within_its_bounds_and_does_nothing_where_all_is_right():
    def case(shares):
        return Shares(
            family="a", role="fitted", phase=Phase.INFERENCE, source="replay", shares=shares,
            log_sd=0.1,
        )  # fmt: skip

    right = [case((0.5, 0.0, 0.0, 0.0, 0.3, 0.2))] * 5
    assert np.exp(fit(right)) == pytest.approx(np.ones(6), abs=1e-6)
    far_off = [case((9.0, 0.0, 0.0, 0.0, 0.0, 0.0))] * 50
    assert math.exp(fit(far_off)[0]) == pytest.approx(LEAST)
    too_short = [case((0.1, 0.0, 0.0, 0.0, 0.0, 0.0))] * 50
    assert math.exp(fit(too_short)[0]) == pytest.approx(MOST)


def test_split_conformal_takes_the_next_larger_residual():
    assert held_by([1.0, 2.0, 3.0, 4.0], 0.5) == 3.0
    assert held_by([1.0, 2.0], 0.99) == 2.0


def test_the_command_prints_factors_and_widths(capsys):
    assert run([str(FITTED_ON[0])]) == 0
    text = capsys.readouterr().out
    assert "factor convolution: 1.0" in text
    assert "training step on Sapphire / Emerald Rapids: 0.9" in text
    assert "85% within" in text
