"""Geometry of convolutions and pools: from a shape to source, target, taps, strides and padding.

Leaves to others: running (`opencl_conv`), references (`opencl_conv_reference`).
"""

from collections import namedtuple

import numpy as np
import worker_errors
import worker_padding

# `source` and `target` are (height, width, channels) of input and output of the forward pass.
Geometry = namedtuple("Geometry", "n source target taps strides dilation pad groups")


def _two_axes(values, fill):
    values = list(values)
    if len(values) > 2:
        raise worker_errors.UnsupportedKernel("OpenCL has no kernel for 3 spatial dimensions")
    return tuple([fill] * (2 - len(values)) + values)


def geometry(shape, n=None):
    """Return the geometry of a convolution or pool of 1 or 2 dimensions.

    A transposed convolution has that of the convolution whose gradient it is.

    Args:
        shape: fields of `ConvShape` or `PoolShape`.
        n: images, None for those of the shape.
    """
    taps = _two_axes(shape["kernel"], 1)
    strides = _two_axes(shape["strides"], 1)
    dilation = _two_axes(shape.get("dilation") or [1] * len(shape["kernel"]), 1)
    source = (*_two_axes(shape["spatial"], 1), shape["c"])
    target = (*_two_axes(shape["output"], 1), shape.get("k", shape["c"]))
    groups = shape.get("groups", 1)
    if shape.get("is_transposed"):
        source, target = target, source
        if groups != 1:
            raise worker_errors.UnsupportedKernel("OpenCL has no transposed convolution in groups")
    pad = tuple(
        worker_padding.padding_of(*axis)[0]
        for axis in zip(source[:2], taps, strides, dilation, target[:2])  # noqa: B905 - Python 3.8
    )
    n = shape["n"] if n is None else n
    return Geometry(n, source, target, taps, strides, dilation, pad, groups)


def multiply_adds(found):
    """Return the multiply-adds of a convolution."""
    height, width, k = found.target
    taps = found.taps[0] * found.taps[1]
    return found.n * height * width * k * taps * (found.source[2] // found.groups)


def as_array(found, is_gradient=False):
    """Return the integers that the kernels want; with `is_gradient` from output to input."""
    source, target = (found.target, found.source) if is_gradient else (found.source, found.target)
    classes = found.strides if is_gradient else (1, 1)
    return np.array(
        [
            found.n, *source, *target, *found.taps, *found.strides, *found.dilation, *found.pad,
            source[2] // found.groups, target[2] // found.groups, *classes,
        ],
        dtype=np.int32,
    )  # fmt: skip
