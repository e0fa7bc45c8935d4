"""Time over the roofline of classes of kernels of which none was timed.

Leaves to others: kernels that were timed, and those like them (`advisor.predict.efficiency`).
"""

import math

from advisor.model.kernel import ConvShape, Direction, KernelShape, OperatorKind
from advisor.predict.work import operator_kind

# Class medians of a server processor whose GEMM and stream rates were known. Element-wise work
# runs partly from the caches.
DEFAULT_FACTOR = {
    OperatorKind.GEMM: 1.35,
    OperatorKind.CONVOLUTION: 1.6,
    OperatorKind.DEPTHWISE: 2.5,
    OperatorKind.GROUPED: 2.5,
    OperatorKind.RECURRENT: 2.5,
    OperatorKind.NORMALISATION: 2.0,
    OperatorKind.POOLING: 2.0,
    OperatorKind.ELEMENTWISE: 1.0,
    OperatorKind.SOFTMAX: 2.5,
    OperatorKind.EMBEDDING: 2.0,
    OperatorKind.OPTIMIZER: 1.3,
}
UNKNOWN_FACTOR = 2.0
_LOG_SD = 0.5
# Convolutions in groups under Keras on TensorFlow: TensorFlow's own program has no gradient for
# them on a processor, so Keras compiles them by XLA, which neither oneDNN nor threads help. A
# depthwise convolution that is written so (ConvNeXt) shares the fate. By the channels of a group a
# forward pass does 0.5 (one), 3 (4), 10 (8) and 75 to 90 GFLOP/s (32 and 64); the gradient of the
# filters 0.03 to 3, as if it were computed without groups at 1 to 12, and 0.9 to 1.7 with one
# channel. Seven shapes of 3x3 and 7x7 windows in 2 to 96 groups, Keras 3.15, TensorFlow 2.21, two
# cores of a Zen 3 that do about 100. The three directions add up to what they take in a step
# within 15 %.
_GROUPED_ONE_CHANNEL = 200.0
_GROUPED_POWER = 1.4
_GROUPED_LEAST = 1.2
_GROUPED_FILTERS_ONE_CHANNEL = 90.0
_GROUPED_FILTERS_EACH_GROUP = 33.0
_GROUPED_LOG_SD = 1.0


def grouped_factor(shape: ConvShape, direction: Direction) -> float:
    """Return the usual time over the roofline of a convolution in groups under TensorFlow."""
    channels = float(shape.c // shape.groups)
    if direction is not Direction.WEIGHT_GRADIENT:
        return max(_GROUPED_LEAST, _GROUPED_ONE_CHANNEL * math.pow(channels, -_GROUPED_POWER))
    if channels == 1.0:
        return _GROUPED_FILTERS_ONE_CHANNEL
    return _GROUPED_FILTERS_EACH_GROUP * shape.groups


def usual_factor(
    shape: KernelShape, direction: Direction, *, is_framework: bool
) -> tuple[float, float]:
    """Return the usual time of a kernel over its roofline, and the sd of its logarithm.

    Args:
        shape: of the kernel.
        direction: of the kernel.
        is_framework: whether TensorFlow runs it.
    """
    if isinstance(shape, ConvShape) and shape.is_grouped and is_framework:
        return grouped_factor(shape, direction), _GROUPED_LOG_SD
    return DEFAULT_FACTOR.get(operator_kind(shape), UNKNOWN_FACTOR), _LOG_SD
