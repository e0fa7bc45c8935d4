"""What starting a kernel costs, told from small kernels or by what a call costs."""

import dataclasses

import pytest

from advisor.model.kernel import Cell, Direction, OperatorKind, RecurrentShape
from advisor.model.quantity import Precision
from advisor.predict.launch import Launches, forks_of, launches_of
from advisor.predict.point import KernelPoint
from tests.advisor.predict.builders import conv, gemm

CONV, FORWARD = OperatorKind.CONVOLUTION, Direction.FORWARD
WORK_S = {(1, 8): 1e-6, (32, 56): 5e-3}


def point(n, size, time_s):
    return KernelPoint(
        shape=conv(n, 16, size, 16), direction=FORWARD, precision=Precision.FLOAT32, flop=1,
        bytes_moved=1, time_s=time_s, spread=0.0,
    )  # fmt: skip


def launches(*points, call_s=400e-6):
    return Launches(
        points,
        work_s=lambda p: WORK_S[p.shape.n, p.shape.spatial[0]],
        call_s=call_s,
        dispatch_s=1e-6,
    )


def test_the_smallest_kernel_tells():
    found = launches(point(1, 8, 60e-6), point(32, 56, 6e-3))
    assert found.seconds(CONV, FORWARD) == pytest.approx(59e-6)


def test_a_large_kernel_does_not_tell():
    # Its inefficiency is no launch.
    assert launches(point(32, 56, 9e-3)).seconds(CONV, FORWARD) == launches().seconds(CONV, FORWARD)


def test_where_none_is_small_it_follows_the_call():
    assert launches(call_s=800e-6).seconds(CONV, FORWARD) == pytest.approx(
        2 * launches(call_s=400e-6).seconds(CONV, FORWARD)
    )


def test_no_launch_is_longer_than_a_measured_kernel():
    large = {(1, 8): 45e-6}
    found = Launches(
        [point(1, 8, 50e-6)],
        work_s=lambda p: large[p.shape.n, p.shape.spatial[0]],
        call_s=1e-3,
        dispatch_s=1e-6,
    )
    assert found.seconds(CONV, FORWARD) <= 50e-6


@pytest.mark.parametrize(("time_s", "ratio"), [(57e-6, 0.5), (300e-6, 1.0)])
def test_depthwise_ones_start_as_fast_as_the_others(time_s, ratio):
    # 56 of the usual 112 microseconds; slower ones tell nothing of it.
    usual = launches().seconds(OperatorKind.DEPTHWISE, FORWARD)
    found = launches(point(1, 8, time_s)).seconds(OperatorKind.DEPTHWISE, FORWARD)
    assert found == pytest.approx(ratio * usual)


def test_other_classes_and_other_starters_cost_a_dispatch():
    assert launches().seconds(OperatorKind.GEMM, FORWARD) == 1e-6
    assert launches(call_s=None).seconds(CONV, FORWARD) == 1e-6


def test_steps_of_a_recurrent_layer_are_launched_one_by_one():
    assert launches_of(gemm(8, 8, 8), direction=FORWARD) == 1
    short, long = (
        RecurrentShape(cell=Cell.LSTM, batch=1, timesteps=steps, input=8, hidden=8)
        for steps in (10, 110)
    )
    forward = [launches_of(shape, direction=FORWARD) for shape in (short, long)]
    assert forward[1] - forward[0] == 100
    assert launches_of(short, direction=Direction.BACKWARD) == 2 * forward[0]


def test_choosing_by_a_mask_and_products_for_each_gate_are_launches_besides():
    plain = RecurrentShape(cell=Cell.LSTM, batch=1, timesteps=94, input=8, hidden=8)
    masked = dataclasses.replace(plain, is_masked=True)
    split = dataclasses.replace(plain, is_split=True)
    counts = [launches_of(shape, direction=FORWARD) for shape in (plain, masked, split)]
    assert counts == [100, 115, 200]


def test_a_step_of_a_gru_is_more_launches_and_one_of_a_simple_cell_fewer():
    counts = [
        launches_of(
            RecurrentShape(cell=cell, batch=1, timesteps=94, input=8, hidden=8),
            direction=FORWARD,
        )
        for cell in (Cell.LSTM, Cell.GRU, Cell.RNN)
    ]
    assert counts == [100, 120, 70]


@pytest.mark.parametrize(
    ("batch", "values", "hidden", "products"),
    [(24, 64, 128, 0), (32, 64, 128, 1), (32, 128, 128, 2), (64, 64, 64, 0), (128, 64, 64, 2)],
)
def test_each_product_that_is_large_enough_is_shared_out_among_threads(
    batch, values, hidden, products
):
    # By the steps of LSTMs that were timed: 24 and 31 of 128 units, 64 and 96 of 64.
    layer = RecurrentShape(cell=Cell.LSTM, batch=batch, timesteps=40, input=values, hidden=hidden)
    both = dataclasses.replace(layer, is_bidirectional=True)
    assert forks_of(layer, direction=FORWARD) == 40 * products
    assert forks_of(layer, direction=Direction.BACKWARD) == 80 * products
    assert forks_of(both, direction=FORWARD) == 80 * products
