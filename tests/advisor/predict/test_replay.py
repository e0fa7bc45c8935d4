"""Which shapes of a network are timed by themselves."""

from advisor.model.kernel import Direction, ElementwiseShape
from advisor.predict.replay import replay_kernels
from advisor.predict.work import flop
from tests.advisor.predict.builders import conv, gemm, operator, small_cnn, workload


def test_heavy_shapes_longest_first():
    calls = replay_kernels(small_cnn(256), limit_s=60.0)
    work = [flop(call.shape, direction=call.direction) * call.count for call in calls]
    assert work[0] == max(work)
    assert not any(isinstance(call.shape, ElementwiseShape) for call in calls)


def test_equal_shapes_are_timed_once_and_counted():
    shape = conv(32, 64, 32, 64)
    twice = [operator(shape, parameters=1), operator(shape, parameters=1, inputs=(0,))]
    calls = replay_kernels(workload(*twice), limit_s=60.0)
    assert {(call.direction, call.count) for call in calls} == {
        (Direction.FORWARD, 2), (Direction.INPUT_GRADIENT, 2), (Direction.WEIGHT_GRADIENT, 2),
    }  # fmt: skip


def test_limit_is_kept():
    work = small_cnn(256)
    assert replay_kernels(work, limit_s=0.0) == ()
    some, all_of_them = replay_kernels(work, limit_s=2.0), replay_kernels(work, limit_s=100.0)
    assert 0 < len(some) < len(all_of_them)


def test_light_shapes_are_left_out():
    heavy, light = operator(conv(256, 64, 56, 64), parameters=1), operator(gemm(8, 8, 8))
    shapes = {call.shape for call in replay_kernels(workload(heavy, light), limit_s=600.0)}
    assert shapes == {heavy.shape}


def test_network_without_products_has_nothing_to_replay():
    work = workload(operator(ElementwiseShape(op="relu", elements=10)))
    assert replay_kernels(work, limit_s=60.0) == ()


def test_functions_of_several_passes_are_timed_and_plain_ones_are_not():
    work = workload(
        operator(ElementwiseShape(op="gelu", elements=10_000)),
        operator(ElementwiseShape(op="relu", elements=10_000_000), inputs=(0,)),
    )
    calls = replay_kernels(work, limit_s=60.0)
    assert {call.shape.op for call in calls} == {"gelu"}
    assert calls[0].direction is Direction.BACKWARD  # a dozen operators
