"""The user's network without Keras: its layers, shapes and weights from the configuration alone.

For frameworks that know nothing of Keras. Channels are last, as in the configuration; weights are
drawn in the order in which Keras has them, so that all start from the same ones.
Leaves to others: computing (`user_network_torch`, `user_network_onnx`).
"""

import json

import user_network_data as own_data
import worker_errors

_SAME_SHAPE = ("Activation", "ReLU", "Softmax", "Dropout", "Add")
ACTIVATIONS = ("linear", "relu", "softmax", "tanh", "sigmoid")


class Tensor:
    """Shape with the batch open, element type and name of what goes in or comes out."""

    def __init__(self, shape, dtype, name):
        self.shape = (None, *shape)
        self.dtype = dtype
        self.name = name


class Layer:
    """One layer: its class, settings, names of what it reads, output shape and weights."""

    def __init__(self, kind, config, inputs):
        self.kind = kind
        self.config = config
        self.inputs = inputs
        self.shape = ()
        self.weights = {}

    @property
    def activation(self):
        """Name of the activation, "linear" without one."""
        if self.kind == "LSTM":
            return "linear"  # its own are within it
        names = {"ReLU": "relu", "Softmax": "softmax"}
        return names.get(self.kind) or self.config.get("activation") or "linear"


def pair(value):
    """Return a setting that is one number or two as two."""
    return (value, value) if isinstance(value, int) else tuple(value)


def same_pads(size, kernel, stride, dilation=1):
    """Return what "same" adds before and after an axis."""
    total = max((-(-size // stride) - 1) * stride + (kernel - 1) * dilation + 1 - size, 0)
    return total // 2, total - total // 2


class Plain:
    """A network of plain layers: `layers` by name in the order in which they are computed.

    Raises:
        worker_errors.UnsupportedKernel: for a layer, or a setting of one, that is not known here.
    """

    def __init__(self, text):
        config = json.loads(text)
        inner = config["config"]
        entries = inner["layers"] if isinstance(inner, dict) else inner
        self.layers = {}
        for entry in entries:
            self._add(entry, is_sequential=config.get("class_name") == "Sequential")
        last = next(reversed(self.layers))
        self.input, self.output = next(iter(self.layers)), last
        if config.get("class_name") != "Sequential":
            outputs = inner["output_layers"]
            while isinstance(outputs[0], list):
                if len(outputs) > 1:
                    _refuse("a network with several outputs")
                outputs = outputs[0]
            self.output = outputs[0]
        if sum(layer.kind == "InputLayer" for layer in self.layers.values()) != 1:
            _refuse("a network without exactly one input")
        self._draw()

    def _add(self, entry, is_sequential):
        kind, config = entry["class_name"], entry["config"]
        name = config["name"]
        inputs = [next(reversed(self.layers))] if is_sequential and self.layers else []
        if not is_sequential:
            inputs = _names_in(entry.get("inbound_nodes") or [])
        layer = Layer(kind, config, inputs)
        shapes = [self.layers[source].shape for source in inputs]
        layer.shape = _shape_of(layer, shapes)
        if layer.activation not in ACTIVATIONS:
            _refuse("the activation {}".format(layer.activation))
        self.layers[name] = layer

    def _draw(self):
        import numpy as np

        random = np.random.default_rng(own_data.SEED)
        for layer in self.layers.values():
            shapes = [self.layers[source].shape for source in layer.inputs]
            for name, shape, start in _weights_of(layer, shapes):
                if len(shape) > 1:
                    layer.weights[name] = own_data.draw_weight(random, shape)
                else:
                    layer.weights[name] = np.full(shape, start, "float32")
            if layer.kind == "LSTM" and layer.config.get("unit_forget_bias", True):
                units = layer.config["units"]
                layer.weights["bias"][units : 2 * units] = 1.0

    @property
    def has_random_layers(self):
        """Whether training draws random masks."""
        return any(layer.kind == "Dropout" for layer in self.layers.values())

    @property
    def vocabulary(self):
        """Size of the smallest table that is looked up in, None without one."""
        sizes = [x.config["input_dim"] for x in self.layers.values() if x.kind == "Embedding"]
        return min(sizes) if sizes else None

    @property
    def inputs(self):
        """What goes in, as a list of one."""
        layer = self.layers[self.input]
        return [Tensor(layer.shape, layer.config.get("dtype") or "float32", self.input)]

    @property
    def outputs(self):
        """What comes out, as a list of one."""
        return [Tensor(self.layers[self.output].shape, "float32", self.output)]


def _refuse(what):
    raise worker_errors.UnsupportedKernel("without Keras {} is not tried".format(what))


def _names_in(found):
    """Return the layers that nested entries of a configuration name as their inputs."""
    if isinstance(found, dict):
        history = (found.get("config") or {}).get("keras_history")
        if found.get("class_name") == "__keras_tensor__" and history:
            return [history[0]]
        return _names_in(found.get("args") or [])
    is_history = isinstance(found, list) and len(found) > 2 and isinstance(found[0], str)
    if is_history:
        return [found[0]]
    names = []
    for entry in found if isinstance(found, list) else []:
        names += _names_in(entry)
    return names


def _shape_of(layer, shapes):
    """Return the output shape of a layer, without the batch."""
    kind, config = layer.kind, layer.config
    if config.get("data_format", "channels_last") != "channels_last":
        _refuse("a network with channels first")
    if kind == "InputLayer":
        shape = tuple((config.get("batch_shape") or config["batch_input_shape"])[1:])
        if any(size is None for size in shape):
            _refuse("a network with an open input shape")
        return shape
    if not shapes:
        _refuse("a network that leaves its input open")
    shape = shapes[0]
    if kind in ("Conv2D", "MaxPooling2D", "AveragePooling2D"):
        return _window_shape(layer, shape)
    if kind in _SHAPES:
        found = _SHAPES[kind](config, shape, shapes)
    else:
        found = shape if kind in _SAME_SHAPE else None
    return _refuse("a layer {} like this".format(kind)) if found is None else found


def _dense_shape(config, shape, _shapes):
    return (*shape[:-1], config["units"]) if len(shape) < 3 else None


def _flat_shape(_config, shape, _shapes):
    return (_product(shape),)


def _mean_shape(config, shape, _shapes):
    return None if config.get("keepdims") else shape[-1:]


def zeros_of(config):
    """Return how many zeros are added above and below, left and right."""
    return tuple(map(pair, pair(config.get("padding", 1))))


def _padded_shape(config, shape, _shapes):
    (top, bottom), (left, right) = zeros_of(config)
    return (shape[0] + top + bottom, shape[1] + left + right, shape[2])


def _embedded_shape(config, shape, _shapes):
    return None if config.get("mask_zero") else (*shape, config["output_dim"])


def _lstm_shape(config, shape, _shapes):
    if not _is_plain_lstm(config):
        return None
    return (shape[0], config["units"]) if config.get("return_sequences") else (config["units"],)


def _joined_shape(config, shape, shapes):
    if config.get("axis", -1) not in (-1, len(shape)):
        return None
    return (*shape[:-1], sum(other[-1] for other in shapes))


def _normalised_shape(config, shape, _shapes):
    is_plain = config.get("center", True) and config.get("scale", True)
    return shape if is_plain and config.get("axis", -1) in (-1, len(shape), [len(shape)]) else None


_SHAPES = {
    "Dense": _dense_shape,
    "Flatten": _flat_shape,
    "GlobalAveragePooling2D": _mean_shape,
    "ZeroPadding2D": _padded_shape,
    "Embedding": _embedded_shape,
    "LSTM": _lstm_shape,
    "Concatenate": _joined_shape,
    "BatchNormalization": _normalised_shape,
}


def _is_plain_lstm(config):
    asked = ("go_backwards", "stateful", "return_state", "dropout", "recurrent_dropout")
    return (
        not any(config.get(name) for name in asked)
        and config.get("use_bias", True)
        and config.get("activation", "tanh") == "tanh"
        and config.get("recurrent_activation", "sigmoid") == "sigmoid"
    )


def _product(shape):
    result = 1
    for size in shape:
        result *= size
    return result


def window_of(layer):
    """Return kernel, strides and dilation of a convolution or a pooling."""
    config = layer.config
    if layer.kind == "Conv2D":
        kernel = pair(config["kernel_size"])
        return kernel, pair(config.get("strides") or 1), pair(config.get("dilation_rate") or 1)
    kernel = pair(config.get("pool_size") or 2)
    return kernel, pair(config.get("strides") or kernel), (1, 1)


def pads_of(layer, shape):
    """Return what is added before and after both axes of an image."""
    if layer.config.get("padding", "valid") == "valid":
        return [(0, 0), (0, 0)]
    windows = window_of(layer)
    return [same_pads(shape[at], *(sizes[at] for sizes in windows)) for at in range(2)]


def _window_shape(layer, shape):
    kernel, strides, dilation = window_of(layer)
    pads = pads_of(layer, shape)
    if layer.kind == "AveragePooling2D" and any(map(any, pads)):
        _refuse("an average over padded edges")
    sizes = [
        (shape[at] + sum(pads[at]) - (kernel[at] - 1) * dilation[at] - 1) // strides[at] + 1
        for at in range(2)
    ]
    return (*sizes, layer.config["filters"] if layer.kind == "Conv2D" else shape[2])


def _weights_of(layer, shapes):
    """Return name, shape and first value of each weight, in the order of Keras."""
    kind, config = layer.kind, layer.config
    if kind == "Conv2D":
        kernel = pair(config["kernel_size"])
        found = [("kernel", (*kernel, shapes[0][-1] // config.get("groups", 1), config["filters"]))]
    elif kind == "Dense":
        found = [("kernel", (shapes[0][-1], config["units"]))]
    elif kind == "Embedding":
        return [("table", (config["input_dim"], config["output_dim"]), 0.0)]
    elif kind == "LSTM":
        size = 4 * config["units"]
        found = [("kernel", (shapes[0][-1], size)), ("recurrent", (config["units"], size))]
    elif kind == "BatchNormalization":
        names = (("gamma", 1.0), ("beta", 0.0), ("mean", 0.0), ("variance", 1.0))
        return [(name, layer.shape[-1:], start) for name, start in names]
    else:
        return []
    if config.get("use_bias", True):
        found.append(("bias", (found[0][1][-1],)))
    return [(name, shape, 0.0) for name, shape in found]
