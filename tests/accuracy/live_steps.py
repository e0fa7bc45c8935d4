"""Steps of a whole network: real training or inference on random data of the right shape.

The network is a Keras configuration (JSON); no code of the user is run, so layers that hold code
are refused by Keras. Works with the backend that the options name.
The request has: model_json, phase ("training", "inference"), batch_size, precision, optimizer,
min_value_s, n_values.
Leaves to others: timing (`worker_timing`), the child (`live_child.py`).
"""

import json
import os

import keras_kernels
import keras_network
import worker_errors
import worker_timing

_POLICIES = {"float32": "float32", "bfloat16": "mixed_bfloat16", "float16": "mixed_float16"}
_N_FIRST_STEPS = 2
_MOST_TOKENS = 10


def _vocabulary(keras, model):
    """Return the smallest table that inputs may look up in, None when there is none."""
    sizes = [
        layer.input_dim
        for layer in model._flatten_layers()
        if isinstance(layer, keras.layers.Embedding)
    ]
    return min(sizes) if sizes else None


def _shape_of(tensor, batch_size):
    sizes = tuple(tensor.shape)[1:]
    if any(size is None for size in sizes):
        raise worker_errors.UnsupportedKernel(
            f"the network leaves a dimension of {tensor.name} open"
        )
    return (batch_size, *sizes)


def make_data(keras, model, batch_size):
    """Return inputs and targets: whole numbers where the network looks them up."""
    import numpy as np

    random = np.random.default_rng(1)
    vocabulary = _vocabulary(keras, model)
    inputs = []
    for tensor in model.inputs:
        shape = _shape_of(tensor, batch_size)
        if vocabulary is not None or "int" in str(tensor.dtype):
            values = random.integers(0, vocabulary or _MOST_TOKENS, shape)
            inputs.append(values.astype("int32" if "int" in str(tensor.dtype) else "float32"))
        else:
            inputs.append(random.standard_normal(shape, dtype=np.float32))
    targets = [
        random.uniform(0.0, 1.0, _shape_of(tensor, batch_size)).astype("float32")
        for tensor in model.outputs
    ]
    return inputs, targets


def _single(values):
    return values[0] if len(values) == 1 else values


class _Steps:
    """Training or inference steps of a model on one batch."""

    def __init__(self, keras, request):
        policy = _POLICIES.get(request["precision"])
        if policy is None:
            raise worker_errors.UnsupportedKernel(
                "Keras does not run networks in " + request["precision"]
            )
        config = json.loads(request["model_json"])
        if policy != "float32":
            config = keras_network.with_policy(config, policy)
        self._model = keras.models.model_from_json(json.dumps(config))
        if not isinstance(self._model, keras.Model):
            raise worker_errors.UnsupportedKernel("the configuration is no network")
        self._is_training = request["phase"] == "training"
        inputs, targets = make_data(keras, self._model, request["batch_size"])
        self._inputs, self._targets = _single(inputs), _single(targets)
        if self._is_training:
            self._model.compile(optimizer=request["optimizer"], loss="mse")
        self.loss = None

    @property
    def parameters(self):
        """Number of weights."""
        return int(self._model.count_params())

    def step(self):
        """Run one step."""
        if self._is_training:
            self.loss = self._model.train_on_batch(self._inputs, self._targets)
        else:
            self.loss = self._model.predict_on_batch(self._inputs)

    def _last(self):
        """Return the last loss or outputs as float64 numbers."""
        import numpy as np

        values = self.loss if isinstance(self.loss, (list, tuple)) else [self.loss]
        return [np.asarray(value).astype("float64") for value in values]

    def check(self):
        """Verify that steps give numbers, and that training changes the weights."""
        import numpy as np

        before = [np.array(weight) for weight in self._model.get_weights()]
        for _ in range(_N_FIRST_STEPS):
            self.step()
        if not all(np.isfinite(values).all() for values in self._last()):
            raise worker_errors.WrongResult("the network gives values that are not numbers")
        if not self._is_training:
            return "all outputs are finite"
        after = self._model.get_weights()
        n_changed = sum(not np.array_equal(old, after[at]) for at, old in enumerate(before))
        if before and not n_changed:
            raise worker_errors.WrongResult("training does not change any weight")
        return f"the loss is finite, {n_changed} of {len(after)} weight tensors changed"

    def final_loss(self):
        """Return the last loss; None in inference."""
        return float(self._last()[0].ravel()[0]) if self._is_training else None

    def run(self, loops):
        """Return the seconds of so many steps."""
        return worker_timing.elapsed_s(self.step, loops)


def _import(options):
    """Import Keras with the backend of the options."""
    backend = options.get("backend", "tensorflow")
    if backend == "tensorflow":
        tf, keras = keras_kernels.import_keras(options)
        return keras, keras_kernels.stack_of(tf, keras)
    import importlib

    import worker_threads

    worker_threads.set_library_threads(options.get("threads"))
    os.environ["KERAS_BACKEND"] = backend
    os.environ["KERAS_HOME"] = os.getcwd()  # noqa: PTH109 - a string for the environment
    import keras

    version = getattr(importlib.import_module(backend), "__version__", None)
    return keras, {
        "framework": "keras",
        "framework_version": keras.__version__,
        "backend": backend,
        "backend_version": version,
    }


def run_network(request, options, channel):
    """Time the steps of a network and return the fields of the result."""
    keras, stack = _import(options)
    channel.send("stage", stage="prepare")
    steps = _Steps(keras, request)
    channel.check_cancelled()
    check = steps.check()
    channel.send("stage", stage="measure")

    def on_value(seconds, _loops):
        channel.check_cancelled()
        channel.send("progress", seconds=seconds)

    timing = worker_timing.time_kernel(
        steps.run, request["min_value_s"], request["n_values"], on_value=on_value
    )
    return {
        "stack": stack,
        "warmups_s": timing.warmups_s,
        "values_s": timing.values_s,
        "loops": timing.loops,
        "lasted_s": timing.lasted_s,
        "loss": steps.final_loss(),
        "parameters": steps.parameters,
        "check": check,
    }
