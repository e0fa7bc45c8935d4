"""Convolutions in double precision, at some places: what the kernels are compared with.

Places are the corners of the first and last image and some between, so that edges are seen.
"""

import itertools

import numpy as np

_BETWEEN = 12
_PIXELS_OF_FILTER = 3


def places(n, height, width):
    """Return (image, y, x) of the corners and of places between."""
    corners = itertools.product({0, n - 1}, {0, height - 1}, {0, width - 1})
    generator = np.random.default_rng(3)
    between = [
        tuple(int(generator.integers(limit)) for limit in (n, height, width))
        for _ in range(_BETWEEN)
    ]
    return sorted({*corners, *between})


def _taps(found):
    return itertools.product(range(found.taps[0]), range(found.taps[1]))


def forward(found, x, filters, place):
    """Return the output at a place, [k]. Filters are [r, s, c of a group, k]."""
    image, at_y, at_x = place
    height, width, channels = found.source
    k = found.target[2]
    size_c, size_k = channels // found.groups, k // found.groups
    result = np.zeros(k)
    for r, s in _taps(found):
        y = at_y * found.strides[0] + r * found.dilation[0] - found.pad[0]
        x_at = at_x * found.strides[1] + s * found.dilation[1] - found.pad[1]
        if not (0 <= y < height and 0 <= x_at < width):
            continue
        pixel = x[image, y, x_at].astype(np.float64).reshape(found.groups, size_c)
        weights = filters[r, s].astype(np.float64).reshape(size_c, found.groups, size_k)
        result += np.einsum("gc,cgk->gk", pixel, weights).ravel()
    return result


def input_gradient(found, gradient, filters, place):
    """Return the gradient of the input at a place, [c]."""
    image, at_y, at_x = place
    height, width, k = found.target
    channels = found.source[2]
    size_c, size_k = channels // found.groups, k // found.groups
    result = np.zeros(channels)
    for r, s in _taps(found):
        y, y_rest = divmod(at_y + found.pad[0] - r * found.dilation[0], found.strides[0])
        x, x_rest = divmod(at_x + found.pad[1] - s * found.dilation[1], found.strides[1])
        if y_rest or x_rest or not (0 <= y < height and 0 <= x < width):
            continue
        pixel = gradient[image, y, x].astype(np.float64).reshape(found.groups, size_k)
        weights = filters[r, s].astype(np.float64).reshape(size_c, found.groups, size_k)
        result += np.einsum("gk,cgk->gc", pixel, weights).ravel()
    return result


def _overlap(found, axis, tap):
    """Return the outputs along an axis whose tap falls inside, and the first input they see."""
    shift = tap * found.dilation[axis] - found.pad[axis]
    stride, size = found.strides[axis], found.source[axis]
    inside = [o for o in range(found.target[axis]) if 0 <= o * stride + shift < size]
    if not inside:
        return slice(0, 0), slice(0, 0)
    first = inside[0] * stride + shift
    seen = slice(first, inside[-1] * stride + shift + 1, stride)
    return slice(inside[0], inside[-1] + 1), seen


def filter_taps(found):
    """Return the taps at which gradients of filters are compared: the corners."""
    rows, columns = {0, found.taps[0] - 1}, {0, found.taps[1] - 1}
    return sorted(itertools.product(rows, columns))


def filter_gradient(found, x, gradient, tap):
    """Return the gradient of the filters at a tap, [c of a group, k]."""
    rows, from_rows = _overlap(found, 0, tap[0])
    columns, from_columns = _overlap(found, 1, tap[1])
    seen = x[:, from_rows, from_columns].astype(np.float64)
    given = gradient[:, rows, columns].astype(np.float64)
    seen = seen.reshape(-1, found.groups, found.source[2] // found.groups)
    given = given.reshape(-1, found.groups, found.target[2] // found.groups)
    parts = [seen[:, group].T @ given[:, group] for group in range(found.groups)]
    return np.concatenate(parts, axis=1)
