"""Pooling and embedding look-ups of Keras on TensorFlow, forward and backward.

Leaves to others: layers that keep the shape (`worker_keras_layers`).
"""

import numpy as np
import worker_check
import worker_conv_reference
import worker_errors
import worker_keras_graph
import worker_padding


def _lift(sizes):
    return (1, *sizes) if len(sizes) == 1 else tuple(sizes)


def _global_pool(tf, shape):
    """Return a pool over everything, as Keras has it: a reduction."""
    axes = list(range(1, 1 + len(_lift(shape["spatial"]))))
    reduce = tf.reduce_max if shape["mode"] == "max" else tf.reduce_mean
    return lambda images: reduce(images, axis=axes)


def _window_pool(tf, shape):
    """Return a pool over windows."""
    rank = len(_lift(shape["spatial"]))
    padding = _padding_of(shape)
    operation = tf.nn.max_pool if shape["mode"] == "max" else tf.nn.avg_pool
    if rank == 3:
        operation = tf.nn.max_pool3d if shape["mode"] == "max" else tf.nn.avg_pool3d
    kernel, strides = list(_lift(shape["kernel"])), list(_lift(shape["strides"]))
    return lambda images: operation(images, kernel, strides, padding)


def _with_gradient(tf, pool):
    """Return a function that gives the gradient of a pool through a tape, and its result.

    The gradient operation on its own is another, up to twenty times slower path: within a graph
    the forward operation leaves it a workspace. The gradient of an average needs no result, so
    the graph would leave the forward operation out unless it is asked for as well.
    """

    def both(images, given):
        with tf.GradientTape() as tape:
            tape.watch(images)
            result = pool(images)
        return [tape.gradient(result, images, output_gradients=given), result]

    return both


def _padding_of(shape):
    axes = range(len(shape["spatial"]))
    spatial, strides, output = shape["spatial"], shape["strides"], shape["output"]
    pads = [
        worker_padding.padding_of(spatial[i], shape["kernel"][i], strides[i], 1, output[i])
        for i in axes
    ]
    if not any(before or after for before, after in pads):
        return "VALID"
    if all(output[i] == -(-spatial[i] // strides[i]) for i in axes):
        return "SAME"
    raise worker_errors.UnsupportedKernel("TensorFlow has no pooling with such padding")


def _pooled(images, shape, at):
    """Return the pooled value at (image, ..., channel) in double precision."""
    bounds = []
    for axis, place in enumerate(at[1:-1]):
        size, window = _lift(shape["spatial"])[axis], _lift(shape["kernel"])[axis]
        stride, output = _lift(shape["strides"])[axis], _lift(shape["output"])[axis]
        before, _ = worker_padding.padding_of(size, window, stride, 1, output)
        first = place * stride - before
        bounds.append(slice(max(0, first), min(size, first + window)))
    seen = images[(at[0], *bounds, at[-1])].astype(np.float64)
    return float(seen.max() if shape["mode"] == "max" else seen.mean())


def prepare_pool(graphs, kernel):
    """Return one direction of a `PoolShape`, ready to run."""
    tf, shape, direction = graphs.tf, kernel["shape"], kernel["direction"]
    dtype = worker_keras_graph.dtype_of(kernel["precision"])
    spatial, output = _lift(shape["spatial"]), _lift(shape["output"])
    is_global = tuple(shape["kernel"]) == tuple(shape["spatial"])
    value = graphs.random((shape["n"], *spatial, shape["c"]), dtype)
    pooled = (shape["n"], shape["c"]) if is_global else (shape["n"], *output, shape["c"])
    gradient = graphs.random(pooled, dtype)
    forward = _global_pool(tf, shape) if is_global else _window_pool(tf, shape)
    both = _with_gradient(tf, forward)

    def check_forward():
        images = tf.cast(value, "float32").numpy()
        found = tf.cast(forward(value), "float32").numpy()
        found = found.reshape((shape["n"], *output, shape["c"]))
        positions = worker_conv_reference.sample_positions(found.shape, 64)
        expected = [_pooled(images, shape, position) for position in positions]
        values = [found[position] for position in positions]
        return worker_check.compare(values, expected, kernel["precision"], "the windows")

    def check_backward():
        # Each gradient of a window goes to its positions and nowhere else: the sum is kept.
        found = tf.cast(both(value, gradient)[0], "float32").numpy().astype("float64")
        given = tf.cast(gradient, "float32").numpy().astype("float64")
        axes = tuple(range(1, given.ndim - 1))
        sums = found.sum(axis=tuple(range(1, found.ndim - 1)))
        return worker_check.compare(
            sums, given.sum(axis=axes), kernel["precision"], "sums of the gradient"
        )

    copies = min(8, worker_keras_graph.copies_for(int(np.prod(value.shape))))
    once = graphs.serial(forward, [value], copies)
    if direction == "forward":
        return worker_keras_graph.Prepared(once, check_forward)
    if direction not in ("backward", "input_gradient"):
        raise worker_errors.UnsupportedKernel("pooling has no direction " + direction)
    twice = graphs.serial(both, [value, gradient], copies)
    return worker_keras_graph.PreparedDifference(twice, once, check_backward)


def prepare_embedding(graphs, kernel):
    """Return one direction of an `EmbeddingShape`: the look-up, or the table's dense gradient."""
    tf, shape, direction = graphs.tf, kernel["shape"], kernel["direction"]
    dtype = worker_keras_graph.dtype_of(kernel["precision"])
    table_shape = (shape["vocabulary"], shape["dim"])
    at = np.random.default_rng(2).integers(0, shape["vocabulary"], shape["indices"])
    indices = tf.constant(at, "int32")

    if direction == "forward":
        table = graphs.random(table_shape, dtype)

        def look_up(rows, places):
            return tf.gather(rows, places)

        def check():
            found = tf.cast(look_up(table, indices), "float32").numpy()
            expected = tf.cast(table, "float32").numpy()[at]
            return worker_check.compare(found, expected, kernel["precision"], "the rows")

        graph = graphs.serial(look_up, [table, indices], 16)
        return worker_keras_graph.Prepared(graph, check)
    if direction not in ("backward", "weight_gradient"):
        raise worker_errors.UnsupportedKernel("a look-up has no direction " + direction)
    gradient = graphs.random((shape["indices"], shape["dim"]), dtype)

    def scatter(given, places):
        return tf.math.unsorted_segment_sum(given, places, shape["vocabulary"])

    def check_gradient():
        found = tf.cast(scatter(gradient, indices), "float32").numpy()
        expected = np.zeros(table_shape)
        np.add.at(expected, at, tf.cast(gradient, "float32").numpy().astype("float64"))
        return worker_check.compare(found, expected, kernel["precision"], "the sums of rows")

    copies = min(8, worker_keras_graph.copies_for(shape["vocabulary"] * shape["dim"]))
    graph = graphs.serial(scatter, [gradient, indices], copies)
    return worker_keras_graph.Prepared(graph, check_gradient)
