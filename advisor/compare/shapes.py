"""Published kernels as shapes, and which shapes are alike enough to be compared.

Leaves to others: which rows and whose figures (`advisor.compare.kernels`).
"""

import math
import re

from advisor.model.kernel import (
    Cell,
    ConvShape,
    Direction,
    GemmShape,
    KernelShape,
    PeakShape,
    RecurrentShape,
    StreamShape,
)
from advisor.model.published import PublishedResult

# Sizes within this factor are alike.
ALIKE = 2.0
# A product without a dimension below this runs at the device's sustained rate.
LARGE_GEMM = 512
# Sizes of two such products may differ by more: the rate hardly follows them.
ALIKE_LARGE = 8.0

_GEMM = re.compile(r"gemm m(\d+) n(\d+) k(\d+) ([NT])([NT])\Z")
_MATMUL = re.compile(r"matmul dim=(\d+)x(\d+)x(\d+) dim=(\d+)x(\d+)x(\d+)\Z")
_LINEAR = re.compile(r"linear dim=(\d+)x(\d+)x(\d+) dim=(\d+)x(\d+) dim=\d+\Z")
_CONV = re.compile(
    r"conv w(\d+) h(\d+) c(\d+) n(\d+) k(\d+) s(\d+) r(\d+) pad(\d+)x(\d+) str(\d+)x(\d+)\Z"
)
_LSTM = re.compile(r"lstm h(\d+) n(\d+) t(\d+)\Z")
# Kernels of fixed name. The triad and the read are different traffic: they are never mixed.
_NAMED: dict[str, KernelShape] = {
    "stream triad": StreamShape(op="triad", elements=0),
    "stream read": StreamShape(op="read", elements=0),
    "clpeak global memory read": StreamShape(op="read", elements=0),
    "mad peak": PeakShape(),
    "clpeak fp32 mad peak": PeakShape(),
    "dlprimitives custom flops kernel": PeakShape(),
}
_DIRECTIONS = (
    ("input gradient", Direction.INPUT_GRADIENT),
    ("weight gradient", Direction.WEIGHT_GRADIENT),
    ("backward", Direction.BACKWARD),
    ("forward and backward", Direction.BOTH),
)


def _numbers(match: re.Match[str], count: int) -> tuple[int, ...]:
    return tuple(int(match[i]) for i in range(1, count + 1))


def _gemm(match: re.Match[str]) -> GemmShape:
    m, n, k = _numbers(match, 3)
    return GemmShape(m=m, n=n, k=k, transpose_a=match[4] == "T", transpose_b=match[5] == "T")


def _matmul(match: re.Match[str]) -> GemmShape:
    batch, m, k, _same_batch, _same_k, n = _numbers(match, 6)
    return GemmShape(m=m, n=n, k=k, batch=batch)


def _linear(match: re.Match[str]) -> GemmShape:
    batch, rows, k, _same_k, n = _numbers(match, 5)
    return GemmShape(m=batch * rows, n=n, k=k)


def _conv(match: re.Match[str]) -> ConvShape:
    w, h, c, n, k, s, r, pad_w, pad_h, stride_w, stride_h = _numbers(match, 11)
    return ConvShape(
        n=n,
        c=c,
        spatial=(h, w),
        k=k,
        kernel=(r, s),
        strides=(stride_h, stride_w),
        output=((h + 2 * pad_h - r) // stride_h + 1, (w + 2 * pad_w - s) // stride_w + 1),
        dilation=(1, 1),
    )


def _lstm(match: re.Match[str]) -> RecurrentShape:
    hidden, batch, timesteps = _numbers(match, 3)
    return RecurrentShape(
        cell=Cell.LSTM, batch=batch, timesteps=timesteps, input=hidden, hidden=hidden
    )


_READERS = (
    (_GEMM, _gemm), (_MATMUL, _matmul), (_LINEAR, _linear), (_CONV, _conv), (_LSTM, _lstm),
)  # fmt: skip


def published_shape(row: PublishedResult) -> KernelShape | None:
    """Return the shape that a published kernel's name stands for, None when it cannot be read.

    The elements of a stream and the input of an LSTM whose input product was left out are not
    published: they are 0 and the hidden size.
    """
    named = _NAMED.get(row.workload)
    if named is not None:
        return named
    for pattern, read in _READERS:
        match = pattern.match(row.workload)
        if match is not None:
            return read(match)
    return None


def published_direction(row: PublishedResult) -> Direction:
    """Return which computation of a layer a published kernel was; forward unless it says so."""
    note = (row.note or "").lower()
    for words, direction in _DIRECTIONS:
        if re.search(rf"(?:^|; ){words}\b", note):
            return direction
    return Direction.FORWARD


def _far(pairs: tuple[tuple[float, float], ...], *, most: float = ALIKE) -> float | None:
    """Return the distance of sizes in logarithms, None when one differs by more than `most`."""
    logs = [abs(math.log(a / b)) for a, b in pairs]
    if max(logs) > math.log(most) * (1.0 + 1e-9):
        return None
    return math.hypot(*logs)


def is_large(shape: GemmShape) -> bool:
    """Whether a product is one of those that show a device's sustained rate."""
    return shape.batch == 1 and min(shape.m, shape.n, shape.k) >= LARGE_GEMM


def _gemm_distance(own: GemmShape, other: GemmShape) -> float | None:
    if own.batch != 1 or other.batch != 1:
        return None
    most = ALIKE_LARGE if is_large(own) and is_large(other) else ALIKE
    # Rows and columns of the result change places when both operands are transposed.
    places = (
        ((own.m, other.m), (own.n, other.n), (own.k, other.k)),
        ((own.m, other.n), (own.n, other.m), (own.k, other.k)),
    )
    known = [far for pairs in places if (far := _far(pairs, most=most)) is not None]
    return min(known, default=None)


def _conv_distance(own: ConvShape, other: ConvShape) -> float | None:
    same = (own.kernel, own.strides, own.dilation, own.groups, own.is_transposed) == (
        other.kernel, other.strides, other.dilation, other.groups, other.is_transposed,
    )  # fmt: skip
    if not same:
        return None
    places = (math.prod(own.spatial) ** 0.5, math.prod(other.spatial) ** 0.5)
    return _far(((own.n, other.n), (own.c, other.c), (own.k, other.k), places))


def _recurrent_distance(own: RecurrentShape, other: RecurrentShape) -> float | None:
    if (own.cell, own.is_bidirectional) != (other.cell, other.is_bidirectional):
        return None
    return _far(((own.batch, other.batch), (own.hidden, other.hidden)))


def distance(own: KernelShape, other: KernelShape) -> float | None:
    """Return how far two kernels are apart, 0 for the same work; None when they are not alike.

    Every size must lie within a factor of 2, of large products within 8. The length of a
    sequence does not matter, because its steps follow one another.
    """
    if isinstance(own, GemmShape) and isinstance(other, GemmShape):
        return _gemm_distance(own, other)
    if isinstance(own, ConvShape) and isinstance(other, ConvShape):
        return _conv_distance(own, other)
    if isinstance(own, RecurrentShape) and isinstance(other, RecurrentShape):
        return _recurrent_distance(own, other)
    if isinstance(own, StreamShape) and isinstance(other, StreamShape):
        return 0.0 if own.op == other.op else None
    if isinstance(own, PeakShape) and isinstance(other, PeakShape):
        return 0.0
    return None
