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


def gradient_and_slopes(seed):
    """Return a gradient, directions and its slopes along them."""
    draw = np.random.default_rng(seed)
    gradient = draw.standard_normal((1, 8, 32))
    directions = draw.standard_normal((4, *gradient.shape))
    return gradient, directions, [float(np.sum(gradient * d)) for d in directions]


def test_a_sound_gradient_passes_however_small_its_slopes_are_by_chance():
    refused = 0
    for seed in range(400):
        gradient, directions, slopes = gradient_and_slopes(seed)
        noise = np.random.default_rng(1000 + seed).standard_normal(gradient.shape)
        rounded = gradient * (1.0 + 0.008 * noise)
        text = worker_check.compare_slopes(rounded, directions, slopes, "bfloat16")
        assert text.startswith("4 values against slopes of the loss")
        try:
            found = [float(np.sum(rounded * d)) for d in directions]
            worker_check.compare(found, slopes, "bfloat16", "x")
        except WrongResult:
            refused += 1
    assert refused > 0, "the slopes alone would have been enough"


@pytest.mark.parametrize(
    "spoil",
    [
        np.zeros_like,
        lambda gradient: -gradient,
        lambda gradient: 1.1 * gradient,
        lambda gradient: 1e6 * gradient,
        lambda gradient: gradient[:, ::-1],
        lambda gradient: np.where(np.arange(32) < 4, 0.0, gradient),
        lambda gradient: np.full_like(gradient, np.nan),
        lambda gradient: np.full_like(gradient, np.inf),
    ],
)
def test_a_wrong_gradient_is_refused(spoil):
    for seed in range(20):
        gradient, directions, slopes = gradient_and_slopes(seed)
        with np.errstate(invalid="ignore"), pytest.raises(WrongResult, match="slopes of the loss"):
            worker_check.compare_slopes(spoil(gradient), directions, slopes, "bfloat16")
