"""What the model took from the recording is what the recording gives."""

from pathlib import Path

import pytest

from advisor.model.quantity import Phase
from advisor.predict.workload_time import Z_80
from tests.accuracy.recorded_factors import (
    COVERAGE,
    SOURCES,
    cases_of,
    held_by,
    of_all,
    run,
    scores,
    training_step_factors,
)
from tests.helpers.bundled import bundled_knowledge

# It fits all of them anew: that changes only with the model of the step.
pytestmark = pytest.mark.slow
QUIET = [
    Path(__file__).with_name("recorded") / f"linux-{name}.json.gz"
    for name in ("sapphirerapids-2", "sapphirerapids-3", "sapphirerapids-4", "zen5-2", "zen5-4")
]


def test_factors_of_a_training_step_are_those_of_the_recordings():
    rows = {row.microarchitecture: row for row in bundled_knowledge().cpu_isa}
    # A loud host says where a step lies all the same, if not how far one may be off.
    found = training_step_factors(cases_of([*QUIET, QUIET[0].with_name("linux-zen3-2.json.gz")]))
    assert len(found) == 3
    for name, factor in found.items():
        assert rows[name].training_step_factor == pytest.approx(factor, abs=0.002), name


@pytest.fixture(scope="module")
def judged():
    # A host that moves a little, and networks that nothing was made for, are what most people have.
    unseen = ("zen4-unseen-1", "zen4-unseen-2", "zen4-unseen-3", "sapphirerapids-unseen-1")
    others = ("zen4-1", *unseen)
    return cases_of([*QUIET, *(QUIET[0].with_name(f"linux-{name}.json.gz") for name in others)])


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("source", SOURCES)
def test_intervals_are_as_wide_as_the_residuals_say(judged, phase, source):
    found = held_by(scores(of_all(judged, phase=phase, source=source)), COVERAGE)
    assert found == pytest.approx(Z_80, rel=0.08)


def test_split_conformal_takes_the_next_larger_residual():
    assert held_by([1.0, 2.0, 3.0, 4.0], 0.5) == 3.0
    assert held_by([1.0, 2.0], 0.99) == 2.0


def test_the_command_prints_factors_and_widths(capsys):
    assert run([str(QUIET[0])]) == 0
    text = capsys.readouterr().out
    assert "training step on Sapphire / Emerald Rapids: 0.9" in text
    assert f"{COVERAGE:.0%} within" in text
