"""Random shapes of networks that tell something of every place: volumes, masks, images to images.

What the first draws met too rarely: volumes of few channels, a softmax of two to some values over
tens of thousands of places, pools in one and three dimensions, normalisation in groups.
"""

import dataclasses
import math

from advisor.model.kernel import KernelShape, NormShape, PoolShape, SoftmaxShape
from probes.bench import suite
from tests.accuracy.shapes_dice import Dice, Kind, same_conv

_SIDES = (8, 12, 16, 24, 32, 48, 64)


def _cube(dice: Dice) -> tuple[int, ...]:
    side = dice.choice(_SIDES)
    return (dice.choice((side, max(4, side // 2))), side, side)


def _volume_of_few(dice: Dice) -> KernelShape:
    c = 1 if dice.random() < 0.2 else dice.channels(4, 64)
    k = dice.size(1, 4) if dice.random() < 0.15 else dice.channels(4, 64)
    window = dice.choice(((3, 3, 3), (3, 3, 3), (3, 3, 3), (1, 1, 1), (5, 5, 5)))
    stride = 2 if dice.random() < 0.2 else 1
    return same_conv(dice.size(1, 16), c, _cube(dice), k, window, stride)


def _volume_from_few(dice: Dice) -> KernelShape:
    """A transposed convolution of stride 2, as it undoes a pool."""
    side = dice.choice((4, 6, 8, 12, 16, 24))
    window = dice.choice((2, 2, 3, 4))
    made = same_conv(
        dice.size(1, 8), dice.channels(4, 96), (side,) * 3, dice.channels(4, 64), (window,) * 3
    )
    return dataclasses.replace(made, strides=(2, 2, 2), output=(2 * side,) * 3, is_transposed=True)


def _softmax_of_few(dice: Dice) -> KernelShape:
    return SoftmaxShape(rows=dice.size(200, 400_000), columns=dice.size(2, 32))


def _pool_in_a_row(dice: Dice) -> KernelShape:
    length = dice.size(16, 2048)
    window = dice.choice((2, 2, 3, 4, length))
    stride = 1 if window == 3 and dice.random() < 0.4 else window
    return PoolShape(
        mode=dice.choice(("max", "average")),
        n=dice.size(1, 96),
        c=dice.channels(8, 512),
        spatial=(length,),
        kernel=(window,),
        strides=(stride,),
        output=(length // stride if window < length else 1,),
    )


def _pool_of_volume(dice: Dice) -> KernelShape:
    side = dice.choice((4, 8, 12, 16, 24, 32, 48))
    window = dice.choice((2, 2, 2, side))
    return PoolShape(
        mode=dice.choice(("max", "average")),
        n=dice.size(1, 16),
        c=dice.channels(4, 128),
        spatial=(side,) * 3,
        kernel=(window,) * 3,
        strides=(window,) * 3,
        output=(side // window,) * 3,
    )


def _norm_in_groups(dice: Dice) -> KernelShape:
    channels = dice.channels(8, 512)
    places = math.prod((dice.choice(_SIDES),) * 2)
    elements = channels * places * dice.size(1, 32)
    return NormShape(kind="group", elements=elements, channels=channels)


DENSE_KINDS = (
    Kind(count=48, draw=_volume_of_few, directions=suite.THREE, most_flop=1e9, most_bytes=60e6),
    Kind(count=12, draw=_volume_from_few, directions=suite.THREE, most_flop=1e9, most_bytes=60e6),
    Kind(count=26, draw=_softmax_of_few, directions=suite.BOTH, most_bytes=60e6),
    Kind(count=20, draw=_pool_in_a_row, directions=suite.BOTH, most_bytes=60e6),
    Kind(count=16, draw=_pool_of_volume, directions=suite.BOTH, most_bytes=60e6),
    Kind(count=24, draw=_norm_in_groups, directions=suite.BOTH, most_bytes=60e6),
)
