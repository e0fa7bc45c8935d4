"""Names of kernels in shared results: those that the published kernels have.

Leaves to others: reading such names back as shapes (`advisor.compare.shapes`).
"""

import re

from advisor.model.kernel import (
    ConvShape,
    GemmShape,
    KernelShape,
    PeakShape,
    RecurrentShape,
    StreamShape,
)

_N = r"[1-9][0-9]{0,6}"
_OR_0 = r"[0-9]{1,3}"
STREAM_OPS = ("copy", "scale", "add", "triad", "read", "local")
MAD_PEAK = "mad peak"

KERNEL_PATTERNS = (
    re.compile(rf"gemm m{_N} n{_N} k{_N} [NT][NT]"),
    re.compile(rf"conv w{_N} h{_N} c{_N} n{_N} k{_N} s{_N} r{_N} pad{_OR_0}x{_OR_0} str{_N}x{_N}"),
    re.compile(rf"lstm h{_N} n{_N} t{_N} i{_N}"),
    re.compile(rf"stream (?:{'|'.join(STREAM_OPS)})"),
    re.compile(re.escape(MAD_PEAK)),
)


def is_kernel(name: str) -> bool:
    """Return whether a name is one that this module gives."""
    return any(pattern.fullmatch(name) for pattern in KERNEL_PATTERNS)


def kernel_name(shape: KernelShape) -> str | None:
    """Return the name of a kernel, None for kinds that nobody could compare."""
    name = _name(shape)
    return name if name is not None and is_kernel(name) else None


def _name(shape: KernelShape) -> str | None:
    if isinstance(shape, GemmShape) and shape.batch == 1:
        stored = ("NT"[shape.transpose_a], "NT"[shape.transpose_b])
        return f"gemm m{shape.m} n{shape.n} k{shape.k} {''.join(stored)}"
    if isinstance(shape, ConvShape):
        return _conv_name(shape)
    if isinstance(shape, RecurrentShape):
        is_plain = shape.cell.value == "lstm" and not shape.is_bidirectional
        words = f"lstm h{shape.hidden} n{shape.batch} t{shape.timesteps} i{shape.input}"
        return words if is_plain else None
    if isinstance(shape, StreamShape):
        return f"stream {shape.op}"
    if isinstance(shape, PeakShape):
        return MAD_PEAK if shape.width == 0 else None
    return None


def _conv_name(shape: ConvShape) -> str | None:
    """Return the name of a plain image convolution; None when its padding is not symmetric."""
    is_plain = shape.groups == 1 and not shape.is_transposed and set(shape.dilation) == {1}
    if len(shape.spatial) != 2 or not is_plain:
        return None
    pads = []
    for size, kernel, stride, output in zip(
        shape.spatial, shape.kernel, shape.strides, shape.output, strict=True
    ):
        twice = (output - 1) * stride + kernel - size
        pads.append(max(0, -(-twice // 2)))
        if (size + 2 * pads[-1] - kernel) // stride + 1 != output:
            return None
    (height, width), (rows, columns) = shape.spatial, shape.kernel
    return (
        f"conv w{width} h{height} c{shape.c} n{shape.n} k{shape.k} s{columns} r{rows} "
        f"pad{pads[1]}x{pads[0]} str{shape.strides[1]}x{shape.strides[0]}"
    )
