"""Kernels as arrays of NumPy: the operands, and the check of what any framework makes of them.

Only what every framework has: products, plain convolutions of images, LSTM layers. Images are
(n, h, w, c), filters (r, s, c, k), weights of an LSTM as Keras orders them (gates: in, forget,
candidate, out).
Leaves to others: running them (`torch_kernels`, `jax_kernels`, ...).
"""

import numpy as np
import worker_check
import worker_conv_reference
import worker_errors
import worker_keras_conv
import worker_operands
import worker_recurrent_reference

_N_CHECKED = 48
_N_CHECKED_SAMPLES = 2
_STEP = 1e-4


def round_to(values, precision):
    """Return values that a precision represents exactly, as float32."""
    if precision == "float16":
        return values.astype(np.float16).astype(np.float32)
    if precision != "bfloat16":
        return values
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    # To the nearest, ties to even.
    bits = bits + 0x7FFF + ((bits >> 16) & 1)
    return (bits & np.uint32(0xFFFF0000)).view(np.float32)


class _Random:
    """Makes operands of a precision; the same each time."""

    def __init__(self, precision):
        self._random = np.random.default_rng(1)
        self._precision = precision

    def normal(self, shape, scale=1.0):
        values = self._random.standard_normal(shape, dtype=np.float32) * np.float32(scale)
        return round_to(values, self._precision)

    def whole(self, shape, low, high, dtype):
        return self._random.integers(low, high, shape, dtype=dtype)


class GemmProblem:
    """A product: stored operands `a` and `b`, and whether each is used transposed.

    In int8, `a` has no sign, and both are small enough that sums of two products fit into 16 bits:
    processors without instructions for 8 bits clip larger ones.
    """

    def __init__(self, kernel):
        shape = kernel["shape"]
        stored_a, stored_b = worker_operands.operands(shape, kernel["direction"])
        random = _Random(kernel["precision"])
        leading = (shape["batch"],) if shape["batch"] > 1 else ()
        if kernel["precision"] == "int8":
            self.a = random.whole(leading + stored_a[0], 0, 128, np.uint8)
            self.b = random.whole(leading + stored_b[0], -64, 64, np.int8)
        else:
            self.a = random.normal(leading + stored_a[0])
            self.b = random.normal(leading + stored_b[0])
        self.transpose_a, self.transpose_b = stored_a[1], stored_b[1]
        self._precision = kernel["precision"]

    def operands(self):
        """Return both operands as they are multiplied, views of what is stored."""
        a = np.swapaxes(self.a, -1, -2) if self.transpose_a else self.a
        b = np.swapaxes(self.b, -1, -2) if self.transpose_b else self.b
        return a, b

    def check(self, found):
        """Compare some rows of the product with double precision."""
        a, b = self.operands()
        if a.ndim == 3:
            a, b, found = a[-1], b[-1], found[-1]
        rows = np.unique(np.linspace(0, a.shape[0] - 1, 5).astype(int))
        expected = a[rows].astype(np.float64) @ b.astype(np.float64)
        return worker_check.compare(found[rows], expected, self._precision, "rows of the product")


class ConvProblem:
    """A convolution of images: `images`, `filters` and the `gradient` of the result.

    `direction` is forward, input_gradient or weight_gradient; `pads` the zeros before and after
    each axis.
    """

    def __init__(self, kernel):
        shape = kernel["shape"]
        geometry = worker_keras_conv.ConvGeometry(shape)
        if geometry.rank != 2 or len(shape["spatial"]) != 2 or shape["is_transposed"]:
            raise worker_errors.UnsupportedKernel("only convolutions of images are timed here")
        if shape["groups"] != 1:
            raise worker_errors.UnsupportedKernel("convolutions in groups are not timed here")
        self.direction = worker_keras_conv.operation_of(kernel["direction"], False)
        self.strides, self.dilation = geometry.strides, geometry.dilation
        self.pads = geometry.pads
        random = _Random(kernel["precision"])
        self.images = random.normal(geometry.image_shape)
        self.filters = random.normal(geometry.filter_shape)
        self.gradient = random.normal(geometry.result_shape)
        self._geometry = geometry
        self._precision = kernel["precision"]

    def check(self, found):
        """Compare some values, channels last, with the definition."""
        first, second = {
            "forward": (self.images, self.filters),
            "input_gradient": (self.gradient, self.filters),
            "weight_gradient": (self.images, self.gradient),
        }[self.direction]
        positions = worker_conv_reference.sample_positions(found.shape, _N_CHECKED)
        expected = worker_keras_conv.expected_values(
            self._geometry, self.direction, first, second, positions
        )
        values = [found[position] for position in positions]
        return worker_check.compare(values, expected, self._precision, "the definition")


class LstmProblem:
    """An LSTM layer that gives its last state, without dropout: `inputs` and `weights`.

    `weights` are kernel, recurrent kernel and bias; `gradient` is that of the result;
    `direction` is forward or backward.
    """

    def __init__(self, kernel):
        shape = kernel["shape"]
        flags = ("is_bidirectional", "return_sequences", "is_masked", "is_split")
        if shape["cell"] != "lstm" or any(shape[flag] for flag in flags):
            raise worker_errors.UnsupportedKernel(
                "of recurrent layers only an LSTM that gives its last state is timed here"
            )
        self.direction = kernel["direction"]
        if self.direction not in ("forward", "backward"):
            raise worker_errors.UnsupportedKernel(
                "a recurrent layer has no direction " + self.direction
            )
        random = _Random(kernel["precision"])
        self.hidden, inputs = shape["hidden"], shape["input"]
        self.inputs = random.normal((shape["batch"], shape["timesteps"], inputs))
        self.weights = (
            random.normal((inputs, 4 * self.hidden), inputs**-0.5),
            random.normal((self.hidden, 4 * self.hidden), self.hidden**-0.5),
            random.normal((4 * self.hidden,), 0.1),
        )
        self.gradient = random.normal((shape["batch"], self.hidden), self.hidden**-0.5)
        self._precision = kernel["precision"]

    def _last_states(self, inputs):
        return worker_recurrent_reference.run_cell("lstm", inputs, self.weights)[:, -1]

    def check(self, found):
        """Compare the last states, or the gradient of the inputs, with the cell's definition."""
        if self.direction == "forward":
            expected = self._last_states(self.inputs[:_N_CHECKED_SAMPLES])
            found = found[:_N_CHECKED_SAMPLES]
            return worker_check.compare(found, expected, self._precision, "the cell's definition")
        sample = self.inputs[:1].astype(np.float64)
        directions = np.random.default_rng(5).standard_normal((4, *sample.shape))
        expected = [self._slope(sample, direction) for direction in directions]
        return worker_check.compare_slopes(found[:1], directions, expected, self._precision)

    def _slope(self, sample, direction):
        """Return how fast the loss grows in a direction, from two evaluations."""
        ends = [
            float(np.sum(self._last_states(sample + sign * _STEP * direction) * self.gradient[:1]))
            for sign in (1, -1)
        ]
        return (ends[0] - ends[1]) / (2 * _STEP)


PROBLEMS = {"GemmShape": GemmProblem, "ConvShape": ConvProblem, "RecurrentShape": LstmProblem}


def problem_of(kernel, precisions):
    """Return the problem of a kernel.

    Raises:
        worker_errors.UnsupportedKernel: when no framework is timed on it, or not in its
            precision, of which there are `precisions`.
    """
    if kernel["precision"] not in precisions:
        raise worker_errors.UnsupportedKernel("there is no timing here in " + kernel["precision"])
    name = kernel["shape"]["type"]
    if name not in PROBLEMS:
        raise worker_errors.UnsupportedKernel("other frameworks are not timed on a " + name)
    return PROBLEMS[name](kernel)
