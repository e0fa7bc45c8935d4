"""What tells kernels of one class apart: a category and sizes, and numbers that have distances.

Leaves to others: what follows for a time (`advisor.predict.efficiency`, `shape_factor`).
"""

import functools
import math

from advisor.model.kernel import (
    Cell,
    ConvShape,
    Direction,
    ElementwiseShape,
    EmbeddingShape,
    GemmShape,
    KernelShape,
    NormShape,
    OptimizerShape,
    PoolShape,
    RecurrentShape,
    SoftmaxShape,
    UnknownShape,
)
from advisor.model.quantity import Precision
from advisor.predict.functions import name_in_keras
from advisor.predict.work import bytes_moved, flop

# What a word of a category is worth as a distance, in natural logarithms of a dimension.
_WORDS: dict[type[KernelShape], tuple[object, ...]] = {
    RecurrentShape: tuple(Cell),
    ElementwiseShape: (
        "relu", "gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "dropout", "add", "multiply",
        "transpose",
    ),
    NormShape: ("batch", "layer", "batch_inference"),
    PoolShape: ("max", "average"),
}  # fmt: skip
# A convolution over a sequence or a volume is further from one over a picture.
_OTHER_SPACE = 2.0


@functools.singledispatch
def features(shape: KernelShape) -> tuple[tuple[object, ...], tuple[int, ...]]:
    """Return the category of a shape, and the dimensions that make more work as they grow."""
    raise TypeError(f"no features of {type(shape).__name__}")


@features.register
def _(shape: GemmShape) -> tuple[tuple[object, ...], tuple[int, ...]]:
    return (shape.transpose_a, shape.transpose_b), (shape.batch, shape.m, shape.n, shape.k)


@features.register
def _(shape: ConvShape) -> tuple[tuple[object, ...], tuple[int, ...]]:
    places = shape.spatial if shape.is_transposed else shape.output
    sizes = (
        shape.n,
        math.prod(places),
        shape.groups,
        shape.c // shape.groups,
        max(1, shape.k // shape.groups),
        math.prod(shape.kernel),
    )
    return (shape.is_transposed, len(shape.kernel), max(shape.strides) > 1), sizes


@features.register
def _(shape: RecurrentShape) -> tuple[tuple[object, ...], tuple[int, ...]]:
    sizes = (shape.batch, shape.timesteps, shape.input, shape.hidden)
    return (shape.cell, shape.is_bidirectional), sizes


@features.register
def _(shape: NormShape) -> tuple[tuple[object, ...], tuple[int, ...]]:
    return (shape.kind,), (shape.elements, shape.channels)


@features.register
def _(shape: PoolShape) -> tuple[tuple[object, ...], tuple[int, ...]]:
    return (shape.mode,), (shape.n * shape.c, math.prod(shape.output), math.prod(shape.kernel))


@features.register
def _(shape: ElementwiseShape) -> tuple[tuple[object, ...], tuple[int, ...]]:
    return (shape.op,), (shape.elements, shape.n_inputs)


@features.register
def _(shape: SoftmaxShape) -> tuple[tuple[object, ...], tuple[int, ...]]:
    return (), (shape.rows, shape.columns)


@features.register
def _(shape: EmbeddingShape) -> tuple[tuple[object, ...], tuple[int, ...]]:
    return (), (shape.indices, shape.dim, shape.vocabulary)


@features.register
def _(shape: OptimizerShape) -> tuple[tuple[object, ...], tuple[int, ...]]:
    return (shape.optimizer.lower(),), (max(1, shape.parameters), max(1, shape.variables))


@features.register
def _(shape: UnknownShape) -> tuple[tuple[object, ...], tuple[int, ...]]:
    return (shape.layer_type,), (max(1, shape.elements),)


def numbers(shape: KernelShape, *, direction: Direction) -> tuple[float, ...]:
    """Return as many numbers for each shape of a class; alike shapes have alike ones.

    Logarithms of sizes, of the work and of the traffic, then one for each word or property.
    """
    category, sizes = features(shape)
    traffic = bytes_moved(shape, direction=direction, precision=Precision.FLOAT32)
    work = flop(shape, direction=direction)
    logs = [math.log(max(1, size)) for size in (*sizes, work, traffic)]
    return (*logs, *_properties(shape, category))


def _properties(shape: KernelShape, category: tuple[object, ...]) -> tuple[float, ...]:
    if isinstance(shape, ConvShape):
        return (
            _OTHER_SPACE * (len(shape.kernel) == 1),
            _OTHER_SPACE * (len(shape.kernel) == 3),
            _OTHER_SPACE * shape.is_transposed,
            float(max(shape.strides) > 1),
            float(shape.n == 1),
            float(math.prod(shape.spatial) == 1),
            float(math.prod(shape.kernel) == 1),
        )
    if isinstance(shape, GemmShape):
        return float(shape.transpose_b), float(shape.transpose_a), float(shape.batch > 1)
    said = category[0] if category else None
    if isinstance(shape, ElementwiseShape):
        said = name_in_keras(shape.op)
    words = tuple(float(said == known) for known in _WORDS.get(type(shape), ()))
    if isinstance(shape, RecurrentShape):
        return (*words, float(shape.is_bidirectional))
    if isinstance(shape, NormShape):
        return (*words, _OTHER_SPACE * (said == "group"))
    if isinstance(shape, PoolShape):
        return (
            *words,
            _OTHER_SPACE * (len(shape.kernel) == 1),
            _OTHER_SPACE * (len(shape.kernel) == 3),
            _OTHER_SPACE * (shape.kernel == shape.spatial),
        )
    return words
