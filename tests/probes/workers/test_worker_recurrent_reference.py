"""The reference of the recurrent cells, against scalars worked out by hand."""

import math

import numpy as np
import pytest
from worker_recurrent_reference import run_cell


def sigmoid(x):
    return 1.0 / (1.0 + math.exp(-x))


def test_one_neuron_of_each_cell_over_two_steps():
    x = np.array([[[1.0], [2.0]]])
    lstm = run_cell("lstm", x, [np.full((1, 4), 0.5), np.full((1, 4), 0.25), np.full(4, 0.1)])
    hidden = carry = 0.0
    for value, found in zip([1.0, 2.0], lstm[0, :, 0], strict=True):
        gate = 0.5 * value + 0.25 * hidden + 0.1
        carry = sigmoid(gate) * carry + sigmoid(gate) * math.tanh(gate)
        hidden = sigmoid(gate) * math.tanh(carry)
        assert found == pytest.approx(hidden)
    rnn = run_cell("rnn", x, [np.full((1, 1), 0.5), np.full((1, 1), 0.25), np.full(1, 0.1)])
    first = math.tanh(0.6)
    assert rnn[0, :, 0] == pytest.approx([first, math.tanh(1.0 + 0.25 * first + 0.1)])
    gru = run_cell("gru", x[:, :1], [np.full((1, 3), 0.5), np.ones((1, 3)), np.full((2, 3), 0.1)])
    update = sigmoid(0.7)
    candidate = math.tanh(0.6 + sigmoid(0.7) * 0.1)
    assert gru[0, 0, 0] == pytest.approx((1 - update) * candidate)


@pytest.mark.parametrize(("cell", "gates"), [("lstm", 4), ("gru", 3), ("rnn", 1)])
def test_samples_do_not_touch_each_other(cell, gates):
    random = np.random.default_rng(0)
    x = random.standard_normal((3, 4, 2))
    bias = random.standard_normal((2, 5 * gates) if cell == "gru" else 5 * gates)
    weights = [random.standard_normal((2, 5 * gates)), random.standard_normal((5, 5 * gates)), bias]
    together = run_cell(cell, x, weights)
    assert together.shape == (3, 4, 5)
    assert together[1:2] == pytest.approx(run_cell(cell, x[1:2], weights))
