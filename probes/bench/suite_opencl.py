"""The table of what is measured on an OpenCL device.

Leaves to others: which rows a device and a budget need (`probes.bench.plan_opencl`), the shapes
that all devices share (`probes.bench.suite`).
"""

from advisor.model.kernel import (
    Cell,
    ElementwiseShape,
    GemmShape,
    OverheadShape,
    PeakShape,
    StreamShape,
    TransferShape,
)
from probes.bench.suite import (
    BOTH,
    HEADLINE_CONV,
    THREE,
    Row,
    conv,
    dense,
    depthwise,
    gemm,
    recurrent,
)


def turned(size: int, *, a: bool, b: bool) -> GemmShape:
    """Return a square product of which an operand is stored the other way round."""
    return GemmShape(m=size, n=size, k=size, transpose_a=a, transpose_b=b)


# An array so short that it costs no more than its launch.
SHORT_ELEMENTS = 4096
# The best of all vector widths; then each width by itself.
PEAK = Row(shape=PeakShape(), tier=1)
WIDTHS = tuple(
    Row(shape=PeakShape(width=width), tier=3, is_thorough=True) for width in (1, 2, 4, 8, 16)
)
# What tells whether a shorter number format helps.
HALF = (
    PEAK,
    Row(shape=gemm(1024)),
    Row(shape=HEADLINE_CONV),
)
LOCAL = Row(shape=StreamShape(op="local", elements=1 << 24), tier=1)
LAUNCHES = tuple(Row(shape=OverheadShape(kind=k), tier=1) for k in ("launch", "queued_launch"))
GEMM = Row(shape=gemm(1024), tier=1)
ROWS = (
    *LAUNCHES,
    PEAK,
    GEMM,
    Row(shape=HEADLINE_CONV, directions=THREE, tier=1),
    Row(shape=recurrent(Cell.LSTM, 32, 10, 128, 256), directions=BOTH, tier=1),
    Row(shape=gemm(512), tier=1),
    Row(shape=dense(128, 784, 512), directions=THREE),
    Row(shape=depthwise(4, 64, 56), directions=THREE, tier=3),
    Row(shape=ElementwiseShape(op="relu", elements=SHORT_ELEMENTS), tier=3),
    Row(shape=ElementwiseShape(op="relu", elements=2_097_152), tier=3),
    Row(shape=turned(1024, a=False, b=True)),
    Row(shape=turned(1024, a=True, b=False)),
    Row(shape=gemm(2048), is_thorough=True),
    Row(shape=recurrent(Cell.GRU, 32, 10, 128, 256), directions=BOTH, is_thorough=True),
    # Sizes of the DeepBench study; with a timestep's product much larger than its launch.
    Row(shape=recurrent(Cell.LSTM, 16, 25, 512, 512), directions=BOTH, is_thorough=True),
    Row(shape=recurrent(Cell.GRU, 32, 25, 1024, 1024), directions=BOTH, is_thorough=True),
    Row(shape=conv(4, 64, 56, 64, 3), directions=THREE, is_thorough=True),
    Row(shape=conv(4, 512, 7, 512, 3), directions=THREE, is_thorough=True),
)
TRANSFER_BYTES = 32 * 1024 * 1024
TRANSFERS = tuple(
    Row(shape=TransferShape(to=to, size_bytes=TRANSFER_BYTES), tier=1) for to in ("device", "host")
)


def is_headline(row: Row) -> bool:
    """Return whether a row is shown as the speed of a device; the others are for fitting alone."""
    return row.tier == 1 and not row.is_thorough and not isinstance(row.shape, OverheadShape)
