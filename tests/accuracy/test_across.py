"""What is rented is predicted from what was measured: against machines that were both recorded."""

import json

import pytest

from tests.accuracy.across import BASELINE, across_summary

_TOLERANCE = 0.1


@pytest.fixture(scope="module")
def found():
    return across_summary()


@pytest.mark.parametrize("question", ["across/inference", "across/training"])
def test_errors_stay_at_the_baseline(found, question):
    before, now = json.loads(BASELINE.read_text(encoding="utf-8"))[question], found[question]
    assert now["n"] == before["n"]
    assert now["median_factor"] - 1 <= (before["median_factor"] - 1) * (1 + _TOLERANCE)
    assert now["p90_factor"] - 1 <= (before["p90_factor"] - 1) * (1 + _TOLERANCE)
    assert now["covered"] >= 0.75
    assert now["large_unwarned"] == 0
