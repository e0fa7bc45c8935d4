"""The user's network in the child: made from its configuration or by the user's code, and run.

Weights are drawn by NumPy from one seed, so that every backend and number format starts from the
same ones; what is trained here is thrown away.
Leaves to others: data (`user_network_data`), the clock of the steps (`user_network`).
"""

import importlib.util
import json
import math
import sys

import keras_network
import user_network_data as own_data
import worker_errors

_POLICIES = {"float32": None, "bfloat16": "mixed_bfloat16", "float16": "mixed_float16"}
_RANDOM_LAYERS = ("Dropout", "GaussianNoise", "Random", "AlphaDropout")
_STOP = 10**6


class Network:
    """A compiled model and what its targets are."""

    def __init__(self, keras, model, kinds, batch_size):
        self.model = model
        self.kinds = kinds
        self.batch_size = batch_size
        self.inputs, self.outputs = model.inputs, model.outputs
        sizes = [
            layer.input_dim
            for layer in model._flatten_layers()
            if isinstance(layer, keras.layers.Embedding)
        ]
        # Of the smallest table that inputs may look up in.
        self.vocabulary = min(sizes) if sizes else None

    @property
    def has_random_layers(self):
        """Whether training draws random numbers."""
        for layer in self.model._flatten_layers():
            name = type(layer).__name__
            is_random = any(word in name for word in _RANDOM_LAYERS)
            if is_random or getattr(layer, "dropout", 0) or getattr(layer, "recurrent_dropout", 0):
                return True
        return False


def load_function(path, name):
    """Return a function of a Python file of the user, which is run for it.

    Raises:
        worker_errors.UnsupportedKernel: when there is none of that name, or the file ends us.
    """
    folder = path.rpartition("/")[0]
    sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location("user_module", path)
    if spec is None or spec.loader is None:
        raise worker_errors.UnsupportedKernel("{}: not a Python file".format(path))
    module = importlib.util.module_from_spec(spec)
    sys.modules["user_module"] = module
    try:
        spec.loader.exec_module(module)
    except SystemExit as error:
        raise worker_errors.UnsupportedKernel("the file ends the program when loaded") from error
    found = getattr(module, name, None)
    if not callable(found):
        raise worker_errors.UnsupportedKernel("the file has no function {!r}".format(name))
    return found


def _optimizer(keras, name):
    if name == "momentum":
        return keras.optimizers.SGD(learning_rate=0.01, momentum=0.9)
    return name


def configuration_of(request):
    """Return the configuration of the network.

    Raises:
        worker_errors.UnsupportedKernel: when the user's own code or data are asked for.
    """
    if request["model"].get("path"):
        raise worker_errors.UnsupportedKernel("the user's own code runs with Keras only")
    return request["model"]["json"]


def kinds_of(network, request):
    """Return what the targets of a plain network are, in a list of one."""
    given = request.get("loss")
    if given is not None:
        return [kind_of_loss(given)]
    output = network.outputs[0]
    return [_kind_of_output(output, network.layers[network.output].activation)[0]]


def _from_config(keras, request):
    policy = _POLICIES.get(request["precision"], "")
    if policy == "":
        raise worker_errors.UnsupportedKernel(
            "Keras does not run networks in " + request["precision"]
        )
    config = json.loads(configuration_of(request))
    config.pop("compile_config", None)
    config.pop("build_config", None)
    if policy is not None:
        config = keras_network.with_policy(config, policy)
    # Layers whose configuration names no format take the one that is set.
    keras.config.set_dtype_policy(policy or "float32")
    model = keras.models.model_from_json(json.dumps(config))
    if not isinstance(model, keras.Model):
        raise worker_errors.UnsupportedKernel("the configuration is no network")
    return model


def _kind_of_output(tensor, activation):
    """Return what a target is and the loss for it, by shape and last activation."""
    shape = tuple(tensor.shape)
    if activation == "softmax":
        return "sparse", "sparse_categorical_crossentropy"
    if activation == "sigmoid":
        return "binary", "binary_crossentropy"
    if len(shape) == 2 and shape[-1] is not None and shape[-1] > 1:
        return "sparse", "logits"
    return "number", "mse"


def _last_activation(model, tensor):
    """Return the name of the activation that an output comes from, "" when it has none."""
    history = getattr(tensor, "_keras_history", None)
    layer = history.operation if history is not None else model.layers[-1]
    while hasattr(layer, "layers") and layer.layers:
        layer = layer.layers[-1]
    if type(layer).__name__ == "Softmax":
        return "softmax"
    activation = getattr(layer, "activation", None)
    return getattr(activation, "__name__", "")


def kind_of_loss(loss):
    """Return what the targets of a loss are: "sparse", "one_hot", "binary" or "number"."""
    name = loss if isinstance(loss, str) else getattr(loss, "name", None)
    if not isinstance(name, str):
        name = getattr(loss, "__name__", type(loss).__name__)
    name = name.lower().replace("_", "")
    if "sparse" in name:
        return "sparse"
    if "binary" in name or name == "bce":
        return "binary"
    if "categorical" in name:
        return "one_hot"
    return "number"


def _compile_config(keras, model, request):
    chosen = [_kind_of_output(tensor, _last_activation(model, tensor)) for tensor in model.outputs]
    given = request.get("loss")
    if given is not None and len(chosen) == 1:
        chosen = [(kind_of_loss(given), given)]
    losses = [
        keras.losses.SparseCategoricalCrossentropy(from_logits=True) if loss == "logits" else loss
        for _kind, loss in chosen
    ]
    model.compile(
        optimizer=_optimizer(keras, request["optimizer"]),
        loss=losses if len(losses) > 1 else losses[0],
        jit_compile=True if request["jit"] == "on" else "auto",
    )
    return [kind for kind, _loss in chosen]


def _from_code(keras, request):
    """Return the compiled model that the user's function makes, and what its targets are."""
    policy = _POLICIES.get(request["precision"])
    if policy is not None:
        keras.config.set_dtype_policy(policy)
    reference = request["model"]
    try:
        model = load_function(reference["path"], reference["function"])()
    except SystemExit as error:
        raise worker_errors.UnsupportedKernel("the function ends the program") from error
    if not isinstance(model, keras.Model):
        raise worker_errors.UnsupportedKernel(
            "the function {!r} returns {}, not a Keras model".format(
                reference["function"], type(model).__name__
            )
        )
    if not getattr(model, "compiled", False) or not model.built:
        if not model.built:
            raise worker_errors.UnsupportedKernel("the model has no input shape: build it")
        return model, _compile_config(keras, model, request)
    if request["jit"] == "on":
        model.jit_compile = True
    losses = model.loss
    if isinstance(losses, dict):
        losses = [losses.get(name) for name in model.output_names]
    elif not isinstance(losses, (list, tuple)):
        losses = [losses] * len(model.outputs)
    return model, [kind_of_loss(loss) for loss in losses]


def _set_weights(model):
    """Draw weights that are the same everywhere; those with one axis keep their own."""
    import numpy as np

    random = np.random.default_rng(own_data.SEED)
    weights = []
    for variable in model.weights:
        shape = tuple(variable.shape)
        if len(shape) < 2 or "float" not in str(variable.dtype):
            weights.append(np.asarray(_numpy(variable)))
            continue
        weights.append(own_data.draw_weight(random, shape))
    model.set_weights(weights)


def _numpy(variable):
    import keras

    return keras.ops.convert_to_numpy(variable)


def load_network(keras, request):
    """Return the network of a request, compiled, with its weights drawn."""
    keras.utils.set_random_seed(own_data.SEED)
    if request["model"].get("path"):
        model, kinds = _from_code(keras, request)
    else:
        model = _from_config(keras, request)
        kinds = _compile_config(keras, model, request)
    _set_weights(model)
    return Network(keras, model, kinds, request["batch_size"])


def _single(values):
    return values[0] if len(values) == 1 else values


def note_loss(clock, loss, emit):
    """Tell of a step that has ended, with its loss where that is a check value.

    Raises:
        worker_errors.WrongResult: when the loss is not a number.
    """
    if clock.is_checked:
        if not math.isfinite(loss):
            raise worker_errors.WrongResult("the loss is not a number after the first steps")
        clock.check(loss)
        emit("stage", stage="measure")
    elif clock.n_steps % 50 == 0:
        emit("progress", steps=clock.n_steps)


def train(keras, network, request, clock, emit):
    """Train until the clock has enough steps; return the check value and how it was checked."""
    import numpy as np

    is_lazy = request["backend"] == "jax"

    def checked():
        return _checked_loss(network, clock, before)

    class Follow(keras.callbacks.Callback):
        def on_train_batch_begin(self, batch, logs=None):  # noqa: ARG002
            if batch == 0:
                clock.begin()

        def on_train_batch_end(self, _batch, logs=None):
            if is_lazy:
                # The step is over when its loss is there.
                float((logs or {}).get("loss", 0.0))
            is_done = clock.end()
            loss = (logs or {}).get("loss", math.nan) if clock.is_checked else 0.0
            note_loss(clock, float(loss), emit)
            if is_done:
                self.model.stop_training = True
            clock.follow(checked)

    before = [np.array(_numpy(variable)) for variable in network.model.weights[:4]]
    common = {"epochs": _STOP, "verbose": 0, "callbacks": [Follow()], "shuffle": False}
    if request.get("data"):
        dataset = own_data.own_dataset(keras, network.model, network.kinds, request, load_function)
        network.batch_size = _batch_of(dataset, request["batch_size"])
        network.model.fit(dataset, **dict(common, epochs=1, steps_per_epoch=_STOP))
    else:
        inputs, targets, _n = own_data.made_up(network, network.kinds, request)
        size = request["batch_size"]
        network.model.fit(_single(inputs), _single(targets), batch_size=size, **common)
    return checked()


def _batch_of(dataset, default):
    """Return the samples of a batch of the user's data."""
    import tensorflow as tf

    for batch in dataset.take(1):
        for leaf in tf.nest.flatten(batch):
            if leaf.shape.rank:
                return int(leaf.shape[0])
    return default


def _checked_loss(network, clock, before):
    import numpy as np

    if hasattr(network.model, "jax_state_sync"):
        # Within `fit` the values are JAX's own, the variables are empty.
        network.model.jax_state_sync()
    after = [_numpy(variable) for variable in network.model.weights[:4]]
    n_changed = sum(not np.array_equal(old, after[at]) for at, old in enumerate(before))
    if before and not n_changed:
        raise worker_errors.WrongResult("training does not change any weight")
    if not clock.checks:
        return None, "training changes weights; too slow for the loss to be compared"
    return clock.checks[-1][1], "the loss is finite, training changes weights"


def predict(keras, network, request, clock, emit):
    """Predict until the clock has enough steps; return the check value and how it was checked."""
    if request.get("data"):
        dataset = own_data.own_dataset(keras, network.model, network.kinds, request, load_function)
        batches = (batch[0] if isinstance(batch, tuple) else batch for batch in dataset)
        network.batch_size = _batch_of(dataset, request["batch_size"])
    else:
        made = own_data.made_up(network, network.kinds, request)
        batches = _cycle(*made, request["batch_size"])
    return _predict_batches(network.model.predict_on_batch, batches, clock, emit)


def predict_plainly(step, network, request, clock, emit):
    """Predict without Keras, `step` a batch; return the check value and how it was checked."""
    made = own_data.made_up(network, kinds_of(network, request), request)
    return _predict_batches(step, _cycle(*made, request["batch_size"]), clock, emit)


def _predict_batches(step, batches, clock, emit):
    import numpy as np

    value = None

    def checked():
        if not np.isfinite(value):
            raise worker_errors.WrongResult("the network gives values that are not numbers")
        return value, "all outputs are finite"

    clock.begin()
    for batch in batches:
        outputs = step(batch)
        is_done = clock.end()
        if value is None:
            flat = outputs if isinstance(outputs, (list, tuple)) else [outputs]
            value = float(np.sqrt(np.mean([np.mean(np.square(o, dtype="float64")) for o in flat])))
            emit("stage", stage="measure")
        if is_done:
            break
        clock.follow(checked)
    return checked()


def _cycle(inputs, _targets, n_batches, size):
    while True:
        for at in range(n_batches):
            yield _single([array[at * size : (at + 1) * size] for array in inputs])
