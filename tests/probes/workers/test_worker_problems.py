"""Operands for any framework, and the checks of what it makes of them."""

import numpy as np
import pytest
import worker_problems
from worker_errors import UnsupportedKernel, WrongResult

GEMM = {"type": "GemmShape", "m": 6, "n": 5, "k": 7, "batch": 1,
        "transpose_a": False, "transpose_b": False}  # fmt: skip
CONV = {"type": "ConvShape", "n": 2, "c": 3, "spatial": [6, 6], "k": 4, "kernel": [3, 3],
        "strides": [1, 1], "output": [6, 6], "dilation": [1, 1], "groups": 1,
        "is_transposed": False}  # fmt: skip
LSTM = {"type": "RecurrentShape", "cell": "lstm", "batch": 3, "timesteps": 4, "input": 5,
        "hidden": 6, "is_bidirectional": False, "return_sequences": False, "is_masked": False,
        "is_split": False}  # fmt: skip


def problem(shape, direction="forward", precision="float32", **more):
    kernel = {"shape": {**shape, **more}, "direction": direction, "precision": precision}
    return worker_problems.problem_of(kernel, ("float32", "bfloat16", "float16"))


@pytest.mark.parametrize("precision", ["bfloat16", "float16"])
def test_rounded_values_are_near_and_stay_where_they_are(precision):
    values = np.random.default_rng(2).standard_normal(1000, dtype=np.float32)
    rounded = worker_problems.round_to(values, precision)
    assert rounded.dtype == np.float32
    assert 0 < np.abs(rounded - values).max() < 0.02
    assert np.array_equal(worker_problems.round_to(rounded, precision), rounded)


def test_bfloat16_rounds_to_the_nearest_and_ties_to_even():
    exact = np.array([1.0, 1.0 + 2**-8, 1.0 + 3 * 2**-8, 1.0 + 2**-7], dtype=np.float32)
    expected = [1.0, 1.0, 1.0 + 2**-6, 1.0 + 2**-7]
    assert worker_problems.round_to(exact, "bfloat16").tolist() == expected


@pytest.mark.parametrize("direction", ["forward", "input_gradient", "weight_gradient"])
@pytest.mark.parametrize("batch", [1, 3])
def test_the_right_product_is_accepted_and_a_wrong_one_refused(direction, batch):
    found = problem(GEMM, direction, batch=batch)
    a, b = found.operands()
    assert "rows of the product" in found.check(a @ b)
    with pytest.raises(WrongResult):
        found.check(a @ b + 0.1)


def test_the_last_state_of_an_lstm_is_checked():
    found = problem(LSTM)
    import worker_recurrent_reference as reference

    right = reference.run_cell("lstm", found.inputs, found.weights)[:, -1]
    assert found.check(right)
    with pytest.raises(WrongResult):
        found.check(right[:, ::-1])


@pytest.mark.parametrize(
    ("shape", "direction", "more", "words"),
    [
        ({"type": "PeakShape"}, "forward", {}, "PeakShape"),
        (CONV, "forward", {"groups": 3}, "groups"),
        (CONV, "forward", {"is_transposed": True}, "images"),
        (CONV, "backward", {}, "direction"),
        (LSTM, "update", {}, "direction"),
        (LSTM, "forward", {"cell": "gru"}, "LSTM"),
        (LSTM, "forward", {"is_bidirectional": True}, "LSTM"),
    ],
)
def test_what_is_not_timed_is_refused_with_the_reason(shape, direction, more, words):
    with pytest.raises(UnsupportedKernel, match=words):
        problem(shape, direction, **more)


def test_a_format_that_a_framework_is_not_timed_in_is_refused():
    kernel = {"shape": GEMM, "direction": "forward", "precision": "int8"}
    with pytest.raises(UnsupportedKernel, match="int8"):
        worker_problems.problem_of(kernel, ("float32",))


@pytest.mark.parametrize("direction", ["forward", "input_gradient", "weight_gradient"])
def test_a_convolution_of_a_wrong_size_or_value_is_refused(direction):
    found = problem(CONV, direction)
    shape = {
        "forward": found.gradient.shape,
        "input_gradient": found.images.shape,
        "weight_gradient": found.filters.shape,
    }[direction]
    with pytest.raises(WrongResult):
        found.check(np.zeros(shape, np.float32))
