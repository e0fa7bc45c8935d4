"""Points from measurements: what counts as one kernel, and what it takes."""

import dataclasses

import pytest

from advisor.model.kernel import Cell, Direction, RecurrentShape
from advisor.predict.point import kernel_points
from tests.advisor.predict.builders import gemm, measure

LAYER = RecurrentShape(cell=Cell.LSTM, batch=1, timesteps=2, input=8, hidden=8)


def test_a_kernel_takes_the_median_of_its_values():
    values = tuple(float(x) for x in range(1, 12))
    plain = measure(gemm(8, 8, 8), values)
    (point,) = kernel_points([plain])
    assert point.time_s == 6.0
    (point,) = kernel_points([dataclasses.replace(plain, is_difference=True)])
    assert point.time_s == 6.0


def test_looks_at_the_reference_and_both_directions_together_are_no_points():
    looks = measure(gemm(512, 512, 512), (1e-3,) * 30, role="reference")
    whole = measure(LAYER, 1e-3, direction=Direction.BOTH)
    (point,) = kernel_points([looks, whole, measure(gemm(512, 512, 512), 2e-3)])
    assert point.time_s == 2e-3


def test_repeated_measurements_are_pooled():
    shape = gemm(64, 64, 64)
    (point,) = kernel_points(
        [measure(shape, (2e-3, 3e-3)), measure(shape, (1e-3, 4e-3), role="replay")]
    )
    assert point.time_s == 2.5e-3
    assert point.spread == pytest.approx(1.0 / 2.5)


def test_both_directions_without_the_forward_part_are_the_backward_one():
    whole = measure(LAYER, (5e-3, 6e-3, 7e-3), direction=Direction.BOTH)
    forward = measure(LAYER, (2e-3, 2e-3, 2e-3))
    points = {p.direction: p for p in kernel_points([whole, forward])}
    assert set(points) == {Direction.FORWARD, Direction.BACKWARD}
    assert points[Direction.BACKWARD].time_s == pytest.approx(4e-3)
    assert points[Direction.BACKWARD].spread == pytest.approx(1.0 / 4.0)


def test_a_backward_part_that_was_timed_is_not_told_from_both():
    whole = measure(LAYER, 6e-3, direction=Direction.BOTH)
    timed = [measure(LAYER, 2e-3), measure(LAYER, 3e-3, direction=Direction.BACKWARD)]
    assert [p.time_s for p in kernel_points([whole, *timed])] == [2e-3, 3e-3]


def test_both_directions_that_take_no_longer_than_one_tell_nothing():
    whole = measure(LAYER, 2e-3, direction=Direction.BOTH)
    assert len(kernel_points([whole, measure(LAYER, 2e-3)])) == 1
