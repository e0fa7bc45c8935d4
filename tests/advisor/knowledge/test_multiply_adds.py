"""Multiply-adds of published networks that are not bundled, counted anew layer by layer.

Convolutions and dense layers of the published architectures at 224x224, with 1000 classes.
"""

import pytest

from tests.helpers.bundled import bundled_knowledge


def conv(side, kernel, inputs, outputs, *, groups=1):
    """Return multiply-adds of a convolution with outputs of side x side."""
    return side * side * kernel * kernel * inputs * outputs // groups


def resnet(blocks, *, bottleneck, base=64, groups=1):
    """Residual networks with the stride on the 3x3 convolution; `base`: width of a group's 64."""
    total, inputs, side = conv(112, 7, 3, 64), 64, 56
    for stage, count in enumerate(blocks):
        plain, out = 64 << stage, (64 << stage) * (4 if bottleneck else 1)
        width = plain * base // 64 * groups
        for block in range(count):
            before = side
            if block == 0 and stage > 0:
                side //= 2
            if bottleneck:
                total += conv(before, 1, inputs, width)
                total += conv(side, 3, width, width, groups=groups)
                total += conv(side, 1, width, out)
            else:
                total += conv(side, 3, inputs, plain) + conv(side, 3, plain, plain)
            if inputs != out:
                total += conv(side, 1, inputs, out)
            inputs = out
    return total + inputs * 1000


def alexnet_owt():
    """The form of "One weird trick for parallelizing convolutional neural networks"."""
    convolutions = (
        conv(55, 11, 3, 64), conv(27, 5, 64, 192), conv(13, 3, 192, 384),
        conv(13, 3, 384, 256), conv(13, 3, 256, 256),
    )  # fmt: skip
    return sum(convolutions) + 256 * 36 * 4096 + 4096 * 4096 + 4096 * 1000


def squeezenet_1_1():
    total, inputs = conv(111, 3, 3, 64), 64
    fires = [(55, 16, 64), (55, 16, 64), (27, 32, 128), (27, 32, 128)]
    fires += [(13, 48, 192), (13, 48, 192), (13, 64, 256), (13, 64, 256)]
    for side, squeeze, expand in fires:
        total += conv(side, 1, inputs, squeeze)
        total += conv(side, 1, squeeze, expand) + conv(side, 3, squeeze, expand)
        inputs = 2 * expand
    return total + conv(13, 1, 512, 1000)


def googlenet(*, fifth):
    """Inception v1 without its side classifiers; `fifth`: kernel of the third branch."""
    total = conv(112, 7, 3, 64) + conv(56, 1, 64, 64) + conv(56, 3, 64, 192)
    blocks = (
        (28, 192, 64, 96, 128, 16, 32, 32), (28, 256, 128, 128, 192, 32, 96, 64),
        (14, 480, 192, 96, 208, 16, 48, 64), (14, 512, 160, 112, 224, 24, 64, 64),
        (14, 512, 128, 128, 256, 24, 64, 64), (14, 512, 112, 144, 288, 32, 64, 64),
        (14, 528, 256, 160, 320, 32, 128, 128), (7, 832, 256, 160, 320, 32, 128, 128),
        (7, 832, 384, 192, 384, 48, 128, 128),
    )  # fmt: skip
    for side, inputs, one, before3, three, before5, five, pooled in blocks:
        total += conv(side, 1, inputs, one + before3 + before5 + pooled)
        total += conv(side, 3, before3, three) + conv(side, fifth, before5, five)
    return total + 1024 * 1000


def densenet(blocks, *, growth, first):
    total, inputs, side = conv(112, 7, 3, first), first, 56
    for block, count in enumerate(blocks):
        for _layer in range(count):
            total += conv(side, 1, inputs, 4 * growth) + conv(side, 3, 4 * growth, growth)
            inputs += growth
        if block < len(blocks) - 1:
            total += conv(side, 1, inputs, inputs // 2)
            inputs //= 2
            side //= 2
    return total + inputs * 1000


def mobilenet_v2():
    total, inputs, side = conv(112, 3, 3, 32), 32, 112
    for widen, out, count, stride in (
        (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
        (6, 160, 3, 2), (6, 320, 1, 1),
    ):  # fmt: skip
        for block in range(count):
            width = widen * inputs
            total += conv(side, 1, inputs, width) if widen > 1 else 0
            side //= stride if block == 0 else 1
            total += conv(side, 3, width, width, groups=width) + conv(side, 1, width, out)
            inputs = out
    return total + conv(7, 1, 320, 1280) + 1280 * 1000


def shufflenet_v2():
    """Width 1: units split their channels, the first of a stage keeps both halves."""
    total, inputs, side = conv(112, 3, 3, 24), 24, 56
    for out, count in ((116, 4), (232, 8), (464, 4)):
        half = out // 2
        total += conv(side, 1, inputs, half)
        side //= 2
        total += conv(side, 3, inputs, inputs, groups=inputs) + conv(side, 1, inputs, half)
        total += conv(side, 3, half, half, groups=half) + conv(side, 1, half, half)
        rest = 2 * conv(side, 1, half, half) + conv(side, 3, half, half, groups=half)
        total += (count - 1) * rest
        inputs = out
    return total + conv(7, 1, 464, 1024) + 1024 * 1000


COUNTED = {
    "resnet18": resnet((2, 2, 2, 2), bottleneck=False),
    "resnet34": resnet((3, 4, 6, 3), bottleneck=False),
    "resnet-50": resnet((3, 4, 6, 3), bottleneck=True),
    "wide_resnet50_2": resnet((3, 4, 6, 3), bottleneck=True, base=128),
    "resnext50_32x4d": resnet((3, 4, 6, 3), bottleneck=True, base=4, groups=32),
    "resnext-101-32x8d": resnet((3, 4, 23, 3), bottleneck=True, base=8, groups=32),
    "alexnet-owt": alexnet_owt(),
    "squeezenet1.1": squeezenet_1_1(),
    "googlenet": googlenet(fifth=3),
    "densenet161": densenet((6, 12, 36, 24), growth=48, first=96),
    "mobilenetv2-relu": mobilenet_v2(),
    "shufflenetv2-x1.0": shufflenet_v2(),
}


@pytest.fixture(scope="module")
def stated():
    found = {}
    for row in bundled_knowledge().published:
        if row.multiply_adds_per_sample:
            found.setdefault(row.workload, set()).add(row.multiply_adds_per_sample)
    return found


@pytest.mark.parametrize("name", sorted(COUNTED))
def test_what_is_stated_is_what_is_counted(stated, name):
    """Lists of others count a pooling or a shuffle more: hundred-thousandths."""
    (found,) = stated[name]
    assert found == pytest.approx(COUNTED[name], rel=2e-5)


def test_most_are_the_same_to_the_last_digit(stated):
    assert sum(stated[name] == {counted} for name, counted in COUNTED.items()) == 8


def test_the_original_googlenet_has_more():
    """Its third branch is 5x5; the form that the tables count has 3x3 there."""
    assert googlenet(fifth=5) / googlenet(fifth=3) == pytest.approx(1.057, abs=0.01)
