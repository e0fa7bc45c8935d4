"""The work of convolutions in groups, as Keras runs them on TensorFlow.

TensorFlow's own program has no gradient for them on a processor, so Keras compiles them by XLA,
whatever library computes the rest: no roofline tells their time. A depthwise convolution that is
written in groups (ConvNeXt) shares the fate.
Leaves to others: what the shape does besides (`advisor.predict.shape_factor`), kernels that were
timed (`advisor.predict.efficiency`).
"""

import math
from typing import TypeGuard

from advisor.model.kernel import ConvShape, Direction, KernelShape

# Seconds on two cores of a Zen 4 whose best product did 230 GFLOP/s, as flop of that product, so
# that they follow the processor; two threads take 0.5 to 0.6 of the time of one. Fitted to 130
# random shapes of 2 to 672 groups (tests/accuracy/timed_shapes/zen4-groups), Keras 3.15,
# TensorFlow 2.21; standard deviation of the logarithm in brackets.
_FLOP_PER_S = 230e9
# Forward and to the inputs (0.36, 0.34): each group gathers the values under its window, one by
# one, and each of its places costs besides.
_EACH_VALUE = 1.58e-9 * _FLOP_PER_S
_EACH_PLACE = 25e-9 * _FLOP_PER_S
# To the filters (0.19): computed as if there were no groups, all but in vectors of the results of
# one group.
_EACH_VALUE_OF_EACH_GROUP = 9.2e-9 * _FLOP_PER_S
# To the filters where a group has one channel and one result (0.32): without groups as well, in
# good vectors, but the filters between all channels are written down and most thrown away.
_EACH_FILTER = 1.02e-9 * _FLOP_PER_S
_EACH_PRODUCT = 0.0098e-9 * _FLOP_PER_S
_EACH_VALUE_OF_ONE = 0.89e-9 * _FLOP_PER_S


def is_grouped(shape: KernelShape) -> TypeGuard[ConvShape]:
    """Return whether a kernel is a convolution in groups."""
    return isinstance(shape, ConvShape) and shape.is_grouped


def grouped_flop(shape: ConvShape, *, direction: Direction) -> float:
    """Return what a convolution in groups costs as flop of a good product, without its launch."""
    taps = math.prod(shape.kernel)
    if direction is Direction.INPUT_GRADIENT:
        places, channels = shape.n * math.prod(shape.spatial), shape.k
    else:
        places, channels = shape.n * math.prod(shape.output), shape.c
    values = places * taps * channels
    if direction is not Direction.WEIGHT_GRADIENT:
        return _EACH_VALUE * values + _EACH_PLACE * places * shape.groups
    if shape.has_groups_of_one_channel:
        filters = taps * shape.c * shape.k
        products = values * shape.k
        return _EACH_FILTER * filters + _EACH_PRODUCT * products + _EACH_VALUE_OF_ONE * values
    return _EACH_VALUE_OF_EACH_GROUP * values * shape.groups
