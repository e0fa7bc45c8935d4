"""The work of convolutions in groups under TensorFlow, against times of a processor."""

import dataclasses

import pytest

from advisor.model.instructions import Library
from advisor.model.kernel import ConvShape, Direction
from advisor.model.quantity import Precision
from advisor.predict.efficiency import EfficiencyModel, Roofline
from advisor.predict.grouped import grouped_flop, is_grouped
from tests.advisor.predict.builders import conv, gemm

# Best product of the processor of the times, and a launch.
FLOP_PER_S, LAUNCH_S = 230e9, 0.15e-3
ROOF = Roofline(flop_per_s=FLOP_PER_S, byte_per_s=54e9, dispatch_s=1e-6)


def in_groups(n, c, side, k, *, kernel, groups):
    return dataclasses.replace(conv(n, c, side, k, kernel=kernel, groups=groups), as_groups=True)


# A network like ConvNeXt, whose kernels the law was not fitted to (recording zen4-unseen-1):
# batch, channels, side, ms forward, ms of the gradient to the filters.
OF_ONE_CHANNEL = [(2, 96, 16, 6.14, 7.27), (2, 768, 2, 1.80, 43.28), (8, 384, 4, 10.55, 15.47)]


@pytest.mark.parametrize(("n", "c", "side", "forward_ms", "filters_ms"), OF_ONE_CHANNEL)
def test_groups_of_one_channel_take_what_they_took(n, c, side, forward_ms, filters_ms):
    shape = in_groups(n, c, side, c, kernel=7, groups=c)
    model = EfficiencyModel(
        [],
        rooflines={Precision.FLOAT32: ROOF},
        call_s=LAUNCH_S / 0.38,
        library=Library.ONEDNN,
        compiles_groups=True,
    )
    for direction, took_ms in (
        (Direction.FORWARD, forward_ms),
        (Direction.WEIGHT_GRADIENT, filters_ms),
    ):
        told = model.time(shape, direction=direction, precision=Precision.FLOAT32)
        assert 0.75 < 1e3 * told.time_s / took_ms < 1.35, direction


# One function that was compiled by itself: two cores of the same processor, ms.
OF_SEVERAL = [(64, 64, 8, 28, 3, 5.0, 296.0), (128, 128, 2, 14, 3, 2.0, 40.0)]


@pytest.mark.parametrize(
    ("c", "k", "groups", "side", "kernel", "forward_ms", "both_ms"), OF_SEVERAL
)
def test_filters_of_several_channels_cost_as_if_there_were_no_groups(
    c, k, groups, side, kernel, forward_ms, both_ms
):
    shape = in_groups(8, c, side, k, kernel=kernel, groups=groups)
    forward_s = LAUNCH_S + grouped_flop(shape, direction=Direction.FORWARD) / FLOP_PER_S
    filters_s = grouped_flop(shape, direction=Direction.WEIGHT_GRADIENT) / FLOP_PER_S
    assert 0.5 < 1e3 * forward_s / forward_ms < 2.0
    assert 0.7 < 1e3 * filters_s / both_ms < 1.5
    twice = in_groups(8, c, side, k, kernel=kernel, groups=2 * groups)
    work = [grouped_flop(s, direction=Direction.WEIGHT_GRADIENT) for s in (shape, twice)]
    assert work[1] == 2 * work[0]


def test_the_gradient_to_the_inputs_is_that_of_its_own_places():
    strided = ConvShape(
        n=2, c=16, spatial=(32, 32), k=16, kernel=(3, 3), strides=(2, 2), output=(16, 16),
        dilation=(1, 1), groups=4, as_groups=True,
    )  # fmt: skip
    back = grouped_flop(strided, direction=Direction.INPUT_GRADIENT)
    assert back == pytest.approx(4 * grouped_flop(strided, direction=Direction.FORWARD))


def test_what_is_called_depthwise_is_not_grouped():
    assert is_grouped(in_groups(1, 8, 4, 8, kernel=3, groups=8))
    assert not is_grouped(conv(1, 8, 4, 8, groups=8))
    assert not is_grouped(gemm(2, 2, 2))
