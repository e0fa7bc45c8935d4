"""What element-wise functions cost in a framework."""

import pytest

from advisor.model.kernel import Direction, ElementwiseShape
from advisor.model.quantity import Precision
from advisor.predict.efficiency import EfficiencyModel, Roofline
from advisor.predict.functions import cost_over_relu, is_costly
from advisor.predict.point import KernelPoint
from tests.advisor.predict.builders import gemm

ROOF = Roofline(flop_per_s=1e11, byte_per_s=2e10, dispatch_s=1e-6)


def function(op, elements=1_000_000):
    return ElementwiseShape(op=op, elements=elements)


def test_one_pass_is_one_and_names_are_those_of_any_source():
    for direction in (Direction.FORWARD, Direction.BACKWARD):
        assert cost_over_relu(function("relu"), direction=direction) == 1.0
        assert cost_over_relu(gemm(8, 8, 8), direction=direction) == 1.0
        ours = cost_over_relu(function("silu"), direction=direction)
        assert cost_over_relu(function("swish"), direction=direction) == ours > 2.0


def test_what_relu_tells_nothing_of_is_costly():
    assert is_costly(function("gelu"))
    assert is_costly(function("transpose"))
    assert not is_costly(function("tanh"))
    assert not is_costly(gemm(8, 8, 8))


def test_names_that_no_framework_times_are_not_asked_for():
    assert cost_over_relu(function("hardswish"), direction=Direction.FORWARD) > 2.0
    assert not is_costly(function("hardswish"))
    assert is_costly(function("hard_swish"))


def relu_only(call_s):
    point = KernelPoint(
        shape=function("relu"), direction=Direction.FORWARD, precision=Precision.FLOAT32,
        time_s=5e-4, spread=0.01, flop=1e6, bytes_moved=8e6,
    )  # fmt: skip
    return EfficiencyModel([point], rooflines={Precision.FLOAT32: ROOF}, call_s=call_s)


def seconds(model, op):
    shape = function(op)
    return model.time(shape, direction=Direction.FORWARD, precision=Precision.FLOAT32).time_s


def test_a_framework_pays_each_pass_and_a_kernel_of_our_own_does_not():
    framework, own = relu_only(4e-4), relu_only(None)
    gelu_share = cost_over_relu(function("gelu"), direction=Direction.FORWARD)
    assert seconds(framework, "gelu") == pytest.approx(gelu_share * 5e-4, rel=0.05)
    assert seconds(own, "gelu") == pytest.approx(5e-4, rel=0.05)
