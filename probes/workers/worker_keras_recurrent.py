"""Recurrent layers of Keras over whole sequences: LSTM, GRU and simple RNN, also bidirectional.

Forward is the layer. Backward is the gradients of its input and weights: both directions in one
graph, less the layer alone; "forward_and_backward" is that graph, nothing taken off. What a time
step costs follows from two lengths (the request has both). A mask lets every moment count, so that
the result is that without it. Dropout is timed as training does it, and left out of the check.
Leaves to others: the reference (`worker_recurrent_reference`).
"""

import functools

import numpy as np
import worker_check
import worker_errors
import worker_keras_graph
import worker_recurrent_reference as reference

_CLASSES = {"lstm": "LSTM", "gru": "GRU", "rnn": "SimpleRNN"}
_POLICIES = {"float32": "float32", "bfloat16": "mixed_bfloat16", "float16": "mixed_float16"}
_N_CHECKED_SAMPLES = 2
# Layers with weights of their own that what is shown is the mean of: where the weights lie in
# memory changes the time of a layer by 4 % (standard deviation), of five by 2.
_N_SHOWN = 5
_STEP = 1e-4
# Of the values that are dropped out; any rate costs the same.
_RATE = 0.2


def _layer_of(keras, shape, policy):
    options = {"implementation": 1} if shape["is_split"] else {}
    options["dropout"] = _RATE if shape["drops_inputs"] else 0.0
    options["recurrent_dropout"] = _RATE if shape["drops_states"] else 0.0
    cell = getattr(keras.layers, _CLASSES[shape["cell"]])(
        shape["hidden"],
        return_sequences=shape["return_sequences"],
        bias_initializer="random_normal",
        dtype=policy,
        **options,
    )
    if shape["is_bidirectional"]:
        return keras.layers.Bidirectional(cell, dtype=policy)
    return cell


def _options_of_call(tf, shape):
    """Return what the layer is called with: a mask of every moment, and dropout where asked for."""
    options = {"training": shape["drops_inputs"] or shape["drops_states"]}
    if shape["is_masked"]:
        options["mask"] = tf.ones((shape["batch"], shape["timesteps"]), "bool")
    return options


def _expected(shape, inputs, weights):
    """Return what the layer gives for some samples."""
    halves = [(weights[:3], 1)]
    if shape["is_bidirectional"]:
        halves.append((weights[3:], -1))
    outputs = []
    for own, direction in halves:
        result = reference.run_cell(shape["cell"], inputs[:, ::direction], own)
        if shape["return_sequences"]:
            outputs.append(result[:, ::direction])
        else:
            outputs.append(result[:, -1])
    return np.concatenate(outputs, axis=-1)


def _backward(tf, call, weights, value, weights_of_loss):
    """Return the gradients of a weighted sum of the outputs of a call, by its input and weights."""
    with tf.GradientTape() as tape:
        tape.watch([value, *weights])
        loss = tf.reduce_sum(tf.cast(call(value), "float32") * weights_of_loss)
    return tape.gradient(loss, [value, *weights])


def _own_weights(layer):
    return [variable.value for variable in layer.trainable_variables]


def _checks(tf, kernel, layer, value, loss_weights):
    """Return the checks of the layer and of its gradients."""
    shape = kernel["shape"]

    def check_forward():
        samples = tf.cast(value[:_N_CHECKED_SAMPLES], "float32").numpy()
        found = tf.cast(layer(value), "float32").numpy()[:_N_CHECKED_SAMPLES]
        expected = _expected(shape, samples, [w.numpy() for w in layer.weights])
        return worker_check.compare(found, expected, kernel["precision"], "the cell's definition")

    def check_backward():
        gradients = _backward(tf, layer, _own_weights(layer), value, loss_weights)
        found = tf.cast(gradients[0][:1], "float32").numpy()
        weights = [w.numpy() for w in layer.weights]
        samples = tf.cast(value[:1], "float32").numpy().astype(np.float64)
        lossy = loss_weights[:1].numpy().astype(np.float64)
        directions = np.random.default_rng(5).standard_normal((4, *samples.shape))

        def loss(inputs):
            return float(np.sum(_expected(shape, inputs, weights) * lossy))

        expected = [
            (loss(samples + _STEP * d) - loss(samples - _STEP * d)) / (2 * _STEP)
            for d in directions
        ]
        return worker_check.compare_slopes(found, directions, expected, kernel["precision"])

    return check_forward, check_backward


def prepare_recurrent(graphs, keras, kernel):
    """Return one direction of a `RecurrentShape`, ready to run."""
    tf, shape, direction = graphs.tf, kernel["shape"], kernel["direction"]
    dtype = worker_keras_graph.dtype_of(kernel["precision"])
    if direction not in ("forward", "backward", "forward_and_backward"):
        raise worker_errors.UnsupportedKernel("a recurrent layer has no direction " + direction)
    policy = _POLICIES[kernel["precision"]]
    layer = _layer_of(keras, shape, policy)
    value = graphs.random((shape["batch"], shape["timesteps"], shape["input"]), dtype)
    output = layer(value)
    # Weights of a loss that is of the size of one output, so that its gradient is, too.
    loss_weights = graphs.random(output.shape, "float32") / float(np.sqrt(output.shape[-1]))

    how = _options_of_call(tf, shape)
    check_forward, check_backward = _checks(tf, kernel, layer, value, loss_weights)
    if "looks" in kernel:
        others = [_layer_of(keras, shape, policy) for _ in range(_N_SHOWN - 1)]
        forward, both = _of_many(graphs, [layer, *others], value, loss_weights, how)
    else:
        forward, both = _of_one(graphs, layer, value, loss_weights, how)
    if direction == "forward":
        return worker_keras_graph.Prepared(forward(), check_forward)
    if direction == "forward_and_backward":
        return worker_keras_graph.Prepared(both(), check_backward)
    return worker_keras_graph.PreparedDifference(both(), forward(), check_backward)


def _of_one(graphs, layer, value, loss_weights, how):
    """Return functions that make the graphs of a layer: forward, and with its gradients."""

    def call(inputs):
        return layer(inputs, **how)

    def gradients(inputs):
        return _backward(graphs.tf, call, _own_weights(layer), inputs, loss_weights)

    return (
        lambda: graphs.serial(call, [value], 1),
        lambda: graphs.serial(gradients, [value], 1),
    )


def _of_many(graphs, layers, value, loss_weights, how):
    """Return the same of layers that are alike, each with weights of its own."""
    for layer in layers[1:]:
        layer.build(value.shape)
    first, sets = layers[0], [_own_weights(layer) for layer in layers]
    states = [variable.value for variable in first.non_trainable_variables]

    def call(inputs, weights):
        return first.stateless_call(weights, states, inputs, **how)[0]

    def gradients(inputs, weights):
        own = functools.partial(call, weights=weights)
        return _backward(graphs.tf, own, weights, inputs, loss_weights)

    return (
        lambda: graphs.with_each(call, [value], sets),
        lambda: graphs.with_each(gradients, [value], sets),
    )
