"""Convolutions of Keras on TensorFlow: plain, strided, dilated, depthwise, transposed, 1-D to 3-D.

Each direction is the single TensorFlow operation that computes it, in groups compiled by XLA, as
Keras has it. One dimension is run as two
with a height of one, which is what TensorFlow makes of it.
Leaves to others: the reference (`worker_conv_reference`).
"""

import math

import worker_check
import worker_conv_reference as reference
import worker_errors
import worker_keras_graph
import worker_padding

_N_CHECKED = 48
_MOST_COPIES = 8


class ConvGeometry:
    """A `ConvShape` with at least two spatial dimensions, and its padding."""

    def __init__(self, shape):
        lift = (1,) if len(shape["spatial"]) == 1 else ()
        self.n, self.c, self.k = shape["n"], shape["c"], shape["k"]
        self.spatial = lift + tuple(shape["spatial"])
        self.kernel = lift + tuple(shape["kernel"])
        self.strides = lift + tuple(shape["strides"])
        self.dilation = lift + tuple(shape["dilation"])
        self.output = lift + tuple(shape["output"])
        self.groups = shape["groups"]
        self.is_grouped = self.groups > 1 and (
            self.groups != self.c or shape.get("as_groups", False)
        )
        self.is_depthwise = self.groups > 1 and not self.is_grouped
        if shape["is_transposed"]:
            # The transposed convolution is the input gradient of this one.
            self.spatial, self.output = self.output, self.spatial
            self.c, self.k = self.k, self.c
        self.pads = [
            worker_padding.padding_of(*axis)
            for axis in zip(  # noqa: B905 - Python 3.8
                self.spatial, self.kernel, self.strides, self.dilation, self.output
            )
        ]

    @property
    def rank(self):
        """Return the number of spatial dimensions."""
        return len(self.spatial)

    @property
    def image_shape(self):
        """Return the shape of the images."""
        return (self.n, *self.spatial, self.c)

    @property
    def result_shape(self):
        """Return the shape of the results."""
        return (self.n, *self.output, self.k)

    @property
    def filter_shape(self):
        """Return the shape of the filters."""
        if self.is_depthwise:
            return (*self.kernel, self.c, self.k // self.c)
        return (*self.kernel, self.c // self.groups, self.k)

    @property
    def multiply_adds(self):
        """Return how many multiply-adds any direction takes."""
        inputs = self.c // self.groups * math.prod(self.kernel)
        return self.n * math.prod(self.output) * self.k * inputs

    @property
    def padding(self):
        """Return the name of the padding, "EXPLICIT" where it has none."""
        axes = range(self.rank)
        same = all(self.output[i] == -(-self.spatial[i] // self.strides[i]) for i in axes)
        if not any(before or after for before, after in self.pads):
            return "VALID"
        return "SAME" if same else "EXPLICIT"

    @property
    def explicit_pads(self):
        """Return the zeros of all axes as TensorFlow wants them; empty unless explicit."""
        if self.padding != "EXPLICIT":
            return []
        return [0, 0] + [zeros for pad in self.pads for zeros in pad] + [0, 0]

    def geometry(self):
        """Return what the reference needs."""
        return reference.Geometry(
            self.strides,
            self.dilation,
            [before for before, _ in self.pads],
            self.is_depthwise,
            self.groups if self.is_grouped else 1,
        )


def _names_of(problem):
    """Return the names of TensorFlow's operations for the three directions."""
    if problem.rank == 3:
        if problem.padding == "EXPLICIT":
            raise worker_errors.UnsupportedKernel("TensorFlow has no such padding in 3-D")
        return "Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2"
    stem = "DepthwiseConv2dNative" if problem.is_depthwise else "Conv2D"
    return stem, stem + "BackpropInput", stem + "BackpropFilter"


def _operations(tf, problem):
    """Return the functions (images, filters), (gradient, filters), (images, gradient)."""
    strides, dilations = [1, *problem.strides, 1], [1, *problem.dilation, 1]
    common = {"strides": strides, "padding": problem.padding, "dilations": dilations}
    if problem.rank != 3:
        common["explicit_paddings"] = problem.explicit_pads
    forward, to_input, to_filter = (getattr(tf.raw_ops, name) for name in _names_of(problem))

    def run_forward(images, filters):
        return forward(input=images, filter=filters, **common)

    def run_input_gradient(gradient, filters):
        return to_input(
            input_sizes=list(problem.image_shape), filter=filters, out_backprop=gradient, **common
        )

    def run_weight_gradient(images, gradient):
        return to_filter(
            input=images,
            filter_sizes=list(problem.filter_shape),
            out_backprop=gradient,
            **common,
        )

    return {
        "forward": run_forward,
        "input_gradient": run_input_gradient,
        "weight_gradient": run_weight_gradient,
    }


def operation_of(direction, is_transposed):
    """Return which operation of the plain convolution a direction is."""
    if direction not in ("forward", "input_gradient", "weight_gradient"):
        raise worker_errors.UnsupportedKernel("a convolution has no direction " + direction)
    if not is_transposed:
        return direction
    return {"forward": "input_gradient", "input_gradient": "forward"}.get(direction, direction)


def expected_values(problem, operation, first, second, positions):
    """Return the values of an operation at some positions."""
    geometry = problem.geometry()
    functions = {
        "forward": lambda at: reference.forward_value(geometry, first, second, at),
        "input_gradient": lambda at: reference.input_gradient_value(geometry, first, second, at),
        "weight_gradient": lambda at: reference.weight_gradient_value(geometry, first, second, at),
    }
    return [functions[operation](position) for position in positions]


def prepare_conv(graphs, kernel):
    """Return one direction of a `ConvShape`, ready to run."""
    tf, shape = graphs.tf, kernel["shape"]
    dtype = worker_keras_graph.dtype_of(kernel["precision"])
    problem = ConvGeometry(shape)
    operation = operation_of(kernel["direction"], shape["is_transposed"])
    run = _operations(tf, problem)[operation]
    if problem.is_grouped:
        # As Keras does: TensorFlow's own program has no gradient of convolutions in groups.
        run = tf.function(run, autograph=False, jit_compile=True)
    shapes = {
        "forward": (problem.image_shape, problem.filter_shape),
        "input_gradient": (problem.result_shape, problem.filter_shape),
        "weight_gradient": (problem.image_shape, problem.result_shape),
    }[operation]
    first, second = (graphs.random(size, dtype) for size in shapes)

    def check():
        found = tf.cast(run(first, second), "float32").numpy()
        positions = reference.sample_positions(found.shape, _N_CHECKED)
        left, right = (tf.cast(value, "float32").numpy() for value in (first, second))
        expected = expected_values(problem, operation, left, right, positions)
        values = [found[position] for position in positions]
        return worker_check.compare(values, expected, kernel["precision"], "the definition")

    copies = min(_MOST_COPIES, worker_keras_graph.copies_by_work(problem.multiply_adds))
    if problem.is_grouped:
        # Each takes up to a second, so that the call does not show.
        copies = 1
    return worker_keras_graph.Prepared(graphs.serial(run, [first, second], copies), check)
