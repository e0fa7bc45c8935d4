"""Values that element-wise functions are timed on, and shapes that stand for a count of values."""

import math

import numpy as np
import pytest
import worker_keras_layers

_LANES = 16


def test_gelu_meets_values_on_both_sides_of_one_in_every_layer_of_its_stack():
    # The error function takes another way for each side, and vectors that have both take both.
    values = np.random.default_rng(1).uniform(*worker_keras_layers._VALUES["gelu"], 8000)
    for _ in range(16):
        sides = (np.abs(values) > math.sqrt(2.0)).reshape(-1, _LANES)
        assert np.mean(sides.any(axis=1) & ~sides.all(axis=1)) > 0.9
        values = worker_keras_layers._gelu(values)


@pytest.mark.parametrize("elements", [1, 512, 2000, 32_768, 184_320, 786_432, 1_000_003])
def test_a_transpose_of_any_count_moves_values_of_heads(elements):
    batch, places, heads, of_head = worker_keras_layers._of_heads(elements)
    assert min(batch, places - 1, heads - 1, of_head - 1) >= 1
    assert batch * places * heads * of_head == pytest.approx(elements, rel=0.02, abs=512)
