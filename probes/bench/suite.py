"""The table of what is measured: kernels of the CPU's frameworks.

Shapes are those of the layers that networks have, spread over sizes so that the time of any other
shape can be interpolated: twelve spread shapes of convolution do nearly as well as fifty, ten of
dense layers suffice, three sizes of element-wise work are needed (in and out of the caches, and
so small that only dispatch is left). Each group begins with what is missed most, so that a run
that is cut short has seen something of everything.
Leaves to others: the table of OpenCL devices (`probes.bench.suite_opencl`), which rows a machine,
a phase and a budget need (`probes.bench.plan`).
"""

from dataclasses import dataclass

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
    OverheadShape,
    PoolShape,
    RecurrentShape,
    SoftmaxShape,
)

FORWARD = (Direction.FORWARD,)
BOTH = (Direction.FORWARD, Direction.BACKWARD)
# Of the first layer of a network: nothing asks for the gradient of a picture.
FIRST = (Direction.FORWARD, Direction.WEIGHT_GRADIENT)
THREE = (Direction.FORWARD, Direction.INPUT_GRADIENT, Direction.WEIGHT_GRADIENT)
UPDATE = (Direction.UPDATE,)
# Of headlines: a difference scatters too much for a figure that is shown and compared.
WHOLE = (Direction.FORWARD, Direction.BOTH)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A shape and the directions in which it is timed.

    Attributes:
        tier: 1 to 3; a run that is cut short loses the highest first.
        is_thorough: only in a thorough run.
    """

    shape: KernelShape
    directions: tuple[Direction, ...] = FORWARD
    tier: int = 2
    is_thorough: bool = False


def gemm(size: int) -> GemmShape:
    """Return a square product."""
    return GemmShape(m=size, n=size, k=size)


def dense(batch: int, inputs: int, units: int) -> GemmShape:
    """Return the product of a dense layer."""
    return GemmShape(m=batch, n=units, k=inputs)


def conv(
    n: int, c: int, side: int, k: int, kernel: int, *, stride: int = 1, groups: int = 1
) -> ConvShape:
    """Return a square convolution whose padding keeps the size (divided by the stride)."""
    output = -(-side // stride)
    return ConvShape(
        n=n,
        c=c,
        spatial=(side, side),
        k=k,
        kernel=(kernel, kernel),
        strides=(stride, stride),
        output=(output, output),
        dilation=(1, 1),
        groups=groups,
    )


def text_conv(n: int, c: int, length: int, k: int, kernel: int) -> ConvShape:
    """Return a convolution over a sequence, without padding."""
    return ConvShape(
        n=n,
        c=c,
        spatial=(length,),
        k=k,
        kernel=(kernel,),
        strides=(1,),
        output=(length - kernel + 1,),
        dilation=(1,),
    )


def depthwise(n: int, c: int, side: int, *, stride: int = 1) -> ConvShape:
    """Return a 3x3 convolution of each channel by itself."""
    return conv(n, c, side, c, 3, stride=stride, groups=c)


def recurrent(
    cell: Cell, batch: int, timesteps: int, inputs: int, hidden: int, *, both_ways: bool = False
) -> RecurrentShape:
    """Return a recurrent layer that gives its last output."""
    return RecurrentShape(
        cell=cell,
        batch=batch,
        timesteps=timesteps,
        input=inputs,
        hidden=hidden,
        is_bidirectional=both_ways,
    )


def transposed(n: int, c: int, side: int, k: int, kernel: int) -> ConvShape:
    """Return a transposed convolution that doubles the size of a picture."""
    return ConvShape(
        n=n,
        c=c,
        spatial=(side, side),
        k=k,
        kernel=(kernel, kernel),
        strides=(2, 2),
        output=(2 * side, 2 * side),
        dilation=(1, 1),
        is_transposed=True,
    )


def pool(mode: str, n: int, c: int, side: int, window: int, stride: int) -> PoolShape:
    """Return a square pool; without padding unless the windows overlap."""
    output = -(-side // stride) if window > stride else (side - window) // stride + 1
    return PoolShape(
        mode=mode,
        n=n,
        c=c,
        spatial=(side, side),
        kernel=(window, window),
        strides=(stride, stride),
        output=(output, output),
    )


HEADLINE_GEMM_SIZES = (512, 1024, 2048)
HEADLINE_CONV = conv(8, 128, 28, 128, 3)
HEADLINE_LSTM = recurrent(Cell.LSTM, 32, 20, 128, 256)
STREAM_OP = "triad"

CONVOLUTIONS = (
    Row(shape=conv(4, 64, 56, 64, 3), directions=THREE, tier=1),
    # So small that only starting it is left, which decides small batches and deep networks.
    Row(shape=conv(4, 16, 8, 16, 3), directions=THREE, tier=1),
    Row(shape=conv(32, 3, 32, 32, 3), directions=FIRST, tier=1),
    Row(shape=conv(4, 512, 7, 512, 3), directions=THREE),
    Row(shape=conv(4, 64, 56, 256, 1), directions=THREE, tier=1),
    Row(shape=conv(64, 1, 28, 32, 3), directions=FIRST),
    Row(shape=conv(4, 1024, 14, 256, 1), directions=THREE),
    Row(shape=conv(2, 3, 224, 64, 7, stride=2), directions=FIRST),
    Row(shape=conv(32, 32, 16, 32, 3), directions=THREE, tier=1),
    Row(shape=conv(4, 256, 14, 256, 3), directions=THREE, tier=3),
    Row(shape=text_conv(16, 50, 400, 250, 3), directions=THREE),
    Row(shape=conv(64, 64, 8, 64, 3), directions=THREE),
    Row(shape=conv(4, 128, 28, 256, 3, stride=2), directions=THREE),
    Row(shape=transposed(8, 64, 12, 32, 3), directions=THREE),
    # Few results for each place: the last layer of a network that gives pictures.
    Row(shape=conv(16, 24, 48, 3, 3), directions=THREE, tier=1),
    Row(shape=conv(8, 512, 7, 2048, 1), directions=THREE, is_thorough=True),
    Row(shape=conv(32, 16, 32, 16, 3), directions=THREE, is_thorough=True),
    Row(shape=conv(1, 64, 56, 64, 3), directions=THREE, tier=3),
    Row(shape=conv(8, 64, 12, 64, 5), directions=THREE, tier=3),
    Row(shape=conv(1, 3, 224, 32, 3, stride=2), directions=FIRST, tier=3),
    Row(shape=conv(1, 256, 14, 256, 3), directions=THREE, is_thorough=True),
    Row(shape=conv(128, 3, 32, 64, 3), directions=THREE, is_thorough=True),
    Row(shape=conv(32, 64, 32, 64, 3), directions=THREE, is_thorough=True),
    Row(shape=conv(16, 256, 56, 64, 1), directions=THREE, is_thorough=True),
    Row(shape=conv(16, 128, 28, 128, 3), directions=THREE, is_thorough=True),
    Row(shape=conv(16, 512, 28, 128, 1), directions=THREE, is_thorough=True),
    Row(shape=conv(128, 32, 14, 64, 5), directions=THREE, is_thorough=True),
    Row(shape=text_conv(128, 128, 100, 128, 5), directions=THREE, is_thorough=True),
)
DEPTHWISES = (
    Row(shape=depthwise(4, 64, 56), directions=THREE, tier=1),
    Row(shape=depthwise(4, 32, 8), directions=THREE),
    # Libraries have another program for this window, whose gradient may take ten times as long.
    Row(shape=conv(4, 96, 14, 96, 5, groups=96), directions=THREE),
    Row(shape=depthwise(4, 512, 14), directions=THREE),
    Row(shape=depthwise(4, 96, 56, stride=2), directions=THREE, tier=3),
    Row(shape=depthwise(16, 32, 112), directions=THREE, is_thorough=True),
    Row(shape=depthwise(1, 960, 7), directions=THREE, is_thorough=True),
)
DENSES = (
    Row(shape=dense(128, 784, 512), directions=THREE, tier=1),
    Row(shape=dense(1, 2048, 1000), directions=THREE, tier=1),
    Row(shape=dense(32, 512, 10), directions=THREE, tier=1),
    Row(shape=dense(256, 1024, 1024), directions=THREE),
    Row(shape=dense(32, 256, 256), directions=THREE),
    Row(shape=dense(128, 512, 512), directions=THREE, is_thorough=True),
    Row(shape=dense(64, 4096, 1024), directions=THREE, tier=1),
    Row(shape=dense(1024, 64, 64), directions=THREE),
    # Attention: many small products at once.
    Row(shape=GemmShape(m=64, n=64, k=32, batch=48), directions=THREE, tier=1),
    Row(shape=GemmShape(m=64, n=128, k=128, batch=16), directions=THREE),
    Row(shape=dense(32, 1600, 512), directions=THREE, is_thorough=True),
    Row(shape=dense(2048, 128, 128), directions=THREE, tier=3),
    Row(shape=dense(64, 4096, 4096), directions=THREE, is_thorough=True),
    Row(shape=dense(1, 4096, 4096), directions=THREE, is_thorough=True),
    Row(shape=dense(1024, 2048, 2048), directions=THREE, is_thorough=True),
)
# Products of the DeepBench study, plain and with either operand transposed: how a library reads
# its operands decides much where they are long and narrow.
TRANSPOSED_PRODUCTS = tuple(
    Row(shape=GemmShape(m=m, n=n, k=k, transpose_a=a, transpose_b=b), is_thorough=True)
    for m, n, k, a, b in (
        (1024, 2048, 26752, False, True),
        (1024, 2048, 26752, False, False),
        (1760, 128, 1760, False, False),
        (1760, 128, 1760, True, False),
        (1760, 128, 1760, False, True),
        (3072, 1500, 1024, False, False),
        (3072, 1500, 1024, True, False),
        (35, 700, 2048, False, False),
        (35, 700, 2048, False, True),
    )
)
# Two lengths of each: the slope is what a time step costs. Each takes as long to build as ten
# other kernels, so a slow machine has time for two beside the headline: the least, which tells what
# starting a time step costs, and the one that tells most of the others.
RECURRENTS = (
    Row(shape=recurrent(Cell.LSTM, 1, 10, 64, 64), directions=BOTH, tier=1),
    Row(shape=recurrent(Cell.LSTM, 32, 40, 64, 128), directions=BOTH, tier=1),
    Row(shape=recurrent(Cell.LSTM, 32, 10, 64, 128), directions=BOTH),
    Row(shape=recurrent(Cell.LSTM, 1, 40, 64, 64), directions=BOTH),
    Row(shape=recurrent(Cell.LSTM, 64, 6, 128, 256), directions=BOTH),
    Row(shape=recurrent(Cell.LSTM, 64, 18, 128, 256), directions=BOTH, tier=3),
    Row(shape=recurrent(Cell.LSTM, 32, 20, 64, 64, both_ways=True), directions=BOTH, tier=3),
    Row(shape=recurrent(Cell.GRU, 32, 10, 64, 128), directions=BOTH),
    Row(shape=recurrent(Cell.GRU, 32, 40, 64, 128), directions=BOTH, is_thorough=True),
    Row(shape=recurrent(Cell.GRU, 128, 10, 256, 256), directions=BOTH, is_thorough=True),
    Row(shape=recurrent(Cell.GRU, 128, 30, 256, 256), directions=BOTH, is_thorough=True),
    Row(shape=recurrent(Cell.RNN, 32, 10, 64, 128), directions=BOTH, is_thorough=True),
    Row(shape=recurrent(Cell.RNN, 32, 40, 64, 128), directions=BOTH, is_thorough=True),
    Row(
        shape=recurrent(Cell.LSTM, 32, 40, 64, 64, both_ways=True),
        directions=BOTH,
        is_thorough=True,
    ),
)
# Layers of one length: cells, batches and hidden sizes of the DeepBench study. The headline's is
# timed as a headline: its gradients follow from both directions together.
SINGLE_RECURRENTS = tuple(
    Row(shape=recurrent(cell, batch, 25, hidden, hidden), directions=BOTH, is_thorough=True)
    for cell, batch, hidden in (
        (Cell.LSTM, 16, 512),
        (Cell.LSTM, 32, 1024),
        (Cell.LSTM, 64, 1536),
        (Cell.LSTM, 16, 1760),
        (Cell.GRU, 32, 1024),
        (Cell.GRU, 32, 1536),
    )
)
NORMALISATIONS = (
    Row(shape=NormShape(kind="batch", elements=802_816, channels=64), directions=BOTH, tier=1),
    Row(shape=NormShape(kind="batch", elements=50_176, channels=256), directions=BOTH),
    Row(shape=NormShape(kind="layer", elements=262_144, channels=256), directions=BOTH, tier=1),
    Row(
        shape=NormShape(kind="batch", elements=6_422_528, channels=64),
        directions=BOTH,
        is_thorough=True,
    ),
    Row(
        shape=NormShape(kind="layer", elements=16_384, channels=64),
        directions=BOTH,
        is_thorough=True,
    ),
)
# Batch normalisation with the stored statistics is another kernel: that of inference.
INFERENCE_NORMALISATIONS = (
    Row(shape=NormShape(kind="batch_inference", elements=802_816, channels=64), tier=1),
    Row(shape=NormShape(kind="batch_inference", elements=50_176, channels=256)),
)
POOLS = (
    Row(shape=pool("max", 8, 64, 56, 2, 2), directions=BOTH, tier=1),
    Row(shape=pool("max", 4, 64, 112, 3, 2), directions=BOTH),
    Row(shape=pool("average", 8, 512, 7, 7, 7), directions=BOTH),
    Row(shape=pool("average", 8, 128, 28, 2, 2), directions=BOTH, tier=3),
    Row(shape=pool("max", 64, 32, 26, 2, 2), directions=BOTH, is_thorough=True),
)
ELEMENTWISES = (
    Row(shape=ElementwiseShape(op="relu", elements=4096), directions=BOTH, tier=1),
    Row(shape=ElementwiseShape(op="relu", elements=262_144), directions=BOTH, tier=1),
    Row(shape=ElementwiseShape(op="relu", elements=2_097_152), directions=BOTH, tier=1),
    Row(shape=ElementwiseShape(op="add", elements=262_144, n_inputs=2), directions=FORWARD),
    Row(shape=ElementwiseShape(op="add", elements=2_097_152, n_inputs=2)),
    Row(shape=ElementwiseShape(op="sigmoid", elements=262_144), directions=BOTH),
    Row(shape=ElementwiseShape(op="dropout", elements=262_144), tier=3),
    Row(shape=ElementwiseShape(op="gelu", elements=262_144), directions=BOTH, tier=1),
    Row(shape=ElementwiseShape(op="transpose", elements=32_768)),
    Row(shape=ElementwiseShape(op="transpose", elements=524_288), is_thorough=True),
    Row(shape=ElementwiseShape(op="relu", elements=16_777_216), directions=BOTH, is_thorough=True),
)
OTHERS = (
    Row(shape=SoftmaxShape(rows=128, columns=1000), directions=BOTH, tier=1),
    Row(
        shape=EmbeddingShape(indices=3200, dim=64, vocabulary=10_000),
        directions=BOTH,
    ),
)
OPTIMIZERS = (
    Row(
        shape=OptimizerShape(optimizer="adam", parameters=2_000_000, variables=8),
        directions=UPDATE,
        tier=1,
    ),
    Row(
        shape=OptimizerShape(optimizer="sgd", parameters=2_000_000, variables=8),
        directions=UPDATE,
        tier=1,
    ),
    # Of hundreds of small variables, as deep networks have them, each one costs.
    Row(
        shape=OptimizerShape(optimizer="adam", parameters=4096, variables=32),
        directions=UPDATE,
        tier=1,
    ),
    Row(
        shape=OptimizerShape(optimizer="rmsprop", parameters=2_000_000, variables=8),
        directions=UPDATE,
        tier=3,
    ),
)
TRAINING_OVERHEADS = (
    Row(shape=OverheadShape(kind="train_call"), tier=1),
    Row(shape=OverheadShape(kind="variable"), tier=2),
)
OVERHEADS = (
    Row(shape=OverheadShape(kind="dispatch"), tier=1),
    Row(shape=OverheadShape(kind="predict_call"), tier=1),
    Row(shape=OverheadShape(kind="waking"), tier=1),
    # Decides steps of large pictures and batches, and is 0.1 to 2 ns for each byte.
    Row(shape=OverheadShape(kind="fresh_mebibyte"), tier=1),
)

# What tells whether a shorter number format helps: its gain differs from class to class.
SHORT_FORMATS = (
    Row(shape=gemm(1024)),
    Row(shape=HEADLINE_CONV, directions=THREE),
    Row(shape=conv(32, 3, 32, 32, 3), directions=FIRST),
    Row(shape=dense(128, 784, 512), directions=THREE),
    Row(shape=recurrent(Cell.LSTM, 32, 10, 64, 128), directions=BOTH),
)
# Further kernels of a format that is asked for. What moves memory gains otherwise than products;
# batch normalisation and depthwise convolution may even lose.
ASKED_FORMATS = (
    Row(shape=NormShape(kind="batch", elements=802_816, channels=64), directions=BOTH),
    Row(shape=NormShape(kind="batch_inference", elements=802_816, channels=64)),
    Row(shape=ElementwiseShape(op="relu", elements=262_144), directions=BOTH),
    Row(shape=ElementwiseShape(op="relu", elements=2_097_152), directions=BOTH),
    Row(shape=ElementwiseShape(op="add", elements=262_144, n_inputs=2)),
    Row(shape=ElementwiseShape(op="add", elements=2_097_152, n_inputs=2)),
    Row(shape=ElementwiseShape(op="sigmoid", elements=262_144), directions=BOTH),
    Row(shape=depthwise(4, 64, 56), directions=THREE),
)
# What each other setting (threads, oneDNN off) is judged by.
SETTING_ROWS = (
    Row(shape=gemm(1024)),
    Row(shape=HEADLINE_CONV, directions=THREE),
    Row(shape=conv(32, 3, 32, 32, 3), directions=FIRST),
    Row(shape=dense(128, 784, 512), directions=THREE),
    Row(shape=dense(32, 256, 256), directions=THREE),
    Row(shape=depthwise(4, 64, 56), directions=THREE),
    Row(shape=recurrent(Cell.LSTM, 32, 10, 64, 128), directions=BOTH),
    Row(shape=ElementwiseShape(op="relu", elements=4096), directions=BOTH),
    Row(shape=ElementwiseShape(op="relu", elements=2_097_152), directions=BOTH),
    Row(shape=OverheadShape(kind="dispatch")),
    Row(shape=OverheadShape(kind="train_call")),
    Row(shape=OverheadShape(kind="predict_call")),
    Row(shape=OverheadShape(kind="waking")),
    Row(shape=OverheadShape(kind="fresh_mebibyte")),
)
