"""Operands of products."""

import numpy as np
import pytest
from worker_operands import operands

SHAPE = {"m": 4, "n": 3, "k": 5, "transpose_a": False, "transpose_b": False}


@pytest.mark.parametrize(
    ("direction", "transposed", "result"),
    [
        ("forward", {}, (4, 3)),
        ("forward", {"transpose_a": True}, (4, 3)),
        ("forward", {"transpose_b": True}, (4, 3)),
        ("input_gradient", {}, (4, 5)),
        ("weight_gradient", {}, (5, 3)),
    ],
)
def test_the_operands_of_each_direction_can_be_multiplied(direction, transposed, result):
    (a_shape, is_a), (b_shape, is_b) = operands({**SHAPE, **transposed}, direction)
    a, b = np.zeros(a_shape), np.zeros(b_shape)
    assert ((a.T if is_a else a) @ (b.T if is_b else b)).shape == result
    assert (is_a, is_b) == (
        transposed.get("transpose_a", direction == "weight_gradient"),
        transposed.get("transpose_b", direction == "input_gradient"),
    )
