"""Costs that do not grow with the work: optimiser updates, calls, dispatch of an operation.

Calls are timed on a network of one neuron in a steady bout, because the first calls of a process
are slower than those of a training loop.
Leaves to others: how often a bout runs (`worker_timing`).
"""

import numpy as np
import worker_check
import worker_errors
import worker_keras_graph
import worker_timing

# Shortest steady bout before an overhead is timed.
STEADY_S = 0.3
_RATE = 0.01
# Below this size TensorFlow makes a captured tensor a constant and folds it.
_SMALLEST_CAPTURE = 129
_N_OVERHEAD_VARIABLES = 64
_N_DISPATCHED = 128
# Results of which the C library keeps the memory, and of which it never does, in MiB: one of 32 to
# 64 may find room in what it has.
_KEPT_MIB, _FRESH_MIB = 30, 72
_FLOATS_OF_MIB = 1 << 18
# What is lost in the noise takes next to nothing, and not less.
_LEAST_S = 1e-9

_OPTIMIZERS = {"sgd": "SGD", "adam": "Adam", "rmsprop": "RMSprop", "momentum": "SGD"}


def _optimizer(keras, name):
    if name not in _OPTIMIZERS:
        raise worker_errors.UnsupportedKernel("no optimiser is timed as " + name)
    more = {"momentum": 0.9} if name == "momentum" else {}
    return getattr(keras.optimizers, _OPTIMIZERS[name])(learning_rate=_RATE, **more)


def _first_step(name, value, gradient):
    """Return what the first update makes of a value, in double precision."""
    if name in ("sgd", "momentum"):
        return value - _RATE * gradient
    if name == "adam":
        return value - _RATE * gradient / (np.abs(gradient) + 1e-7 / np.sqrt(1 - 0.999))
    return value - _RATE * gradient / np.sqrt(0.1 * gradient * gradient + 1e-7)


class _Update:
    """An optimiser with its variables and gradients."""

    def __init__(self, graphs, keras, name, parameters, variables):
        tf = graphs.tf
        size = max(1, parameters // variables)
        self._tf = tf
        self._name = name
        self.optimizer = _optimizer(keras, name)
        start = np.random.default_rng(7).standard_normal(size).astype("float32")
        self.start = start
        self.variables = [keras.Variable(start) for _ in range(variables)]
        self.optimizer.build(self.variables)
        self.gradients = [self._gradient(graphs, size) for _ in range(variables)]

    def _gradient(self, graphs, size):
        values = graphs.random((size,), "float32", low=0.5)
        return self._tf.Variable(values) if size < _SMALLEST_CAPTURE else values

    def apply(self):
        """Update every variable once."""
        gradients = [self._tf.convert_to_tensor(gradient) for gradient in self.gradients]
        self.optimizer.apply(gradients, self.variables)

    def check(self):
        """Compare the first update with its formula. To be called before any other."""
        self.apply()
        found = self.variables[0].numpy()
        gradient = self._tf.convert_to_tensor(self.gradients[0]).numpy().astype("float64")
        expected = _first_step(self._name, self.start.astype("float64"), gradient)
        change = expected - self.start
        return worker_check.compare(found - self.start, change, "float32", "the update's formula")


def prepare_optimizer(graphs, keras, kernel):
    """Return the update of an `OptimizerShape`, ready to run."""
    shape = kernel["shape"]
    if kernel["precision"] not in ("float32", "bfloat16", "float16"):
        raise worker_errors.UnsupportedKernel("weights are not updated in " + kernel["precision"])
    update = _Update(graphs, keras, shape["optimizer"], shape["parameters"], shape["variables"])

    def body():
        update.apply()
        return graphs.tf.constant(0.0)

    return worker_keras_graph.Prepared(graphs.once(body, []), update.check)


class _Steady:
    """A call that is repeated for a while before it is timed."""

    def __init__(self, call, check):
        self._call = call
        self._check = check

    def check(self):
        """Verify, then run until the call is as fast as in a loop."""
        statement = self._check()
        spent_s = 0.0
        while spent_s < STEADY_S:
            spent_s += max(1e-6, worker_timing.elapsed_s(self._call, 20))
        return statement

    def run(self, loops):
        """Return the seconds of so many calls."""
        return worker_timing.elapsed_s(self._call, loops)

    def close(self):
        """Let go of the network."""
        self._call = self._check = None


def _tiny_network(keras):
    network = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
    network.compile(optimizer=keras.optimizers.SGD(0.0), loss="mse")
    return network


def _prepare_call(keras, kind):
    network = _tiny_network(keras)
    random = np.random.default_rng(1)
    x = random.standard_normal((8, 4)).astype("float32")
    y = random.standard_normal((8, 1)).astype("float32")

    def predict():
        return network.predict_on_batch(x)

    def train():
        return network.train_on_batch(x, y)

    def check():
        kernel, bias = (weight.numpy().astype("float64") for weight in network.weights)
        expected = x @ kernel + bias
        if kind == "predict_call":
            return worker_check.compare(predict(), expected, "float32", "the neuron")
        loss = float(np.mean((expected - y) ** 2))
        return worker_check.compare([float(np.ravel(train())[0])], [loss], "float32", "the loss")

    return _Steady(train if kind == "train_call" else predict, check)


def _prepare_dispatch(graphs):
    """Return one small operation inside a graph."""
    tf = graphs.tf
    small = tf.constant(np.linspace(0.9, 1.0, 16, dtype="float32"))
    least = tf.constant(np.full(16, 0.5, dtype="float32"))

    def apply(value, first, second):
        for _ in range(_N_DISPATCHED // 2):
            value = tf.maximum(value * first, second)
        return value

    def body(value, first, second):
        return graphs.element(apply(value, first, second))

    def check():
        found = apply(small, small, least).numpy()
        return worker_check.compare(
            found, np.maximum(small.numpy() ** (_N_DISPATCHED // 2 + 1), 0.5), "float32", "a chain"
        )

    graph = graphs.once(body, [small, small, least], _N_DISPATCHED, empty_copies=1)
    return worker_keras_graph.Prepared(graph, check)


class _FreshMemory:
    """What a MiB of a result takes longer whose memory is given anew than one of kept memory.

    The operation does next to no work: results of 30 MiB tell what it takes by itself.
    """

    is_difference = True

    def __init__(self, graphs):
        self._tf = graphs.tf
        self._values = [
            graphs.random((mib * _FLOATS_OF_MIB,), "float32") for mib in (_KEPT_MIB, _FRESH_MIB)
        ]
        self._kept, self._fresh = (
            graphs.serial(graphs.tf.nn.relu, [value], 1) for value in self._values
        )

    def check(self):
        """Compare a few results with the definition."""
        value = self._values[0][:_SMALLEST_CAPTURE]
        found, expected = self._tf.nn.relu(value).numpy(), np.maximum(value.numpy(), 0.0)
        return worker_check.compare(found, expected, "float32", "the definition")

    def run(self, loops):
        """Return the seconds of so many MiB."""
        fresh_s = self._fresh.run(loops) / _FRESH_MIB
        return max(fresh_s - self._kept.run(loops) / _KEPT_MIB, _LEAST_S * loops)

    def close(self):
        """Let go of the tensors."""
        self._fresh.close()
        self._kept.close()
        self._values = None


class _Waking:
    """What a call takes longer whose operations several threads share."""

    is_difference = True

    def __init__(self, graphs):
        self._clock = graphs.clock
        self._call = graphs.clock.waking()

    def check(self):
        """Compare an element of the product with its sum."""
        a = self._clock.operand.numpy().astype("float64")
        found = self._clock.woken().numpy()
        return worker_check.compare([found], [a[0] @ a[:, 0]], "float32", "the sum")

    def run(self, loops):
        """Return the seconds of so many calls; what is lost in the noise takes next to nothing."""
        return max(sum(self._call() for _ in range(loops)), _LEAST_S * loops)

    def close(self):
        """Let go of the graph."""
        self._call = None


def prepare_overhead(graphs, keras, kernel):
    """Return the fixed cost of an `OverheadShape`, ready to be timed."""
    kind = kernel["shape"]["kind"]
    if kind in ("train_call", "predict_call"):
        return _prepare_call(keras, kind)
    if kind == "dispatch":
        return _prepare_dispatch(graphs)
    if kind == "fresh_mebibyte":
        return _FreshMemory(graphs)
    if kind == "waking":
        return _Waking(graphs)
    if kind == "variable":
        update = _Update(graphs, keras, "sgd", _N_OVERHEAD_VARIABLES, _N_OVERHEAD_VARIABLES)

        def body():
            update.apply()
            return graphs.tf.constant(0.0)

        graph = graphs.once(body, [], _N_OVERHEAD_VARIABLES, empty_copies=1)
        return worker_keras_graph.Prepared(graph, update.check)
    raise worker_errors.UnsupportedKernel("Keras has no overhead called " + kind)
