"""Which rows of the table tell something of a network: those of the classes that it has.

A slow machine does not get through the table in a minute. What a network has no layer of can wait.
Leaves to others: the table (`probes.bench.suite`), the order of everything (`probes.bench.plan`).
"""

import functools
from collections.abc import Iterable

from advisor.model.kernel import (
    ConvShape,
    ElementwiseShape,
    GemmShape,
    KernelShape,
    NormShape,
    OptimizerShape,
    OverheadShape,
    PoolShape,
)
from probes.bench.suite import Row

# What every step has, whatever its layers are: biases are element-wise work, too.
_EVERYWHERE = (ElementwiseShape, OverheadShape, OptimizerShape)


@functools.singledispatch
def class_of(shape: KernelShape) -> tuple[object, ...]:
    """Return what kernels have in common that tell something of one another."""
    return (type(shape),)


@class_of.register
def _(shape: ConvShape) -> tuple[object, ...]:
    return (
        ConvShape, len(shape.kernel), shape.is_transposed, shape.is_depthwise, shape.is_grouped,
    )  # fmt: skip


@class_of.register
def _(shape: GemmShape) -> tuple[object, ...]:
    return (GemmShape, shape.batch > 1)


@class_of.register
def _(shape: NormShape) -> tuple[object, ...]:
    return (NormShape, shape.kind)


@class_of.register
def _(shape: PoolShape) -> tuple[object, ...]:
    return (PoolShape, shape.mode)


def split_by_network(
    rows: Iterable[Row], shapes: Iterable[KernelShape]
) -> tuple[list[Row], list[Row]]:
    """Return the rows that tell something of these layers, and the others, each in its order.

    Args:
        rows: of the table.
        shapes: of the layers of a network; none: all rows tell something.
    """
    known = {class_of(shape) for shape in shapes}
    alike: list[Row] = []
    others: list[Row] = []
    for row in rows:
        is_told = not known or isinstance(row.shape, _EVERYWHERE) or class_of(row.shape) in known
        (alike if is_told else others).append(row)
    return alike, others
