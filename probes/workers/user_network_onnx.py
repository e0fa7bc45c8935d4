"""The user's network as ONNX Runtime runs it: inference in float32, or in int8 after calibration.

The model is written from the configuration. For int8 the tool of ONNX Runtime itself quantises it,
with made-up data to calibrate with; it needs the package `onnx` there.
Leaves to others: layers and weights (`user_network_plain`), the bytes of a model (`worker_onnx`).
"""

import pathlib

import user_network_data as own_data
import user_network_model
import user_network_plain as plain
import worker_errors
import worker_onnx

_NODES = {"relu": "Relu", "softmax": "Softmax", "tanh": "Tanh", "sigmoid": "Sigmoid"}
_CALIBRATION_BATCHES = 2


_COMPUTING = {
    "Conv2D": "_window",
    "MaxPooling2D": "_window",
    "AveragePooling2D": "_window",
    "Dense": "_dense",
    "Flatten": "_flatten",
    "ZeroPadding2D": "_zeros",
    "Embedding": "_embedding",
    "LSTM": "_lstm",
    "BatchNormalization": "_normalise",
}
# A last softmax over many classes would be all zeros in steps of 1/255.
_QUANTISED = ["Conv", "MatMul", "Add", "MaxPool", "AveragePool", "Relu", "Concat", "Flatten",
              "Transpose", "Pad"]  # fmt: skip


class _Writer:
    """Collects the operators and the constants of a model; images have channels first in it."""

    def __init__(self, network):
        self._network = network
        self._nodes = []
        self.constants = {}
        self._count = 0

    def write(self, batch_size):
        """Return the bytes of the model for batches of one size."""
        network, values = self._network, {}
        for name, layer in network.layers.items():
            if layer.kind == "InputLayer":
                is_image = len(layer.shape) == 3
                values[name] = (
                    self._node("Transpose", ["x"], perm=[0, 3, 1, 2]) if is_image else "x"
                )
                continue
            found = self._apply(layer, [values[source] for source in layer.inputs])
            if layer.activation in _NODES and layer.kind != "LSTM":
                found = self._node(_NODES[layer.activation], [found])
            values[name] = found
        self._nodes.append(worker_onnx.node("Identity", [values[network.output]], ["y"]))
        shapes = [(batch_size, *end[0].shape[1:]) for end in (network.inputs, network.outputs)]
        if len(shapes[1]) == 4:
            raise worker_errors.UnsupportedKernel("without Keras images as outputs are not tried")
        kinds = {"x": worker_onnx.INT32} if network.vocabulary is not None else None
        return worker_onnx.model(
            self._nodes, {"x": shapes[0]}, {"y": shapes[1]}, self.constants, kinds
        )

    def _node(self, operator, inputs, **attributes):
        self._count += 1
        name = "v{}".format(self._count)
        self._nodes.append(worker_onnx.node(operator, inputs, [name], **attributes))
        return name

    def _constant(self, array, dtype="float32"):
        import numpy as np

        name = "c{}".format(len(self.constants))
        self.constants[name] = np.ascontiguousarray(array, dtype)
        return name

    def _apply(self, layer, values):
        kind, shape = layer.kind, self._network.layers[layer.inputs[0]].shape
        if kind in _COMPUTING:
            return getattr(self, _COMPUTING[kind])(layer, values[0], shape)
        if kind == "GlobalAveragePooling2D":
            return self._node("ReduceMean", values, axes=[2, 3], keepdims=0)
        if kind == "Concatenate":
            return self._node("Concat", values, axis=1 if len(shape) == 3 else len(shape))
        found = values[0]
        for other in values[1:] if kind == "Add" else ():
            found = self._node("Add", [found, other])
        return found

    def _dense(self, layer, value, _shape):
        found = self._node("MatMul", [value, self._constant(layer.weights["kernel"])])
        if "bias" not in layer.weights:
            return found
        return self._node("Add", [found, self._constant(layer.weights["bias"])])

    def _flatten(self, _layer, value, shape):
        if len(shape) == 3:
            value = self._node("Transpose", [value], perm=[0, 2, 3, 1])
        return self._node("Flatten", [value], axis=1)

    def _zeros(self, layer, value, _shape):
        (top, bottom), (left, right) = plain.zeros_of(layer.config)
        pads = self._constant([0, 0, top, left, 0, 0, bottom, right], "int64")
        return self._node("Pad", [value, pads])

    def _embedding(self, layer, value, _shape):
        return self._node("Gather", [self._constant(layer.weights["table"]), value])

    def _window(self, layer, value, shape):
        kernel, strides, dilation = plain.window_of(layer)
        (top, bottom), (left, right) = plain.pads_of(layer, shape)
        common = {"pads": [top, left, bottom, right], "strides": list(strides)}
        if layer.kind != "Conv2D":
            operator = "MaxPool" if layer.kind == "MaxPooling2D" else "AveragePool"
            return self._node(operator, [value], kernel_shape=list(kernel), **common)
        inputs = [value, self._constant(layer.weights["kernel"].transpose(3, 2, 0, 1))]
        if "bias" in layer.weights:
            inputs.append(self._constant(layer.weights["bias"]))
        group = layer.config.get("groups", 1)
        return self._node("Conv", inputs, dilations=list(dilation), group=group, **common)

    def _lstm(self, layer, value, _shape):
        import numpy as np

        def swapped(array):
            # Keras has input, forget, cell, output; ONNX has input, output, forget, cell.
            i, f, c, o = np.split(array, 4, axis=-1)
            return np.concatenate([i, o, f, c], axis=-1)

        kernel, recurrent, bias = (
            swapped(layer.weights[name]) for name in ("kernel", "recurrent", "bias")
        )
        constants = (kernel.T[None], recurrent.T[None],
                     np.concatenate([bias, np.zeros_like(bias)])[None])  # fmt: skip
        self._count += 1
        rows, last = "r{}".format(self._count), "l{}".format(self._count)
        inputs = [self._node("Transpose", [value], perm=[1, 0, 2]), *map(self._constant, constants)]
        self._nodes.append(
            worker_onnx.node("LSTM", inputs, [rows, last], hidden_size=layer.config["units"])
        )
        if not layer.config.get("return_sequences"):
            return self._node("ReduceMean", [last], axes=[0], keepdims=0)
        rows = self._node("ReduceMean", [rows], axes=[1], keepdims=0)
        return self._node("Transpose", [rows], perm=[1, 0, 2])

    def _normalise(self, layer, value, _shape):
        import numpy as np

        weights = layer.weights
        scale = weights["gamma"] / np.sqrt(weights["variance"] + layer.config.get("epsilon", 1e-3))
        offset = weights["beta"] - weights["mean"] * scale
        tail = (1, 1) if len(layer.shape) == 3 else ()
        for operator, array in (("Mul", scale), ("Add", offset)):
            value = self._node(operator, [value, self._constant(array.reshape(-1, *tail))])
        return value


def model_of(network, batch_size):
    """Return the bytes of the model of a network."""
    return _Writer(network).write(batch_size)


def load(request):
    """Import ONNX Runtime and return the software stack and the network.

    Raises:
        worker_errors.UnsupportedKernel: when this interpreter lacks it, or for another layer.
    """
    if request["phase"] != "inference":
        raise worker_errors.UnsupportedKernel("ONNX Runtime does not train")
    if request["precision"] not in ("float32", "int8"):
        raise worker_errors.UnsupportedKernel("ONNX Runtime is tried in float32 and int8")
    network = plain.Plain(user_network_model.configuration_of(request))
    try:
        import onnxruntime
    except ModuleNotFoundError as error:
        raise worker_errors.UnsupportedKernel(
            "this Python has no package {!r}".format(error.name)
        ) from error
    stack = {
        "framework": "onnxruntime",
        "framework_version": onnxruntime.__version__,
        "backend": "CPUExecutionProvider",
        "backend_version": None,
    }
    return stack, network


class _Reader:
    """Batches for the tool that quantises."""

    def __init__(self, batches):
        self._batches = iter(batches)

    def get_next(self):
        """Return the next batch, None at the end."""
        batch = next(self._batches, None)
        return None if batch is None else {"x": batch}


def _quantised(model, batches):
    """Return the file of the model in int8.

    Raises:
        worker_errors.UnsupportedKernel: when the tool lacks a package.
    """
    import logging

    logging.disable(logging.WARNING)
    try:
        from onnxruntime.quantization import QuantType, quantize_static
    except ImportError as error:
        raise worker_errors.UnsupportedKernel(
            "to quantise, this Python needs the package {!r}".format(error.name or "onnx")
        ) from error
    pathlib.Path("float.onnx").write_bytes(model)
    quantize_static(
        "float.onnx",
        "int8.onnx",
        _Reader(batches),
        op_types_to_quantize=_QUANTISED,
        per_channel=True,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
    )
    return "int8.onnx"


def run(network, request, clock, emit):
    """Run the steps; return the check value and how it was checked."""
    import onnxruntime

    size = request["batch_size"]
    model = model_of(network, size)
    if request["precision"] == "int8":
        kinds = user_network_model.kinds_of(network, request)
        inputs, _targets, _count = own_data.made_up(network, kinds, request)
        if network.vocabulary is not None:
            inputs = [inputs[0].astype("int32")]
        batches = [inputs[0][at * size : (at + 1) * size] for at in range(_CALIBRATION_BATCHES)]
        model = _quantised(model, batches)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    if request.get("intra_threads") is not None:
        options.intra_op_num_threads = request["intra_threads"]
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def step(batch):
        is_looked_up = network.vocabulary is not None
        return session.run(["y"], {"x": batch.astype("int32") if is_looked_up else batch})[0]

    return user_network_model.predict_plainly(step, network, request, clock, emit)
