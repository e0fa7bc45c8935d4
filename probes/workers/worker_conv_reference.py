"""Single values of a convolution and of its gradients, in double precision, by the definition.

Tensors are channels last with any number of spatial dimensions: images (n, ..., c), filters
(..., c / groups, k), depthwise (..., c, multiplier), results (n, ..., k). Gradients are for a
given gradient of the result.
Leaves to others: running the kernels (`worker_keras_conv`).
"""

import itertools

import numpy as np


class Geometry:
    """Strides, dilation, zeros before each axis; whether each channel has its own filters.

    `groups`: how many groups the channels are in, unless each has its own.
    """

    def __init__(self, strides, dilation, pad_before, is_depthwise, groups=1):
        self.groups = groups
        self.strides = strides
        self.dilation = dilation
        self.pad_before = pad_before
        self.is_depthwise = is_depthwise

    def place(self, axis, output, tap):
        """Return the index of the input that a tap sees for an output index."""
        shift = tap * self.dilation[axis] - self.pad_before[axis]
        return output * self.strides[axis] + shift

    def taps_of_output(self, axis, output, n_taps, size):
        """Return (tap, input index) for an output index, those outside of the input left out."""
        pairs = [(tap, self.place(axis, output, tap)) for tap in range(n_taps)]
        return [(tap, place) for tap, place in pairs if 0 <= place < size]

    def taps_of_input(self, axis, place, n_taps, n_outputs):
        """Return (tap, output index) of the outputs that see an input index."""
        pairs = []
        for tap in range(n_taps):
            shift = place + self.pad_before[axis] - tap * self.dilation[axis]
            output, is_between = divmod(shift, self.strides[axis])
            if not is_between and 0 <= output < n_outputs:
                pairs.append((tap, output))
        return pairs

    def outputs_of_tap(self, axis, tap, n_outputs, size):
        """Return (output index, input index) of all outputs for which a tap is inside."""
        pairs = [(output, self.place(axis, output, tap)) for output in range(n_outputs)]
        return [(output, place) for output, place in pairs if 0 <= place < size]


def _unzip(combination):
    """Return the first and the second entries of pairs."""
    return tuple(pair[0] for pair in combination), tuple(pair[1] for pair in combination)


def forward_value(geometry, images, filters, at):
    """Return the result at (image, ..., channel)."""
    n, output, k = at[0], at[1:-1], at[-1]
    axes = [
        geometry.taps_of_output(axis, position, filters.shape[axis], images.shape[1 + axis])
        for axis, position in enumerate(output)
    ]
    total = 0.0
    for combination in itertools.product(*axes):
        taps, places = _unzip(combination)
        if geometry.is_depthwise:
            c, multiple = divmod(k, filters.shape[-1])
            total += float(images[(n, *places, c)]) * float(filters[(*taps, c, multiple)])
        else:
            size = filters.shape[-2]
            first = k // (filters.shape[-1] // geometry.groups) * size
            seen = images[(n, *places)][first : first + size].astype(np.float64)
            total += float(seen @ filters[(*taps, slice(None), k)].astype(np.float64))
    return total


def input_gradient_value(geometry, gradient, filters, at):
    """Return the gradient of the input at (image, ..., channel)."""
    n, place, c = at[0], at[1:-1], at[-1]
    axes = [
        geometry.taps_of_input(axis, position, filters.shape[axis], gradient.shape[1 + axis])
        for axis, position in enumerate(place)
    ]
    total = 0.0
    for combination in itertools.product(*axes):
        taps, outputs = _unzip(combination)
        values = gradient[(n, *outputs)].astype(np.float64)
        group, inside = divmod(c, filters.shape[-2])
        weights = filters[(*taps, inside)].astype(np.float64)
        if geometry.is_depthwise:
            values = values[c * len(weights) : (c + 1) * len(weights)]
        elif geometry.groups > 1:
            size = len(weights) // geometry.groups
            weights = weights[group * size : (group + 1) * size]
            values = values[group * size : (group + 1) * size]
        total += float(values @ weights)
    return total


def weight_gradient_value(geometry, images, gradient, at):
    """Return the gradient of the filters at (..., channel, filter)."""
    taps, c, k = at[:-2], at[-2], at[-1]
    is_depthwise = geometry.is_depthwise
    channel = c * (gradient.shape[-1] // images.shape[-1]) + k if is_depthwise else k
    if geometry.groups > 1:
        group = k // (gradient.shape[-1] // geometry.groups)
        c += group * (images.shape[-1] // geometry.groups)
    axes = [
        geometry.outputs_of_tap(axis, tap, gradient.shape[1 + axis], images.shape[1 + axis])
        for axis, tap in enumerate(taps)
    ]
    if not all(axes):
        return 0.0
    outputs, places = _unzip([_unzip(axis) for axis in axes])
    everybody = range(images.shape[0])
    seen = images[np.ix_(everybody, *places, [c])].astype(np.float64)
    given = gradient[np.ix_(everybody, *outputs, [channel])].astype(np.float64)
    return float(np.sum(seen * given))


def sample_positions(shape, count):
    """Return positions spread over an array, first and last among them; the same each time."""
    random = np.random.default_rng(3)
    inside = [tuple(int(random.integers(size)) for size in shape) for _ in range(count - 2)]
    return [tuple(0 for _ in shape), tuple(size - 1 for size in shape), *inside]
