"""Multiply-adds of a kernel's forward pass, by the convention of published tables.

Products of matrices, convolutions and recurrent cells count; what works value by value
(activations, normalisation, pooling, softmax, look-ups) does not.
Leaves to others: the formulas, flop and bytes in each direction (`advisor.predict.work`).
"""

from advisor.model.kernel import ConvShape, GemmShape, KernelShape, RecurrentShape
from advisor.predict.work import (
    conv_multiply_adds,
    gemm_multiply_adds,
    recurrent_multiply_adds,
)


def count_multiply_adds(shape: KernelShape) -> int:
    """Return the multiply-adds of one forward pass over the whole batch."""
    match shape:
        case GemmShape():
            return gemm_multiply_adds(shape)
        case ConvShape():
            return conv_multiply_adds(shape)
        case RecurrentShape():
            return recurrent_multiply_adds(shape)
        case _:
            return 0
