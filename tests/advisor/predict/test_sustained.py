"""Burst and what lasts."""

import dataclasses
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.model.kernel import Direction, GemmShape
from advisor.model.measurement import (
    BenchmarkRequest,
    Measurement,
    Runner,
    SoftwareStack,
    StabilityWarning,
)
from advisor.model.quantity import Precision
from advisor.predict.sustained import Steadiness, burst_and_sustained

REQUEST = BenchmarkRequest(
    id="a",
    role="sustained",
    runner=Runner.KERAS,
    device_id="cpu",
    shape=GemmShape(m=8, n=8, k=8),
    direction=Direction.FORWARD,
    precision=Precision.FLOAT32,
)
STACK = SoftwareStack(framework="x", framework_version=None, backend=None, backend_version=None)


def run(values_s, *, loops=10, role="sustained"):
    return Measurement(
        request=dataclasses.replace(REQUEST, role=role),
        stack=STACK,
        warmups_s=(),
        values_s=tuple(values_s),
        loops=loops,
        check="",
    )


def summary(values_s, **more):
    warnings = more.pop("warnings", ())
    (found,) = burst_and_sustained([run(values_s, **more)], warnings=warnings)
    return found


def test_a_steady_device():
    found = summary([0.05] * 600)  # values of half a second, five minutes
    assert found.verdict is Steadiness.STEADY
    assert found.duration_s == pytest.approx(300.0)
    assert (found.burst_window_s, found.lasting_window_s) == (10.0, 60.0)
    assert found.lasting_share == pytest.approx(1.0)
    assert found.dropped_at_s is None


def test_a_throttled_device_and_when_it_dropped():
    found = summary([0.05] * 100 + [0.10] * 300)  # 50 s fast, then 300 s at half the rate
    assert found.verdict is Steadiness.THROTTLED
    assert found.lasting_share == pytest.approx(0.5)
    assert found.dropped_at_s == pytest.approx(50.0, abs=10.0)


def test_a_device_that_recovers_for_a_moment_has_dropped_all_the_same():
    found = summary([0.05] * 100 + [0.10] * 150 + [0.05] * 10 + [0.10] * 150)
    assert found.verdict is Steadiness.THROTTLED
    assert found.dropped_at_s < 70.0


def test_a_loss_within_the_limit_is_none():
    assert summary([0.05] * 300 + [0.054] * 300).verdict is Steadiness.STEADY


def test_a_device_that_becomes_faster_is_steady():
    found = summary([0.06] * 300 + [0.05] * 300)
    assert found.verdict is Steadiness.STEADY
    assert found.lasting_share > 1.0


def test_scattered_values_tell_nothing():
    assert summary([0.05, 0.08] * 300).verdict is Steadiness.UNSTEADY
    # A loss that is no larger than the scatter is none either.
    assert summary([0.04, 0.06] * 150 + [0.05, 0.07] * 150).verdict is Steadiness.UNSTEADY


@pytest.mark.parametrize("warning", [StabilityWarning.BUSY, StabilityWarning.STEAL])
def test_others_on_the_machine_are_not_blamed_on_it(warning):
    slow = [0.05] * 100 + [0.10] * 300
    assert summary(slow, warnings=[warning]).verdict is Steadiness.DISTURBED
    assert summary(slow, warnings=[StabilityWarning.GOVERNOR]).verdict is Steadiness.THROTTLED
    assert summary([0.05] * 600, warnings=[warning]).verdict is Steadiness.STEADY


@pytest.mark.parametrize("values", [[0.05] * 20, [60.0], [3.0] * 8])
def test_a_short_run_says_that_it_is_short(values):
    assert summary(values).verdict is Steadiness.TOO_SHORT


def test_only_runs_of_minutes_are_summed_up():
    assert burst_and_sustained([run([0.05], role="headline")]) == ()


@given(st.lists(st.floats(1e-6, 10.0), min_size=1, max_size=200), st.integers(1, 50))
def test_the_curve_covers_the_run_and_lies_within_its_values(values, loops):
    found = summary(values, loops=loops)
    points = found.curve
    assert 1 <= len(points) <= 12
    assert points[-1].to_s == pytest.approx(found.duration_s)
    assert all(a.to_s <= b.from_s + 1e-9 for a, b in itertools.pairwise(points))
    assert all(min(values) <= point.value_s <= max(values) for point in points)
    assert min(values) <= found.burst_s <= max(values)
    assert min(values) <= found.lasting_s <= max(values)


@given(st.integers(1, 20))
def test_the_unit_of_a_loop_does_not_matter(factor):
    one = summary([0.05] * 100 + [0.10] * 300, loops=10)
    other = summary([0.05 / factor] * 100 + [0.10 / factor] * 300, loops=10 * factor)
    assert other.verdict is one.verdict
    assert other.duration_s == pytest.approx(one.duration_s)
