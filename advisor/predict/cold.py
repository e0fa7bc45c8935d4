"""What a kernel takes in a step, where others fill the caches, over what it takes by itself.

Leaves to others: times of kernels (`advisor.predict.efficiency`).
"""

from advisor.model.kernel import Direction, OperatorKind

# The gradient of a depthwise convolution's weights takes so many times as long when its data are
# not in the caches as when it is timed in a row: eight shapes of 5x5 windows, batch 4 and 24, took
# 1.4 to 2.2 times as long with 32 MB read between, and 1.8 to 3 times as long within the step
# (Zen 5, two cores, TensorFlow 2.21; profile of an EfficientNet-like network). It does little work
# on much data; other gradients do more on theirs.
_COLD_DEPTHWISE = 1.7


def cold_factor(kind: OperatorKind, *, direction: Direction) -> float:
    """Return the time of a kernel among others, which fill the caches, over its time alone."""
    is_cold = kind is OperatorKind.DEPTHWISE and direction is Direction.WEIGHT_GRADIENT
    return _COLD_DEPTHWISE if is_cold else 1.0
