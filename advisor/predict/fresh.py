"""What a kernel waits for memory that the system gives anew, as its result is too large to keep.

The C library of Linux keeps freed memory for the next result up to 32 MiB (`mallopt(3)`,
M_MMAP_THRESHOLD); what is larger goes back to the system at once, which clears and maps every page
of the next one. Pictures of 224 by 224 places in 64 channels are larger from a batch of 3 on.
Leaves to others: what a byte of it costs here (`advisor.predict.ceilings`), the time of kernels
(`advisor.predict.efficiency`), keeping the memory (`advisor.trial.plan`).
"""

import math

from advisor.model.kernel import (
    ConvShape,
    Direction,
    EmbeddingShape,
    GemmShape,
    KernelShape,
    NormShape,
    PoolShape,
    SoftmaxShape,
)
from advisor.model.quantity import Precision
from advisor.model.workload import Workload
from advisor.predict.work import kernel_calls

# The largest result whose memory is kept.
KEPT_BYTES = 32 << 20


def fresh_bytes(shape: KernelShape, *, direction: Direction, precision: Precision) -> int:
    """Return the bytes of the results of one execution where they are not kept, else 0.

    Of element-wise operators it is 0, as of batch normalisation with the stored statistics: their
    result takes the place of an operand that nobody needs any more.
    """
    size = _result_elements(shape, direction) * precision.size_bytes
    return _results(shape, direction) * size if size > KEPT_BYTES else 0


def _results(shape: KernelShape, direction: Direction) -> int:
    """Return how many tensors of its size an execution fills: a normalisation has others between.

    Two forward and four backward fit what batches of 128 and 256 cost that of a small network.
    """
    if not isinstance(shape, NormShape):
        return 1
    if shape.kind == "batch_inference":
        return 0
    return 2 if direction is Direction.FORWARD else 4


def fresh_bytes_of_step(workload: Workload) -> int:
    """Return the bytes of all results of a step whose memory is not kept."""
    return sum(
        call.count * fresh_bytes(call.shape, direction=call.direction, precision=workload.precision)
        for operator in workload.operators
        for call in kernel_calls(operator, phase=workload.phase, batch_size=workload.batch_size)
    )


def _result_elements(shape: KernelShape, direction: Direction) -> int:
    if isinstance(shape, GemmShape):
        sides = {
            Direction.INPUT_GRADIENT: (shape.m, shape.k),
            Direction.WEIGHT_GRADIENT: (shape.k, shape.n),
        }
        return shape.batch * math.prod(sides.get(direction, (shape.m, shape.n)))
    if isinstance(shape, ConvShape):
        if direction is Direction.INPUT_GRADIENT:
            return shape.n * shape.c * math.prod(shape.spatial)
        if direction is Direction.WEIGHT_GRADIENT:
            return shape.c // shape.groups * shape.k * math.prod(shape.kernel)
        return shape.n * shape.k * math.prod(shape.output)
    if isinstance(shape, PoolShape):
        places = shape.output if direction is Direction.FORWARD else shape.spatial
        return shape.n * shape.c * math.prod(places)
    if isinstance(shape, NormShape):
        return shape.elements
    if isinstance(shape, SoftmaxShape):
        return shape.rows * shape.columns
    if isinstance(shape, EmbeddingShape):
        is_forward = direction is Direction.FORWARD
        return shape.dim * (shape.indices if is_forward else shape.vocabulary)
    return 0
