"""Normalisation, element-wise operations and softmax, stacked as in a network.

In a stack the buffers of a graph are used again, as they are in a training step; backward goes
through the whole stack, less forward.
Batch normalisation is the layer of Keras: kind "batch" as in training, with the statistics of
the batch, kind "batch_inference" with the stored ones.
Leaves to others: pooling and look-ups (`worker_keras_windows`).
"""

import math

import numpy as np
import worker_check
import worker_errors
import worker_keras_graph

# Sides of square images that a number of positions is divided into, largest first.
_SIDES = (112, 56, 32, 28, 16, 14, 8, 7, 4, 2, 1)
_NO_DIRECTION = "this layer has no direction "
_N_STACKED_LAYERS = 4
_RATE = 0.25
# Values that functions are timed on, where the usual ones would make them cheaper than they are
# in a network: below one, the error function in GELU is a polynomial, above an exponential.
_USUAL_VALUES = (0.5, 1.0)
_VALUES = {"gelu": (0.5, 5.0)}
# Heads, and values of each, of the sequences that a transpose brings together head by head.
_HEADS, _OF_HEAD, _PLACES = 8, 32, 64


def _stacked(graphs, kernel, layer, first, others, copies, check):
    """Return one direction of a stack."""
    direction = kernel["direction"]
    if direction not in ("forward", "backward"):
        raise worker_errors.UnsupportedKernel(_NO_DIRECTION + direction)
    forward = graphs.stack(layer, first, others, copies, False)
    if direction == "forward":
        return worker_keras_graph.Prepared(forward, check)
    both = graphs.stack(layer, first, others, copies, True)
    return worker_keras_graph.PreparedDifference(both, forward, check)


def _image_shape(elements, channels):
    positions = max(1, elements // channels)
    side = next(side for side in _SIDES if positions % (side * side) == 0)
    return (positions // (side * side), side, side, channels)


def _normalisation_layer(keras, kind):
    if kind == "layer":
        return keras.layers.LayerNormalization()
    if kind == "group":
        return keras.layers.GroupNormalization(groups=-1)
    return keras.layers.BatchNormalization()


def _normalised(values, kind):
    """Return what a fresh layer gives in double precision."""
    epsilon = 1e-3
    if kind == "batch_inference":
        return values / np.sqrt(1.0 + epsilon)
    axes = {"batch": (0, 1, 2), "layer": (3,), "group": (1, 2)}[kind]
    mean = values.mean(axis=axes, keepdims=True)
    return (values - mean) / np.sqrt(values.var(axis=axes, keepdims=True) + epsilon)


def prepare_norm(graphs, keras, kernel):
    """Return one direction of a `NormShape`, ready to run."""
    shape = kernel["shape"]
    kind = shape["kind"]
    if kind not in ("batch", "batch_inference", "layer", "group"):
        raise worker_errors.UnsupportedKernel("no normalisation is called " + kind)
    dtype = worker_keras_graph.dtype_of(kernel["precision"])
    policy = keras.DTypePolicy("float32" if dtype == "float32" else "mixed_" + dtype)
    layer = _normalisation_layer(keras, kind)
    layer.dtype_policy = policy
    value = graphs.random(_image_shape(shape["elements"], shape["channels"]), dtype)
    layer.build(value.shape)

    def apply(tensor):
        if kind.startswith("batch"):
            return layer(tensor, training=kind == "batch")
        return layer(tensor)

    def check():
        fresh = _normalisation_layer(keras, kind)
        fresh.dtype_policy = policy
        is_batch = kind.startswith("batch")
        found = fresh(value, training=kind == "batch") if is_batch else fresh(value)
        found = graphs.tf.cast(found, "float32").numpy()[..., :3]
        values = graphs.tf.cast(value, "float32").numpy().astype("float64")
        if kind != "layer":
            values = values[..., :3]
        expected = _normalised(values, kind)[..., :3]
        return worker_check.compare(found, expected, kernel["precision"], "three channels")

    return _stacked(graphs, kernel, apply, value, (), _N_STACKED_LAYERS, check)


def _sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def _softplus(x):
    return np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0.0)


def _elu(x):
    return np.where(x > 0.0, x, np.expm1(x))


def _gelu(x):
    from math import erf

    return 0.5 * x * (1.0 + np.vectorize(erf)(x / np.sqrt(2.0)))


def _silu(x):
    return x * _sigmoid(x)


def _hard_silu(x):
    return x * np.clip(x / 6.0 + 0.5, 0.0, 1.0)


# Functions of one tensor that Keras has under this name, and their definitions.
_UNARY = {
    "relu": lambda x: np.maximum(x, 0.0),
    "relu6": lambda x: np.clip(x, 0.0, 6.0),
    "leaky_relu": lambda x: np.where(x > 0.0, x, 0.2 * x),
    "elu": _elu,
    "selu": lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x)),
    "gelu": _gelu,
    "sigmoid": _sigmoid,
    "hard_sigmoid": lambda x: np.clip(x / 6.0 + 0.5, 0.0, 1.0),
    "tanh": np.tanh,
    "softplus": _softplus,
    "silu": _silu,
    "swish": _silu,
    "hard_silu": _hard_silu,
    "hard_swish": _hard_silu,
    "mish": lambda x: x * np.tanh(_softplus(x)),
}
_BINARY = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "maximum": np.maximum,
}


def prepare_elementwise(graphs, keras, kernel):
    """Return one direction of an `ElementwiseShape`, ready to run."""
    shape = kernel["shape"]
    name = shape["op"]
    dtype = worker_keras_graph.dtype_of(kernel["precision"])
    copies = max(8, worker_keras_graph.copies_for(shape["elements"]))
    if name == "transpose":
        return _transpose(
            graphs, kernel, graphs.random(_of_heads(shape["elements"]), dtype), copies
        )
    low, high = _VALUES.get(name, _USUAL_VALUES)
    value = graphs.random((shape["elements"],), dtype, low=low, high=high)
    other = graphs.random((shape["elements"],), dtype, low=0.9)
    if name == "dropout":
        return _dropout(graphs, keras, kernel, value, copies)
    if name in _UNARY:
        apply, others = keras.activations.get(name), ()
    elif name in _BINARY:
        apply, others = getattr(keras.ops, name), (other,)
    else:
        raise worker_errors.UnsupportedKernel("no element-wise operation is timed as " + name)

    def check():
        tf = graphs.tf
        some = [tf.cast(tensor[:1000], "float32").numpy() for tensor in (value, *others)]
        found = tf.cast(apply(value, *others)[:1000], "float32").numpy()
        define = _UNARY.get(name) or _BINARY[name]
        expected = define(*(array.astype("float64") for array in some))
        return worker_check.compare(found, expected, kernel["precision"], name)

    return _stacked(graphs, kernel, apply, value, others, copies, check)


def _dropout(graphs, keras, kernel, value, copies):
    layer = keras.layers.Dropout(_RATE, dtype=value.dtype.name)

    def apply(tensor):
        return layer(tensor, training=True)

    def check():
        before = graphs.tf.cast(value, "float32").numpy()
        after = graphs.tf.cast(apply(value), "float32").numpy()
        kept = after != 0.0
        share = float(kept.mean())
        # Five standard deviations of a share of so many.
        slack = 5.0 * (_RATE * (1.0 - _RATE) / kept.size) ** 0.5 + 1e-9
        if abs(share - (1.0 - _RATE)) > slack:
            raise worker_errors.WrongResult("{:.3f} of the values were kept".format(share))
        expected = before[kept] / (1.0 - _RATE)
        return worker_check.compare(after[kept], expected, kernel["precision"], "kept values")

    return _stacked(graphs, kernel, apply, value, (), copies, check)


def _of_heads(elements):
    """Return a shape (batch, places, heads, values of each) of about so many elements."""
    rows = math.ceil(elements / (_HEADS * _OF_HEAD))
    batch = math.ceil(rows / _PLACES)
    return (batch, max(2, math.ceil(rows / batch)), _HEADS, _OF_HEAD)


def _transpose(graphs, kernel, value, copies):
    tf = graphs.tf

    def apply(tensor):
        # Seen in the old shape, it can be done again: that moves nothing.
        return tf.reshape(tf.transpose(tensor, (0, 2, 1, 3)), value.shape)

    def check():
        found = tf.cast(apply(value), "float32").numpy()
        before = tf.cast(value, "float32").numpy()
        expected = before.transpose((0, 2, 1, 3)).reshape(before.shape)
        return worker_check.compare(found, expected, kernel["precision"], "moved values")

    if kernel["direction"] != "forward":  # its gradient is another transpose
        raise worker_errors.UnsupportedKernel(_NO_DIRECTION + kernel["direction"])
    return _stacked(graphs, kernel, apply, value, (), copies, check)


def prepare_softmax(graphs, kernel):
    """Return one direction of a `SoftmaxShape`, ready to run."""
    shape, tf = kernel["shape"], graphs.tf
    dtype = worker_keras_graph.dtype_of(kernel["precision"])
    value = graphs.random((shape["rows"], shape["columns"]), dtype)

    def check():
        found = tf.cast(tf.nn.softmax(value)[:4], "float32").numpy()
        rows = tf.cast(value[:4], "float32").numpy().astype("float64")
        powers = np.exp(rows - rows.max(axis=1, keepdims=True))
        expected = powers / powers.sum(axis=1, keepdims=True)
        return worker_check.compare(found, expected, kernel["precision"], "rows of the softmax")

    copies = min(8, worker_keras_graph.copies_for(shape["rows"] * shape["columns"]))
    return _stacked(graphs, kernel, tf.nn.softmax, value, (), copies, check)
