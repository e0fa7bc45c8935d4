"""The windows that TensorFlow lays out in memory for the gradients of a convolution on a processor.

Without oneDNN both gradients are products of matrices: the windows of some images at once, row by
row (im2col), by the gradients of the results, or by the weights. The images at once are as many as
fit a working set, one at least, so that a large picture or a volume takes many times its own size:
a volume of 64 x 64 x 64 with 16 channels takes 16 MiB, its windows of 3 x 3 x 3 432.
After TensorFlow 2.21, tensorflow/core/kernels/conv_grad_filter_ops.cc, conv_grad_input_ops.h and
conv_grad_ops_3d.cc.
Leaves to others: what else a step keeps (`advisor.network.memory`).
"""

import math

from advisor.model.kernel import ConvShape, Direction

# The working set of pictures, and of volumes: there it is the last cache as the processor tells
# it, 16 to 96 MiB on desktops, up to 256 on servers.
_PICTURE_ELEMENTS = (30 << 20) // 4
_VOLUME_ELEMENTS = (64 << 20) // 4
# A picture whose product is this large for each thread is computed by itself by all threads.
_ALONE_ELEMENTS = (256 << 10) // 4
_USUAL_THREADS = 4
# Windows of a volume that are more times as much as images, weights and results are not laid out.
_MOST_TIMES = 25


def laid_out_elements(shape: ConvShape, *, direction: Direction) -> int:
    """Return the values of the windows that a convolution lays out in one direction.

    Args:
        shape: of the convolution; those in groups and depthwise ones lay nothing out.
        direction: both gradients lay out, of a transposed one forward and that of the weights.
    """
    if shape.groups > 1:
        return 0
    # A transposed convolution is the gradient of the one that goes from its results to its input,
    # and its own gradient by the input is that convolution, which lays nothing out.
    if shape.is_transposed:
        images, places, channels, results = shape.output, shape.spatial, shape.k, shape.c
        lays_out = direction is not Direction.INPUT_GRADIENT
    else:
        images, places, channels, results = shape.spatial, shape.output, shape.c, shape.k
        lays_out = direction is not Direction.FORWARD
    if not lays_out:
        return 0
    window = math.prod(shape.kernel) * channels
    windows = math.prod(places) * window
    gradients, weights = math.prod(places) * results, window * results
    at_once = _at_once(
        windows + gradients + weights,
        n=shape.n,
        is_volume=len(shape.kernel) == 3,
        by_input=direction is not Direction.WEIGHT_GRADIENT,
    )
    if len(shape.kernel) == 3:
        others = shape.n * (math.prod(images) * channels + gradients) + weights
        if at_once * windows > _MOST_TIMES * others:
            return 0
    return min(shape.n, at_once) * windows


def _at_once(work: int, *, n: int, is_volume: bool, by_input: bool) -> int:
    """Return how many images are laid out at once, whether there are so many or not."""
    is_alone = work >= _USUAL_THREADS * _ALONE_ELEMENTS and not is_volume
    if by_input and (n == 1 or is_alone):
        return 1
    return -(-(_VOLUME_ELEMENTS if is_volume else _PICTURE_ELEMENTS) // max(1, work))
