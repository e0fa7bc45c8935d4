"""The runner of any framework, with an engine of NumPy."""

import numpy as np
import pytest
import worker_framework
from worker_errors import UnsupportedKernel, WrongResult
from worker_framework import Call, FrameworkRunner, conv_call, device_of


class Timed:
    def __init__(self, array):
        self.array = array

    def result(self):
        return self.array

    def run(self, loops):
        return 1e-3 * loops


class Engine:
    """Calls functions with the arrays themselves."""

    def forward(self, call, precision):
        return Timed(call.function(*call.inputs))

    def gradient(self, call, precision):
        return Timed(np.zeros_like(call.inputs[call.wrt[0]]))


class Functions:
    shift = 0.0

    def gemm(self, problem):
        a, b = problem.operands()
        return Call(lambda left, right: left @ right + self.shift, [a, b])

    def conv(self, problem):
        turn = {"to_image": np.copy, "to_filter": np.copy, "from_image": np.copy}
        return conv_call(problem, lambda *_: None, **turn, from_filter=np.copy)


KERNEL = {
    "shape": {"type": "GemmShape", "m": 6, "n": 5, "k": 7, "batch": 1,
              "transpose_a": True, "transpose_b": False},
    "direction": "forward",
    "precision": "float32",
}  # fmt: skip


def test_a_right_result_is_accepted_and_a_wrong_one_refused():
    functions = Functions()
    runner = FrameworkRunner(Engine(), functions, {"framework": "x"})
    prepared = runner.prepare(KERNEL)
    assert prepared.check()
    assert prepared.run(4) == pytest.approx(4e-3)
    prepared.close()
    functions.shift = 1.0
    with pytest.raises(WrongResult):
        runner.prepare(KERNEL).check()
    assert runner.stack() == {"framework": "x"}


def test_other_formats_are_refused():
    runner = FrameworkRunner(Engine(), Functions(), {})
    with pytest.raises(UnsupportedKernel, match="float64"):
        runner.prepare({**KERNEL, "precision": "float64"})


class Problem:
    images, filters, gradient = (np.full(1, value) for value in (1.0, 2.0, 3.0))

    def __init__(self, direction):
        self.direction = direction


def layout(name):
    return lambda array: (name, array.tolist())


@pytest.mark.parametrize(
    ("direction", "seed", "wrt", "restored"),
    [
        ("forward", None, (), "from_image"),
        ("input_gradient", ("to_image", [3.0]), (0,), "from_image"),
        ("weight_gradient", ("to_image", [3.0]), (1,), "from_filter"),
    ],
)
def test_each_direction_of_a_convolution_has_its_layouts(direction, seed, wrt, restored):
    names = ("to_image", "to_filter", "from_image", "from_filter")
    call = conv_call(Problem(direction), None, **{name: layout(name) for name in names})
    assert call.inputs == [("to_image", [1.0]), ("to_filter", [2.0])]
    assert (call.seed, call.wrt) == (seed, wrt)
    assert call.restore(np.zeros(1))[0] == restored


def test_device_ids_are_the_frameworks_own_names_after_its_name():
    assert device_of("torch:xpu:0", "torch") == "xpu:0"
    assert device_of("cpu", "torch") == "cpu"
    assert worker_framework.PRECISIONS[0] == "float32"
