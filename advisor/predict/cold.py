"""What a kernel takes in a step, where others fill the caches, over what it takes by itself.

Leaves to others: times of kernels (`advisor.predict.efficiency`).
"""

from advisor.model.kernel import Direction, OperatorKind
from advisor.model.quantity import Phase

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


# A kernel of inference that was timed in a row of its own kind takes so many times as long among
# others: its threads have to be woken, its data fetched. Replay told steps too short on all three
# kinds of processor, by 2.6 and 3.5 % (Sapphire Rapids), 3.8 and 5.1 (Zen 5) and 6.3 (Zen 4):
# medians of the families that may shape the model. Recurrent layers are many small kernels by
# themselves; what is told from other shapes has no such error; in training two operators at a time
# make up for it.
_AMONG_OTHERS = 1.043


def among_others(kind: OperatorKind, *, phase: Phase) -> float:
    """Return the time of a kernel in a step over its time in a row of its own kind."""
    is_row = phase is Phase.INFERENCE and kind is not OperatorKind.RECURRENT
    return _AMONG_OTHERS if is_row else 1.0
