"""Interpolation of kernels: exact points, bounds, relatives and defaults."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.model.kernel import (
    Cell,
    Direction,
    ElementwiseShape,
    EmbeddingShape,
    NormShape,
    OperatorKind,
    OptimizerShape,
    OverheadShape,
    PoolShape,
    RecurrentShape,
    SoftmaxShape,
    UnknownShape,
)
from advisor.model.quantity import Precision
from advisor.predict.efficiency import (
    BEST_RATE_MARGIN,
    EfficiencyModel,
    Roofline,
    features,
)
from advisor.predict.launch import launches_of
from advisor.predict.point import KernelPoint
from advisor.predict.untimed import DEFAULT_FACTOR
from advisor.predict.work import bytes_moved, flop
from tests.advisor.predict.builders import conv, gemm

F32 = Precision.FLOAT32
ROOF = Roofline(flop_per_s=100e9, byte_per_s=20e9, dispatch_s=5e-6)


def roof_s(shape, *, direction):
    """Return the least time of one execution, with its launches."""
    launches_s = launches_of(shape, direction=direction) * ROOF.dispatch_s
    return ROOF.work_s(shape, direction=direction, precision=F32) + launches_s


def point(shape, time_s, *, direction=Direction.FORWARD, precision=F32, spread=0.01):
    return KernelPoint(
        shape=shape, direction=direction, precision=precision,
        flop=flop(shape, direction=direction),
        bytes_moved=bytes_moved(shape, direction=direction, precision=precision),
        time_s=time_s, spread=spread,
    )  # fmt: skip


def model(*points, rooflines=None):
    return EfficiencyModel(points, rooflines=rooflines or {F32: ROOF})


def ask(found, shape, *, direction=Direction.FORWARD, precision=F32):
    return found.time(shape, direction=direction, precision=precision)


def test_measured_shape_is_the_measurement():
    shape = gemm(128, 128, 128)
    time = ask(model(point(shape, 1e-3), point(gemm(64, 64, 64), 9e-4)), shape)
    assert (time.time_s, time.is_exact, time.log_sd) == (1e-3, True, 0.01)


def test_remoteness_tells_how_far_the_nearest_point_is():
    found = model(point(gemm(128, 128, 128), 1e-3))
    asked = (gemm(128, 128, 128), gemm(128, 128, 140), gemm(4096, 4, 9000), conv(1, 8, 8, 8))
    same, near, far, other = (ask(found, shape).remoteness for shape in asked)
    assert same == 0.0 < near < 0.1 < 0.9 < far < other == 1.0


def test_of_two_points_of_one_shape_the_faster_counts():
    shape = gemm(128, 128, 128)
    assert ask(model(point(shape, 2e-3), point(shape, 1e-3)), shape).time_s == 1e-3


def test_constant_efficiency_is_carried_over():
    points = [
        point(gemm(s, s, s), 2 * roof_s(gemm(s, s, s), direction=Direction.FORWARD))
        for s in (64, 256, 1024)
    ]  # fmt: skip
    wanted = gemm(300, 500, 400)
    expected = 2 * roof_s(wanted, direction=Direction.FORWARD)
    found = ask(model(*points), wanted)
    assert found.time_s == pytest.approx(expected)
    assert found.log_sd < 0.3
    assert not found.is_exact
    assert not found.is_default


def test_near_points_decide():
    slow = point(gemm(8, 8, 4096), 1e-3)
    fast = point(gemm(2048, 2048, 2048), 0.18)
    near_slow = ask(model(slow, fast), gemm(9, 9, 4000)).time_s
    roof = roof_s(gemm(9, 9, 4000), direction=Direction.FORWARD)
    assert near_slow > 20 * roof


def test_never_better_than_the_best_rate():
    # Points that claim to be far above the peak.
    found = ask(model(point(gemm(512, 512, 512), 1e-6)), gemm(600, 600, 600))
    least = BEST_RATE_MARGIN * 2 * 600**3 / ROOF.flop_per_s
    assert found.time_s >= least


def test_smaller_measured_kernel_is_a_lower_bound_and_larger_an_upper():
    small, large = point(gemm(100, 100, 100), 5e-3), point(gemm(1000, 1000, 1000), 6e-3)
    rooflines = {F32: Roofline(flop_per_s=1e15, byte_per_s=1e13, dispatch_s=1e-9)}
    between = ask(model(small, large, rooflines=rooflines), gemm(300, 300, 300)).time_s
    assert 5e-3 <= between <= 6e-3


def test_other_direction_stands_in_with_more_doubt():
    forward = point(conv(8, 16, 16, 32), 1e-3)
    only_forward = model(forward)
    shape = conv(8, 16, 16, 40)
    back = ask(only_forward, shape, direction=Direction.WEIGHT_GRADIENT)
    own = ask(only_forward, shape)
    assert back.time_s == pytest.approx(own.time_s, rel=0.3)
    assert back.log_sd > own.log_sd
    assert not back.is_default


def test_float32_stands_in_for_a_precision_that_was_not_timed():
    rooflines = {
        F32: ROOF,
        Precision.BFLOAT16: Roofline(flop_per_s=200e9, byte_per_s=20e9, dispatch_s=5e-6),
    }
    size = 1024
    shape = gemm(size, size, size)
    found = model(point(shape, 0.03), rooflines=rooflines)
    single = ask(found, shape).time_s
    half = ask(found, shape, precision=Precision.BFLOAT16).time_s
    assert half == pytest.approx(single / 2, rel=0.05)


def test_a_format_without_units_gains_nothing():
    shape = ElementwiseShape(op="relu", elements=1_000_000)
    found = EfficiencyModel([], rooflines={F32: ROOF})
    single, half = ask(found, shape), ask(found, shape, precision=Precision.BFLOAT16)
    assert half.time_s == single.time_s
    assert half.log_sd > single.log_sd


def test_a_framework_promises_nothing_of_a_short_format_that_was_not_timed():
    rooflines = {
        F32: ROOF,
        Precision.BFLOAT16: Roofline(flop_per_s=200e9, byte_per_s=20e9, dispatch_s=5e-6),
    }
    shape = ElementwiseShape(op="relu", elements=1_000_000)
    found = EfficiencyModel([point(shape, 5e-4)], rooflines=rooflines, call_s=4e-4)
    single, half = ask(found, shape), ask(found, shape, precision=Precision.BFLOAT16)
    assert half.time_s == single.time_s
    assert half.log_sd > single.log_sd
    assert single.is_exact
    assert not half.is_exact


def test_class_without_points_has_a_usual_factor():
    found = ask(model(), gemm(512, 512, 512))
    roof = roof_s(gemm(512, 512, 512), direction=Direction.FORWARD)
    assert found.is_default
    assert found.time_s == pytest.approx(DEFAULT_FACTOR[OperatorKind.GEMM] * roof)


def test_weights_of_a_recurrent_layer_are_moved_at_each_step_and_backward_their_gradient():
    # 4 gates x 256 x 512 weights of 4 bytes: 2 MiB a step, 0.1 ms at 20 GB/s.
    shape = RecurrentShape(cell=Cell.LSTM, batch=1, timesteps=10, input=256, hidden=256)
    forward, backward = (
        ROOF.work_s(shape, direction=direction, precision=F32)
        - flop(shape, direction=direction) / ROOF.flop_per_s
        for direction in (Direction.FORWARD, Direction.BACKWARD)
    )
    step_s = (2 << 20) / ROOF.byte_per_s
    assert forward == pytest.approx(10 * step_s, rel=0.05)
    assert backward == pytest.approx(50 * step_s, rel=0.05)


def test_steps_of_two_directions_are_started_as_their_work_is_done():
    roof = dataclasses.replace(ROOF, both_ways=1.4)
    one = RecurrentShape(cell=Cell.LSTM, batch=1, timesteps=100, input=1, hidden=1)
    both = dataclasses.replace(one, is_bidirectional=True)
    times = [ask(model(rooflines={F32: roof}), shape).time_s for shape in (one, both)]
    assert times[1] == pytest.approx(1.4 * times[0])


def test_timesteps_are_dispatched_one_by_one():
    shape = RecurrentShape(cell=Cell.LSTM, batch=1, timesteps=100, input=1, hidden=1)
    forward = roof_s(shape, direction=Direction.FORWARD)
    assert forward > 100 * ROOF.dispatch_s
    backward = roof_s(shape, direction=Direction.BACKWARD)
    assert backward == pytest.approx(2 * forward, rel=0.01)


def test_cells_are_told_apart():
    lstm = RecurrentShape(cell=Cell.LSTM, batch=8, timesteps=50, input=64, hidden=64)
    gru = RecurrentShape(cell=Cell.GRU, batch=8, timesteps=50, input=64, hidden=64)
    found = model(point(lstm, 5e-3), point(gru, 20e-3))
    wanted = RecurrentShape(cell=Cell.GRU, batch=8, timesteps=60, input=64, hidden=64)
    roof = roof_s(gru, direction=Direction.FORWARD)
    wide = roof_s(wanted, direction=Direction.FORWARD)
    assert ask(found, wanted).time_s / wide > 0.6 * 20e-3 / roof


@pytest.mark.parametrize(
    "shape",
    [
        NormShape(kind="batch", elements=10, channels=2),
        PoolShape(mode="max", n=1, c=2, spatial=(4,), kernel=(2,), strides=(2,), output=(2,)),
        ElementwiseShape(op="relu", elements=10),
        SoftmaxShape(rows=2, columns=3),
        EmbeddingShape(indices=1, dim=2, vocabulary=3),
        OptimizerShape(optimizer="sgd", parameters=0, variables=0),
        UnknownShape(layer_type="Odd", elements=0),
        conv(1, 4, 4, 8, groups=4),
    ],
)
def test_features_of_each_shape_can_be_logged(shape):
    _category, sizes = features(shape)
    assert all(size >= 1 for size in sizes)


def test_convolutions_in_groups_have_a_class_of_their_own_which_a_framework_runs_slowly():
    depthwise = conv(1, 64, 28, 64, groups=64)
    grouped = dataclasses.replace(depthwise, as_groups=True)
    framework = EfficiencyModel(
        [point(depthwise, 1e-4)], rooflines={F32: ROOF}, call_s=1e-4, compiles_groups=True
    )
    times = [
        ask(framework, grouped, direction=direction)
        for direction in (Direction.FORWARD, Direction.WEIGHT_GRADIENT)
    ]
    assert all(time.is_default and time.log_sd >= 0.4 for time in times)
    assert min(time.time_s for time in times) > 10.0 * ask(framework, depthwise).time_s
    wide = dataclasses.replace(grouped, groups=2)
    assert ask(framework, wide).time_s < times[0].time_s < 100.0 * ask(framework, wide).time_s
    device = model(point(depthwise, 1e-4))
    assert ask(device, grouped).time_s < times[0].time_s


def test_fixed_costs_have_no_features():
    with pytest.raises(TypeError, match="OverheadShape"):
        features(OverheadShape(kind="dispatch"))


sizes = st.integers(min_value=1, max_value=4096)


@given(m=sizes, n=sizes, k=sizes, order=st.randoms())
def test_order_of_points_does_not_matter(m, n, k, order):
    points = [point(gemm(s, s, 2 * s), 1e-4 * s) for s in (16, 64, 100, 500)]
    shuffled = list(points)
    order.shuffle(shuffled)
    wanted = gemm(m, n, k)
    assert ask(model(*points), wanted) == ask(model(*shuffled), wanted)


@given(m=sizes, n=sizes, k=sizes)
def test_factor_stays_within_what_was_seen(m, n, k):
    points = [point(gemm(s, s, s), 3e-6 * s) for s in (16, 64, 512)]
    wanted = gemm(m, n, k)
    found = ask(model(*points), wanted)
    roof = roof_s(wanted, direction=Direction.FORWARD)
    seen = [p.time_s / roof_s(p.shape, direction=p.direction) for p in points]
    least = BEST_RATE_MARGIN * 2 * m * n * k / ROOF.flop_per_s
    low = min(min(seen) * roof, *(p.time_s for p in points))
    high = max(max(seen) * roof, least, *(p.time_s for p in points))
    assert low * 0.999 <= found.time_s <= high * 1.001


def test_another_function_tells_next_to_nothing():
    # GELU takes ten times as long as ReLU at the same size.
    def shape(op, elements):
        return ElementwiseShape(op=op, elements=elements)

    known = [point(shape("relu", n), 1e-9 * n) for n in (1 << 17, 1 << 18, 1 << 20)]
    found = model(*known, point(shape("gelu", 1 << 18), 1e-8 * (1 << 18)))
    wanted = 1 << 19
    assert ask(found, shape("gelu", wanted)).time_s == pytest.approx(1e-8 * wanted, rel=0.35)


def test_two_directions_that_share_threads_take_less_than_twice():
    def work_s(both_ways, *, is_bidirectional):
        roof = Roofline(flop_per_s=1e11, byte_per_s=2e10, dispatch_s=0.0, both_ways=both_ways)
        shape = RecurrentShape(
            cell=Cell.LSTM, batch=8, timesteps=10, input=16, hidden=16,
            is_bidirectional=is_bidirectional,
        )  # fmt: skip
        return roof.work_s(shape, direction=Direction.FORWARD, precision=F32)

    one = work_s(2.0, is_bidirectional=False)
    assert work_s(2.0, is_bidirectional=True) == pytest.approx(2 * one)
    assert work_s(1.4, is_bidirectional=True) == pytest.approx(1.4 * one)


def test_a_launch_is_told_by_the_smallest_convolution_and_carried_over():
    tiny, small = conv(1, 8, 4, 8), conv(2, 16, 16, 16)
    found = EfficiencyModel([point(tiny, 90e-6)], rooflines={F32: ROOF}, call_s=400e-6)
    without = EfficiencyModel([point(tiny, 90e-6)], rooflines={F32: ROOF})
    assert ask(found, small).time_s == pytest.approx(90e-6, rel=0.4)
    # Nobody starts it from Python: the interpolation has only the factor of one point.
    assert ask(without, small).time_s > 2 * ask(found, small).time_s


def test_a_layer_with_dropout_takes_the_time_of_the_one_without_until_it_is_timed():
    plain = RecurrentShape(cell=Cell.LSTM, batch=8, timesteps=50, input=64, hidden=64)
    dropping = dataclasses.replace(plain, drops_inputs=True, drops_states=True)
    known = ask(model(point(plain, 5e-3)), dropping)
    assert known.time_s == 5e-3
    assert known.log_sd > ask(model(point(plain, 5e-3)), plain).log_sd
    both = ask(model(point(plain, 5e-3), point(dropping, 6e-3)), dropping)
    assert (both.time_s, both.log_sd) == (6e-3, 0.01)
