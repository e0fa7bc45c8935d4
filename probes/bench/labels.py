"""Short readable names of kernel shapes, for the ids of requests.

Leaves to others: names for people (`advisor.report.names`).
"""

import functools

from advisor.model.kernel import (
    ClockShape,
    ConvShape,
    Direction,
    ElementwiseShape,
    EmbeddingShape,
    GemmShape,
    KernelShape,
    NormShape,
    OptimizerShape,
    OverheadShape,
    PeakShape,
    PoolShape,
    RecurrentShape,
    SoftmaxShape,
    StreamShape,
    TransferShape,
)


def _by(sizes: tuple[int, ...]) -> str:
    return "x".join(str(size) for size in sizes)


@functools.singledispatch
def shape_label(shape: KernelShape) -> str:
    """Return class and dimensions of a shape in one word; equal only for equal shapes.

    Raises:
        TypeError: for a shape that no worker runs.
    """
    raise TypeError(f"a {type(shape).__name__} cannot be measured")


@shape_label.register
def _(shape: GemmShape) -> str:
    turned = "t" if shape.transpose_a else "", "t" if shape.transpose_b else ""
    flags = f"-{turned[0] or 'n'}{turned[1] or 'n'}" if any(turned) else ""
    batch = f"b{shape.batch}" if shape.batch > 1 else ""
    return f"gemm-{batch}m{shape.m}n{shape.n}k{shape.k}{flags}"


@shape_label.register
def _(shape: ConvShape) -> str:
    kind = "conv"
    if shape.is_transposed:
        kind = "transposed"
    elif shape.groups > 1:
        kind = "depthwise" if shape.is_depthwise else f"conv-g{shape.groups}"
    kind += "-as-groups" if shape.as_groups else ""
    dilation = f"d{_by(shape.dilation)}" if any(step > 1 for step in shape.dilation) else ""
    return (
        f"{kind}-n{shape.n}c{shape.c}i{_by(shape.spatial)}k{shape.k}r{_by(shape.kernel)}"
        f"s{_by(shape.strides)}o{_by(shape.output)}{dilation}"
    )


@shape_label.register
def _(shape: RecurrentShape) -> str:
    flags = ("-bi" if shape.is_bidirectional else "") + ("-seq" if shape.return_sequences else "")
    flags += ("-masked" if shape.is_masked else "") + ("-split" if shape.is_split else "")
    dropped = ("-inputs" if shape.drops_inputs else "") + ("-states" if shape.drops_states else "")
    flags += f"-dropped{dropped}" if dropped else ""
    sizes = f"b{shape.batch}t{shape.timesteps}i{shape.input}h{shape.hidden}"
    return f"{shape.cell}-{sizes}{flags}"


@shape_label.register
def _(shape: NormShape) -> str:
    return f"norm-{shape.kind}-e{shape.elements}c{shape.channels}"


@shape_label.register
def _(shape: PoolShape) -> str:
    return (
        f"pool-{shape.mode}-n{shape.n}c{shape.c}i{_by(shape.spatial)}r{_by(shape.kernel)}"
        f"s{_by(shape.strides)}o{_by(shape.output)}"
    )


@shape_label.register
def _(shape: ElementwiseShape) -> str:
    return f"elementwise-{shape.op}-e{shape.elements}x{shape.n_inputs}"


@shape_label.register
def _(shape: SoftmaxShape) -> str:
    return f"softmax-r{shape.rows}c{shape.columns}"


@shape_label.register
def _(shape: EmbeddingShape) -> str:
    return f"embedding-i{shape.indices}d{shape.dim}v{shape.vocabulary}"


@shape_label.register
def _(shape: OptimizerShape) -> str:
    return f"optimizer-{shape.optimizer}-p{shape.parameters}v{shape.variables}"


@shape_label.register
def _(shape: StreamShape) -> str:
    return f"stream-{shape.op}-e{shape.elements}"


@shape_label.register
def _(shape: PeakShape) -> str:
    return f"peak-w{shape.width}" if shape.width else "peak-best"


@shape_label.register
def _(shape: ClockShape) -> str:
    return f"clock-{shape.load}"


@shape_label.register
def _(shape: OverheadShape) -> str:
    return f"overhead-{shape.kind}"


@shape_label.register
def _(shape: TransferShape) -> str:
    return f"transfer-to-{shape.to}-{shape.size_bytes}"


def kernel_label(shape: KernelShape, *, direction: Direction) -> str:
    """Return shape and direction as one path."""
    return f"{shape_label(shape)}/{direction}"
