"""Comparing results with references."""

import numpy as np
import pytest
import worker_check
from worker_errors import WrongResult


def test_what_is_right_is_stated():
    text = worker_check.compare([1.0, 2.0], [1.0, 2.0 + 1e-6], "float32", "the sums")
    assert text.startswith("2 values against the sums in float64, off by 4.")


@pytest.mark.parametrize(
    "found", [[0.0, 0.0], [1.0, 2.1], [1.0, float("nan")], [1.0, float("inf")], [2.0, 1.0]]
)
def test_what_is_wrong_is_refused(found):
    with pytest.raises(WrongResult, match="off by"):
        worker_check.compare(found, [1.0, 2.0], "float32", "the sums")


def test_another_number_of_values_is_refused():
    with pytest.raises(WrongResult, match="3 values, expected 2"):
        worker_check.compare(np.zeros(3), np.zeros(2), "float32", "x")


def test_zeros_are_compared_without_scale():
    worker_check.compare([0.0], [0.0], "float32", "x")
    with pytest.raises(WrongResult):
        worker_check.compare([0.1], [0.0], "float32", "x")


def test_short_formats_may_be_less_exact():
    worker_check.compare([1.01], [1.0], "bfloat16", "x")
    with pytest.raises(WrongResult):
        worker_check.compare([1.01], [1.0], "float32", "x")
    with pytest.raises(WrongResult):
        worker_check.compare([1.5], [1.0], "bfloat16", "x")


def test_float32_may_be_less_exact_where_the_library_was_told_so(monkeypatch):
    monkeypatch.setenv("ONEDNN_DEFAULT_FPMATH_MODE", "BF16")
    worker_check.compare([1.01], [1.0], "float32", "x")
    monkeypatch.setenv("ONEDNN_DEFAULT_FPMATH_MODE", "STRICT")
    with pytest.raises(WrongResult):
        worker_check.compare([1.01], [1.0], "float32", "x")
