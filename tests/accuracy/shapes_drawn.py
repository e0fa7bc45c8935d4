"""Random shapes of every class, none of them a network's.

Sizes are drawn evenly over their logarithms, within what layers have and what takes at most a few
hundredths of a second.
The first recordings in `timed_shapes` were drawn in two parts: classes that vary most got more.
Leaves to others: timing them (`shapes`).
"""

import dataclasses

from advisor.model.kernel import (
    Cell,
    Direction,
    ElementwiseShape,
    EmbeddingShape,
    GemmShape,
    KernelShape,
    NormShape,
    RecurrentShape,
    SoftmaxShape,
)
from probes.bench import suite
from tests.accuracy.shapes_dice import Dice, Kind, same_conv
from tests.accuracy.shapes_drawn_dense import DENSE_KINDS

_SIDES = (4, 7, 8, 12, 14, 16, 20, 24, 28, 32, 48, 56, 64, 96, 112, 128, 160, 224)
_WINDOWS = ((1, 1), (3, 3), (3, 3), (3, 3), (5, 5), (7, 7), (1, 7), (7, 1), (1, 3))
_FUNCTIONS = (
    "relu", "gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "dropout",
)  # fmt: skip
_RARER_FUNCTIONS = (
    "hard_silu", "hard_sigmoid", "silu", "gelu", "selu", "mish", "leaky_relu", "relu6", "dropout",
)  # fmt: skip
_CELLS = (Cell.LSTM, Cell.LSTM, Cell.GRU, Cell.GRU, Cell.RNN)


def _product(dice: Dice) -> KernelShape:
    return GemmShape(m=dice.size(1, 4096), n=dice.channels(8, 4096), k=dice.channels(8, 4096))


def _products(dice: Dice) -> KernelShape:
    return GemmShape(
        m=dice.channels(16, 256),
        n=dice.channels(16, 512),
        k=dice.channels(16, 256),
        batch=dice.size(2, 256),
        transpose_b=dice.random() < 0.4,
    )


def _wide_product(dice: Dice) -> KernelShape:
    """A dense layer at a small batch whose weights are more than most caches hold."""
    return GemmShape(m=dice.size(1, 96), n=dice.channels(512, 4096), k=dice.channels(1024, 8192))


def _of_few_units(dice: Dice) -> KernelShape:
    return GemmShape(m=dice.size(1, 512), n=dice.size(1, 32), k=dice.channels(64, 16_384))


def _head(dice: Dice) -> KernelShape:
    """A product of an attention: heads of few values over short sequences."""
    length, values = dice.size(16, 256), dice.choice((8, 16, 24, 32, 64))
    is_score = dice.random() < 0.5
    n, k = (length, values) if is_score else (values, length)
    return GemmShape(m=length, n=n, k=k, batch=dice.size(2, 256), transpose_b=is_score)


def _picture(dice: Dice) -> KernelShape:
    side = dice.choice(_SIDES)
    first = dice.random() < 0.12
    last = dice.random() < 0.07
    return same_conv(
        dice.size(1, 96),
        dice.choice((1, 3)) if first else dice.channels(8, 1024),
        (side, side),
        dice.choice((1, 2, 3, 4)) if last else dice.channels(8, 1024),
        dice.choice(_WINDOWS),
        2 if dice.random() < 0.2 else 1,
    )


def _deep_picture(dice: Dice) -> KernelShape:
    side = dice.size(1, 16)
    windows = ((1, 1), (1, 1), (1, 1), (3, 3), (3, 3), (2, 2), (1, 3), (3, 1))
    return same_conv(
        dice.size(1, 48),
        dice.channels(96, 2048),
        (side, side),
        dice.channels(96, 2048),
        dice.choice(windows) if side > 1 else (1, 1),
        2 if side > 2 and dice.random() < 0.2 else 1,
    )


def _pointwise(dice: Dice) -> KernelShape:
    side = dice.size(5, 128)
    stride = 2 if dice.random() < 0.15 else 1
    return same_conv(
        dice.size(1, 64), dice.channels(8, 1024), (side, side), dice.channels(8, 1024), (1, 1),
        stride,
    )  # fmt: skip


def _squeezed(dice: Dice) -> KernelShape:
    return same_conv(
        dice.size(1, 96), dice.channels(4, 2048), (1, 1), dice.channels(4, 2048), (1, 1)
    )


def _first_or_last(dice: Dice) -> KernelShape:
    side, few, many = dice.size(16, 160), dice.choice((1, 2, 3)), dice.channels(8, 128)
    is_first = dice.random() < 0.5
    c, k = (few, many) if is_first else (many, few)
    window = dice.choice((1, 3, 3, 5, 7))
    stride = 2 if is_first and dice.random() < 0.4 else 1
    return same_conv(dice.size(1, 96), c, (side, side), k, (window, window), stride)


def _squeezed_alone(dice: Dice) -> KernelShape:
    return dataclasses.replace(_squeezed(dice), n=dice.choice((1, 1, 1, 2, 4)))


def _of_one_picture(dice: Dice) -> KernelShape:
    side, stride = dice.size(3, 64), 2 if dice.random() < 0.15 else 1
    window = dice.choice((1, 1, 1, 1, 3))
    c, k = dice.channels(8, 512), dice.channels(8, 512)
    return same_conv(1, c, (side, side), k, (window, window), stride)


def _patches(dice: Dice) -> KernelShape:
    """A convolution whose windows do not overlap: the first of a transformer, a step down."""
    window, across = dice.choice((2, 2, 4, 4, 8, 16)), dice.size(2, 28)
    c = 3 if window > 2 else dice.channels(32, 512)
    side = window * across
    return same_conv(
        dice.size(1, 48), c, (side, side), dice.channels(32, 768), (window, window), window
    )


def _sequence(dice: Dice) -> KernelShape:
    return same_conv(
        dice.size(1, 128),
        dice.choice((1, dice.channels(4, 512), dice.channels(16, 512))),
        (dice.size(16, 2048),),
        dice.channels(8, 512),
        (dice.choice((1, 3, 5, 7, 9, 16)),),
        2 if dice.random() < 0.2 else 1,
    )


def _volume(dice: Dice) -> KernelShape:
    side = dice.choice((4, 8, 16, 32, 48))
    return same_conv(
        dice.size(1, 16),
        dice.choice((1, 3, dice.channels(8, 128))),
        (dice.choice((4, 8, 16, 32)), side, side),
        dice.channels(8, 128),
        (3, 3, 3),
    )


def _transposed(dice: Dice) -> KernelShape:
    side, window = dice.choice((4, 7, 8, 12, 14, 16, 28, 32, 64)), dice.choice((2, 3, 4, 5))
    return suite.transposed(
        dice.size(1, 64), dice.channels(8, 512), side, dice.channels(3, 256), window
    )


def _depthwise(dice: Dice) -> KernelShape:
    c = dice.channels(8, 1024)
    return suite.conv(
        dice.size(1, 64),
        c,
        dice.choice((4, 7, 8, 14, 16, 28, 32, 56, 64, 112)),
        c,
        dice.choice((3, 3, 3, 5, 5, 7)),
        stride=2 if dice.random() < 0.25 else 1,
        groups=c,
    )


def _depthwise_in_a_row(dice: Dice) -> KernelShape:
    c, length = dice.channels(8, 512), dice.size(16, 1024)
    whole = same_conv(dice.size(1, 96), c, (length,), c, (dice.choice((3, 5, 7, 9, 15)),))
    return dataclasses.replace(whole, groups=c)


def _in_groups(dice: Dice) -> KernelShape:
    """A convolution in groups of several channels, as ResNeXt, RegNet and ShuffleNet have."""
    groups, channels, side = dice.size(2, 64), dice.size(1, 64), dice.choice(_SIDES)
    more = dice.choice((1, 1, 1, 2, 4))
    whole = same_conv(
        dice.size(1, 48),
        groups * channels,
        (side, side),
        groups * max(1, channels * more // 2),
        dice.choice(((1, 1), (3, 3), (3, 3), (3, 3), (5, 5))),
        2 if side > 4 and dice.random() < 0.2 else 1,
    )
    return dataclasses.replace(whole, groups=groups, as_groups=True)


def _of_one_channel_each(dice: Dice) -> KernelShape:
    """A depthwise convolution that is written in groups, as ConvNeXt does."""
    c, side = dice.channels(16, 1024), dice.size(2, 64)
    window = dice.choice((3, 5, 7, 7))
    whole = same_conv(dice.size(1, 48), c, (side, side), c, (window, window))
    return dataclasses.replace(whole, groups=c, as_groups=True)


def _in_groups_in_a_row(dice: Dice) -> KernelShape:
    groups, channels = dice.size(2, 64), dice.size(1, 32)
    whole = same_conv(
        dice.size(1, 64), groups * channels, (dice.size(16, 1024),), groups * channels,
        (dice.choice((1, 3, 5, 9)),),
    )  # fmt: skip
    return dataclasses.replace(whole, groups=groups, as_groups=True)


def _recurrent(dice: Dice) -> KernelShape:
    return RecurrentShape(
        cell=dice.choice(_CELLS),
        batch=dice.size(1, 128),
        timesteps=dice.size(4, 200),
        input=dice.channels(1, 512),
        hidden=dice.channels(8, 512),
        is_bidirectional=dice.random() < 0.25,
    )


def _elementwise(dice: Dice) -> KernelShape:
    return ElementwiseShape(op=dice.choice(_FUNCTIONS), elements=dice.size(500, 8e6))


def _of_two(dice: Dice) -> KernelShape:
    op = dice.choice(("add", "multiply"))
    return ElementwiseShape(op=op, elements=dice.size(500, 8e6), n_inputs=2)


def _function_of_few(dice: Dice) -> KernelShape:
    return ElementwiseShape(op=dice.choice(_RARER_FUNCTIONS), elements=dice.size(500, 4e6))


def _gelu(dice: Dice) -> KernelShape:
    return ElementwiseShape(op="gelu", elements=dice.size(500, 4e6))


def _transpose(dice: Dice) -> KernelShape:
    """Of a whole number of heads, which have 32 values each."""
    return ElementwiseShape(op="transpose", elements=256 * dice.size(4, 16_384))


def _norm(dice: Dice) -> KernelShape:
    channels = dice.channels(8, 1024)
    kind = dice.choice(("batch", "batch", "layer", "layer"))
    return NormShape(kind=kind, elements=channels * dice.size(4, 30_000), channels=channels)


def _norm_in_inference(dice: Dice) -> KernelShape:
    return dataclasses.replace(_norm(dice), kind="batch_inference")


def _pool(dice: Dice) -> KernelShape | None:
    side = dice.choice((4, 7, 8, 14, 16, 28, 32, 56, 64, 112))
    window, stride = dice.choice(((2, 2), (2, 2), (3, 2), (3, 1), (side, side)))
    mode, n, c = dice.choice(("max", "average")), dice.size(1, 64), dice.channels(8, 1024)
    return suite.pool(mode, n, c, side, window, stride) if window <= side else None


def _softmax(dice: Dice) -> KernelShape:
    return SoftmaxShape(rows=dice.size(1, 20_000), columns=dice.size(2, 2000))


def _embedding(dice: Dice) -> KernelShape:
    return EmbeddingShape(
        indices=dice.size(8, 20_000),
        dim=dice.channels(8, 512),
        vocabulary=dice.size(100, 50_000),
    )


_OF_ALL_KINDS = (
    Kind(count=100, draw=_product, directions=suite.THREE),
    Kind(count=45, draw=_products, directions=suite.THREE),
    Kind(count=170, draw=_picture, directions=suite.THREE),
    Kind(count=45, draw=_sequence, directions=suite.THREE),
    Kind(count=14, draw=_volume, directions=suite.THREE, most_flop=1e9),
    Kind(count=30, draw=_transposed, directions=suite.THREE),
    Kind(count=85, draw=_depthwise, directions=suite.THREE, most_flop=3e8, most_bytes=60e6),
    Kind(count=100, draw=_recurrent, directions=suite.BOTH, most_flop=6e8),
    Kind(count=88, draw=_elementwise, directions=suite.BOTH),
    Kind(count=22, draw=_of_two, directions=suite.FORWARD),
    Kind(count=84, draw=_norm, directions=suite.BOTH, most_bytes=120e6),
    Kind(count=24, draw=_norm_in_inference, directions=suite.FORWARD, most_bytes=120e6),
    Kind(count=96, draw=_pool, directions=suite.BOTH, most_bytes=100e6),
    Kind(count=30, draw=_softmax, directions=suite.BOTH, most_bytes=100e6),
    Kind(count=26, draw=_embedding, directions=suite.BOTH, most_bytes=100e6),
)


# What deep layers and those of few channels have, which the first draw met too rarely.
_OF_DEEP_LAYERS = (
    Kind(count=110, draw=_deep_picture, directions=suite.THREE),
    Kind(count=60, draw=_pointwise, directions=suite.THREE),
    Kind(count=24, draw=_squeezed, directions=suite.THREE),
    Kind(count=26, draw=_first_or_last, directions=suite.THREE),
    Kind(count=24, draw=_depthwise_in_a_row, directions=suite.THREE, most_bytes=60e6),
    Kind(count=30, draw=_function_of_few, directions=suite.BOTH),
)
# Convolutions in groups, which another compiler makes whatever the library is.
_IN_GROUPS = (
    Kind(count=60, draw=_in_groups, directions=suite.THREE, most_flop=3e8, most_bytes=60e6),
    Kind(count=50, draw=_of_one_channel_each, directions=suite.THREE, most_flop=6e7),
    Kind(count=20, draw=_in_groups_in_a_row, directions=suite.THREE, most_flop=2e8),
)
# What layers at a batch of one or few have, and heads of attentions: rare in the first draw.
_AT_SMALL_BATCHES = (
    Kind(count=40, draw=_wide_product, directions=suite.THREE),
    Kind(count=20, draw=_of_few_units, directions=suite.THREE),
    Kind(count=36, draw=_head, directions=suite.THREE, most_flop=1e9),
    Kind(count=30, draw=_squeezed_alone, directions=suite.THREE),
    Kind(count=36, draw=_of_one_picture, directions=suite.THREE),
    Kind(count=24, draw=_patches, directions=suite.THREE),
)
# What was timed on other values at first, and what was not timed.
_OVER_AGAIN = (
    Kind(count=32, draw=_gelu, directions=suite.BOTH),
    Kind(count=32, draw=_transpose, directions=suite.FORWARD),
)
DRAWS = {
    "all": (20261125, _OF_ALL_KINDS),
    "deep": (20261126, _OF_DEEP_LAYERS),
    "groups": (20261127, _IN_GROUPS),
    "small": (20261128, _AT_SMALL_BATCHES),
    "dense": (20261129, DENSE_KINDS),
    "again": (20261130, _OVER_AGAIN),
}


def random_shapes(draw: str) -> list[tuple[KernelShape, tuple[Direction, ...]]]:
    """Return shapes and their directions, always the same ones, in no order."""
    seed, kinds = DRAWS[draw]
    dice = Dice(seed)
    found: dict[KernelShape, tuple[Direction, ...]] = {}
    for kind in kinds:
        wanted = len(found) + kind.count
        while len(found) < wanted:
            shape = kind.draw(dice)
            if shape is not None and kind.holds(shape):
                found.setdefault(shape, kind.directions)
    shapes = list(found.items())
    dice.shuffle(shapes)
    return shapes
