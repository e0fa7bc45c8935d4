"""What a class of operators takes in a real step, over what its kernels take by themselves.

Only inference has fitted factors. There a product ends in memory that is new to it, batch
normalisation runs beside the convolutions, and a call costs more where a network has more than
one layer. In training none of them helped with families of networks that it was not fitted to.
They were fitted on the recordings linux-sapphirerapids-2 and -3 and linux-zen5-2 (Keras 3,
TensorFlow 2.21, two cores each), 15 networks of the families that may shape the model, drawn
towards 1 and kept within 0.7 and 1.3;
`tests.accuracy.recorded_factors` does it again, and judges them on the other families.
Leaves to others: times of kernels (`advisor.predict.efficiency`).
"""

from advisor.model.kernel import Direction, OperatorKind
from advisor.model.quantity import Phase

LEAST, MOST = 0.7, 1.3
# Classes that share a factor, since one by one they are too small to be told apart.
GROUPS: dict[str, tuple[OperatorKind, ...]] = {
    "convolution": (OperatorKind.CONVOLUTION, OperatorKind.DEPTHWISE),
    "product": (OperatorKind.GEMM,),
    "recurrent": (OperatorKind.RECURRENT,),
    "normalisation": (OperatorKind.NORMALISATION,),
    "call": (OperatorKind.OVERHEAD,),
}
_FACTORS = {
    "convolution": 1.06,
    "product": 1.03,
    "recurrent": 0.93,
    "normalisation": 0.83,
    "call": 1.15,
}
# The gradient of a depthwise convolution's weights takes so many times as long when its data are
# not in the caches as when it is timed in a row: eight shapes of 5x5 windows, batch 4 and 24, took
# 1.4 to 2.2 times as long with 32 MB read between, and 1.8 to 3 times as long within the step
# (Zen 5, two cores, TensorFlow 2.21; profile of an EfficientNet-like network). It does little work
# on much data; other gradients do more on theirs.
_COLD_DEPTHWISE = 1.7
_BY_KIND = {kind: _FACTORS[name] for name, kinds in GROUPS.items() for kind in kinds}


def typical_factor(kind: OperatorKind, *, phase: Phase) -> float:
    """Return the time of a class in a step over the sum of its kernels; 1 in training."""
    return _BY_KIND.get(kind, 1.0) if phase is Phase.INFERENCE else 1.0


def cold_factor(kind: OperatorKind, *, direction: Direction) -> float:
    """Return the time of a kernel among others, which fill the caches, over its time alone."""
    is_cold = kind is OperatorKind.DEPTHWISE and direction is Direction.WEIGHT_GRADIENT
    return _COLD_DEPTHWISE if is_cold else 1.0
