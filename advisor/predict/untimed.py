"""Time over the roofline of classes of kernels of which none was timed.

Leaves to others: kernels that were timed, and those like them (`advisor.predict.efficiency`).
"""

from advisor.model.kernel import KernelShape, OperatorKind
from advisor.predict.grouped import is_grouped
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
# Convolutions in groups have a law of their own on a processor (`advisor.predict.grouped`).
_GROUPED_LOG_SD = 0.4


def usual_factor(shape: KernelShape, *, compiles_groups: bool) -> tuple[float, float]:
    """Return the usual time of a kernel over its bound, and the sd of its logarithm.

    Args:
        shape: of the kernel.
        compiles_groups: whether XLA computes convolutions in groups.
    """
    if compiles_groups and is_grouped(shape):
        return 1.0, _GROUPED_LOG_SD
    return DEFAULT_FACTOR.get(operator_kind(shape), UNKNOWN_FACTOR), _LOG_SD
