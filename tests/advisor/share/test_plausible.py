"""Figures above the roofline of their device are found, those below it are not."""

import dataclasses

import pytest

from advisor.model.quantity import Basis, Phase, Precision
from advisor.share.plausible import bounds_of, find_implausible
from advisor.share.upload import SharedStep
from tests.advisor.share.builders import upload, with_device, with_figure


@pytest.fixture(scope="session")
def bounds(knowledge):
    return bounds_of(knowledge)


def test_what_was_measured_is_possible(knowledge, bounds):
    assert list(find_implausible(upload(knowledge), bounds=bounds)) == []


def test_a_rate_above_the_data_sheet_is_told_with_the_bound(knowledge, bounds):
    # Ryzen 5 5600G: 6 cores x 4.4 GHz x 32 = 845 Gflop/s.
    made = with_figure(upload(knowledge), value=1.4e12)
    (fault,) = find_implausible(made, bounds=bounds)
    assert fault == "figures[0]: 1.4e+12 flop/s is above the bound 1.27e+12"


def test_two_processors_may_do_twice_as_much(knowledge, bounds):
    made = with_device(with_figure(upload(knowledge), value=1.4e12), n_packages=2)
    assert list(find_implausible(made, bounds=bounds)) == []


def test_a_convolution_may_save_multiplications(knowledge, bounds):
    kernel = "conv w28 h28 c128 n8 k128 s3 r3 pad1x1 str1x1"
    made = with_figure(upload(knowledge), value=1.4e12, kernel=kernel)
    assert list(find_implausible(made, bounds=bounds)) == []


def test_short_formats_have_their_own_bound(knowledge, bounds):
    made = with_figure(upload(knowledge), value=1.4e12, precision=Precision.BFLOAT16)
    assert list(find_implausible(made, bounds=bounds)) == []
    made = with_figure(upload(knowledge), value=1e15, precision=Precision.BFLOAT16)
    assert len(list(find_implausible(made, bounds=bounds))) == 1


@pytest.mark.parametrize("value", [1.0, 1e18])
def test_an_unlisted_device_has_the_bounds_of_its_kind(knowledge, bounds, value):
    made = with_device(upload(knowledge), name="unlisted CPU, AMD")
    assert list(find_implausible(made, bounds=bounds)) == []
    assert len(list(find_implausible(with_figure(made, value=value), bounds=bounds))) == 1


def test_no_memory_is_that_fast(knowledge, bounds):
    made = upload(knowledge)
    stream = dataclasses.replace(made.figures[1], value=5e13)
    made = dataclasses.replace(made, figures=(stream,))
    assert len(list(find_implausible(made, bounds=bounds))) == 1


@pytest.mark.parametrize(("value", "n"), [(4e13, 0), (1e15, 1)])
def test_local_memory_is_faster_than_any_other(knowledge, bounds, value, n):
    made = with_figure(upload(knowledge), kernel="stream local", unit="B/s", value=value)
    assert len(list(find_implausible(made, bounds=bounds))) == n


@pytest.mark.parametrize(("measured", "n"), [(None, 0), (2.0, 0), (5000.0, 1), (1e-4, 1)])
def test_a_measured_step_lies_near_its_prediction(knowledge, bounds, measured, n):
    step = SharedStep(
        network="resnet-50", phase=Phase.TRAINING, precision=Precision.FLOAT32, batch_size=32,
        low_s=0.5, mid_s=1.0, high_s=2.0, basis=Basis.MODEL_ONLY, measured_s=measured,
    )  # fmt: skip
    made = dataclasses.replace(upload(knowledge), steps=(step,))
    assert len(list(find_implausible(made, bounds=bounds))) == n
    slow = dataclasses.replace(step, mid_s=2e5, high_s=2e5, measured_s=None)
    made = dataclasses.replace(made, steps=(slow,))
    assert len(list(find_implausible(made, bounds=bounds))) == 1
