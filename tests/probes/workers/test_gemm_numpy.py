"""Products by NumPy."""

import numpy as np
import pytest
from gemm_numpy import NumpyRunner
from worker_errors import UnsupportedKernel, WrongResult


def kernel(direction="forward", precision="float32", **shape):
    full = {"type": "GemmShape", "m": 6, "n": 5, "k": 7, "batch": 1}
    full.update({"transpose_a": False, "transpose_b": False}, **shape)
    return {"id": "x", "shape": full, "direction": direction, "precision": precision}


@pytest.mark.parametrize("direction", ["forward", "input_gradient", "weight_gradient"])
@pytest.mark.parametrize("batch", [1, 3])
def test_each_direction_is_right_and_takes_time(direction, batch):
    prepared = NumpyRunner({}).prepare(kernel(direction, batch=batch))
    assert "rows of the product" in prepared.check()
    assert prepared.run(3) > 0.0
    prepared.close()


@pytest.mark.parametrize(
    ("direction", "size"),
    [("forward", (6, 5)), ("input_gradient", (6, 7)), ("weight_gradient", (7, 5))],
)
def test_the_gradients_have_the_shape_of_what_they_are_gradients_of(direction, size):
    assert NumpyRunner({}).prepare(kernel(direction))._c.shape == size


def test_transposed_operands_are_stored_so():
    prepared = NumpyRunner({}).prepare(kernel(transpose_a=True, transpose_b=True))
    assert prepared._a.shape == (6, 7)
    assert prepared._a.base.shape == (7, 6)
    assert prepared.check()


def test_a_wrong_product_is_refused():
    prepared = NumpyRunner({}).prepare(kernel(m=64, n=64, k=64))
    prepared.run = lambda loops: prepared._c.fill(0.5) or 0.0
    with pytest.raises(WrongResult):
        prepared.check()


def test_other_kernels_and_formats_are_refused():
    with pytest.raises(UnsupportedKernel, match="matrix products"):
        NumpyRunner({}).prepare({"shape": {"type": "ConvShape"}})
    with pytest.raises(UnsupportedKernel, match="bfloat16"):
        NumpyRunner({}).prepare(kernel(precision="bfloat16"))


def test_the_stack_names_numpy_and_its_blas():
    stack = NumpyRunner({}).stack()
    assert stack["framework"] == "numpy"
    assert stack["framework_version"] == np.__version__
    assert stack["backend"]
