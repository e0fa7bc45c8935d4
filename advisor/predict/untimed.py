"""Time over the roofline of classes of kernels of which none was timed.

Leaves to others: kernels that were timed, and those like them (`advisor.predict.efficiency`).
"""

from advisor.model.kernel import Direction, OperatorKind

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
# forward pass does 0.5 to 90 GFLOP/s, the gradient of the filters 0.03 to 3: five shapes of 3x3 and
# 7x7 windows in 2 to 96 groups, Keras 3.15, TensorFlow 2.21, two cores of a Zen 3 of about 100
# GFLOP/s. A depthwise convolution that is written so (ConvNeXt) shares the fate. By themselves the
# three directions add up to what they take in a step within 15 %.
_GROUPED_FACTOR = 10.0
_GROUPED_FACTOR_OF_FILTERS = 200.0
_GROUPED_LOG_SD = 1.3


def grouped_factor(direction: Direction) -> float:
    """Return the usual time over the roofline of a convolution in groups under TensorFlow."""
    is_of_filters = direction is Direction.WEIGHT_GRADIENT
    return _GROUPED_FACTOR_OF_FILTERS if is_of_filters else _GROUPED_FACTOR


def usual_factor(
    kind: OperatorKind, direction: Direction, *, is_framework: bool
) -> tuple[float, float]:
    """Return the usual time of a class over its roofline, and the sd of its logarithm.

    Args:
        kind: of the kernel.
        direction: of the kernel.
        is_framework: whether TensorFlow runs it.
    """
    if kind is OperatorKind.GROUPED and is_framework:
        return grouped_factor(direction), _GROUPED_LOG_SD
    return DEFAULT_FACTOR.get(kind, UNKNOWN_FACTOR), _LOG_SD
