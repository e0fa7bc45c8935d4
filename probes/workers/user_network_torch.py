"""The user's network as PyTorch itself runs it, without Keras, in training and in inference.

Images are stored channels-last, as PyTorch advises for CPUs. The loss is that of Keras: the mean
over the batches of a pass so far.
Leaves to others: layers and weights (`user_network_plain`), data (`user_network_data`), the
optimizers (`user_network_optimizers`).
"""

import math

import user_network_data as own_data
import user_network_model
import user_network_optimizers
import user_network_plain as plain
import worker_errors

_WINDOWS = ("Conv2D", "MaxPooling2D", "AveragePooling2D")
_COMPUTING = {
    "Dense": "_dense",
    "Dropout": "_dropout",
    "ZeroPadding2D": "_zeros",
    "Embedding": "_embedding",
    "BatchNormalization": "_normalise",
}


class TorchNetwork:
    """The layers of a network with their weights as tensors."""

    def __init__(self, torch, network, is_training):
        self._torch = torch
        self._network = network
        self._is_training = is_training
        self._modules = {}
        self._weights = {}
        for name, layer in network.layers.items():
            if layer.kind == "LSTM":
                self._modules[name] = self._lstm(layer, network.layers[layer.inputs[0]].shape)
            else:
                self._weights[name] = {
                    key: self._tensor(layer, key, value) for key, value in layer.weights.items()
                }

    def _tensor(self, layer, key, value):
        torch = self._torch
        tensor = torch.from_numpy(value)
        if key == "kernel":
            axes = (3, 2, 0, 1) if layer.kind == "Conv2D" else (1, 0)
            tensor = tensor.permute(axes).contiguous()
            if layer.kind == "Conv2D":
                tensor = tensor.contiguous(memory_format=torch.channels_last)
        return tensor.requires_grad_(self._is_training and key not in ("mean", "variance"))

    def _lstm(self, layer, shape):
        torch, units = self._torch, layer.config["units"]
        module = torch.nn.LSTM(shape[-1], units, batch_first=True)
        with torch.no_grad():
            module.weight_ih_l0.copy_(torch.from_numpy(layer.weights["kernel"].T.copy()))
            module.weight_hh_l0.copy_(torch.from_numpy(layer.weights["recurrent"].T.copy()))
            module.bias_ih_l0.copy_(torch.from_numpy(layer.weights["bias"]))
            # Keras has one bias.
            module.bias_hh_l0.zero_()
        module.bias_hh_l0.requires_grad_(False)
        return module.train(self._is_training)

    def parameters(self):
        """Return all that is trained, in the order of the layers."""
        found = [w for weights in self._weights.values() for w in weights.values()]
        found += [w for module in self._modules.values() for w in module.parameters()]
        return [weight for weight in found if weight.requires_grad]

    def __call__(self, images):
        """Return the outputs; of a last softmax, in training, what goes into it."""
        values = {}
        for name, layer in self._network.layers.items():
            if layer.kind == "InputLayer":
                values[name] = images.permute(0, 3, 1, 2) if images.dim() == 4 else images
                continue
            found = self._apply(name, layer, [values[source] for source in layer.inputs])
            is_left_to_loss = self._is_training and name == self._network.output
            values[name] = self._activate(found, layer.activation, is_left_to_loss=is_left_to_loss)
        return values[self._network.output]

    def _activate(self, value, name, is_left_to_loss):
        torch = self._torch
        if is_left_to_loss and name in ("softmax", "sigmoid"):
            return value
        if name == "softmax":
            return torch.softmax(value, 1 if value.dim() == 4 else -1)
        functions = {"relu": torch.relu, "tanh": torch.tanh, "sigmoid": torch.sigmoid}
        return functions[name](value) if name in functions else value

    def _apply(self, name, layer, inputs):
        kind, value = layer.kind, inputs[0]
        if kind == "LSTM":
            found, _state = self._modules[name](value)
            return found if layer.config.get("return_sequences") else found[:, -1]
        if kind in _WINDOWS:
            return self._window(layer, value, self._weights[name])
        if kind in _COMPUTING:
            return getattr(self, _COMPUTING[kind])(layer, value, self._weights[name])
        if kind == "Add":
            return sum(inputs[1:], value)
        if kind == "Concatenate":
            return self._torch.cat(inputs, 1 if value.dim() == 4 else -1)
        if kind == "Flatten":
            return (value.permute(0, 2, 3, 1) if value.dim() == 4 else value).flatten(1)
        return value.mean((2, 3)) if kind == "GlobalAveragePooling2D" else value

    def _dense(self, _layer, value, weights):
        return self._torch.nn.functional.linear(value, weights["kernel"], weights.get("bias"))

    def _dropout(self, layer, value, _weights):
        return self._torch.nn.functional.dropout(value, layer.config["rate"], self._is_training)

    def _zeros(self, layer, value, _weights):
        (top, bottom), (left, right) = plain.zeros_of(layer.config)
        return self._torch.nn.functional.pad(value, (left, right, top, bottom))

    def _embedding(self, _layer, value, weights):
        return self._torch.nn.functional.embedding(value.long(), weights["table"])

    def _normalise(self, layer, value, weights):
        return self._torch.nn.functional.batch_norm(
            value, weights["mean"], weights["variance"], weights["gamma"], weights["beta"],
            self._is_training, 1.0 - layer.config.get("momentum", 0.99),
            layer.config.get("epsilon", 1e-3),
        )  # fmt: skip

    def _window(self, layer, value, weights):
        functions = self._torch.nn.functional
        kernel, strides, dilation = plain.window_of(layer)
        (top, bottom), (left, right) = plain.pads_of(layer, tuple(value.shape[2:]))
        is_even = top == bottom and left == right
        pads = (top, left) if is_even else (0, 0)
        if not is_even:
            filling = -math.inf if layer.kind == "MaxPooling2D" else 0.0
            value = functions.pad(value, (left, right, top, bottom), value=filling)
        if layer.kind == "Conv2D":
            groups = layer.config.get("groups", 1)
            bias = weights.get("bias")
            return functions.conv2d(value, weights["kernel"], bias, strides, pads, dilation, groups)
        pool = functions.max_pool2d if layer.kind == "MaxPooling2D" else functions.avg_pool2d
        return pool(value, kernel, strides, pads)


def _loss_of(torch, network, kind):
    """Return the loss of outputs, which a last softmax or sigmoid has not been applied to."""
    functions = torch.nn.functional
    activation = network.layers[network.output].activation
    if kind in ("sparse", "one_hot") and activation in ("softmax", "linear"):

        def loss(outputs, targets):
            outputs = outputs.reshape(-1, outputs.shape[-1])
            if kind == "one_hot":
                return functions.cross_entropy(outputs, targets.reshape(outputs.shape))
            return functions.cross_entropy(outputs, targets.reshape(-1).long())

        return loss
    if kind == "binary" and activation == "sigmoid":
        return functions.binary_cross_entropy_with_logits
    if kind == "number" and activation not in ("softmax", "sigmoid"):
        return functions.mse_loss
    raise worker_errors.UnsupportedKernel("without Keras this loss is not tried")


def _format(torch, request):
    names = {"float32": None, "bfloat16": torch.bfloat16}
    if request["precision"] not in names:
        raise worker_errors.UnsupportedKernel("PyTorch is not tried in " + request["precision"])
    dtype = names[request["precision"]]
    return torch.autocast("cpu", dtype=dtype or torch.bfloat16, enabled=dtype is not None)


def load(request):
    """Import PyTorch and return the software stack and the network.

    Raises:
        worker_errors.UnsupportedKernel: when this interpreter lacks it, or for another layer.
    """
    network = plain.Plain(user_network_model.configuration_of(request))
    try:
        import torch
    except ModuleNotFoundError as error:
        raise worker_errors.UnsupportedKernel(
            "this Python has no package {!r}".format(error.name)
        ) from error
    if request.get("intra_threads") is not None:
        torch.set_num_threads(request["intra_threads"])
    torch.manual_seed(own_data.SEED)
    stack = {
        "framework": "torch",
        "framework_version": torch.__version__,
        "backend": "cpu",
        "backend_version": None,
    }
    return stack, network


def run(network, request, clock, emit):
    """Run the steps; return the check value and how it was checked."""
    if request["phase"] == "training":
        return _train(network, request, clock, emit)
    return _predict(network, request, clock, emit)


def _train(network, request, clock, emit):
    import torch

    kinds = user_network_model.kinds_of(network, request)
    inputs, targets, count = own_data.made_up(network, kinds, request)
    model = TorchNetwork(torch, network, is_training=True)
    loss_of = _loss_of(torch, network, kinds[0])
    optimizer = user_network_optimizers.optimizer_of(
        torch, request["optimizer"], model.parameters()
    )
    before = model.parameters()[0].detach().clone()
    size = request["batch_size"]
    batches = [
        [torch.from_numpy(array[0][at * size : (at + 1) * size]) for array in (inputs, targets)]
        for at in range(count)
    ]

    def checked():
        if torch.equal(before, model.parameters()[0].detach()):
            raise worker_errors.WrongResult("training does not change any weight")
        value = clock.checks[-1][1] if clock.checks else None
        return value, "the loss is finite, training changes weights"

    clock.begin()
    is_done = False
    while not is_done:
        total = 0.0
        for at, (images, wanted) in enumerate(batches):
            optimizer.zero_grad()
            with _format(torch, request):
                outputs = model(images)
            loss = loss_of(outputs.float(), wanted)
            loss.backward()
            optimizer.step()
            total += loss.item()
            is_done = clock.end()
            user_network_model.note_loss(clock, total / (at + 1), emit)
            if is_done:
                break
            clock.follow(checked)
    return checked()


def _predict(network, request, clock, emit):
    import torch

    model = TorchNetwork(torch, network, is_training=False)

    def step(batch):
        with torch.inference_mode(), _format(torch, request):
            return model(torch.from_numpy(batch)).float().numpy()

    return user_network_model.predict_plainly(step, network, request, clock, emit)
