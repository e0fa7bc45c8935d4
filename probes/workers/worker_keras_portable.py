"""Kernels as Keras runs them on PyTorch or JAX: its own operations and layers on their tensors.

Leaves to others: Keras on TensorFlow (`keras_kernels`), the engines (`torch_kernels`,
`jax_kernels`).
"""

import os

import worker_errors
import worker_framework


class _Functions:
    """Products, convolutions and LSTM layers of Keras; channels are last, as Keras has them."""

    def __init__(self, keras, backend):
        self._keras = keras
        self._backend = backend

    def gemm(self, problem):
        """Return the product."""
        ops = self._keras.ops

        def multiply(a, b):
            left = ops.swapaxes(a, -1, -2) if problem.transpose_a else a
            right = ops.swapaxes(b, -1, -2) if problem.transpose_b else b
            return ops.matmul(left, right)

        return worker_framework.Call(multiply, [problem.a, problem.b])

    def conv(self, problem):
        """Return the convolution with the padding that has a name."""
        ops = self._keras.ops
        padding = "same" if any(before or after for before, after in problem.pads) else "valid"

        def convolve(images, filters):
            return ops.conv(
                images,
                filters,
                strides=problem.strides,
                padding=padding,
                data_format="channels_last",
                dilation_rate=problem.dilation,
            )

        same = dict.fromkeys(("to_image", "to_filter", "from_image", "from_filter"), _same)
        return worker_framework.conv_call(problem, convolve, **same)

    def lstm(self, problem, precision):
        """Return the layer with the weights of the problem."""
        # The first weights are replaced; orthogonal ones do not exist in short formats.
        layer = self._keras.layers.LSTM(
            problem.hidden, recurrent_initializer="zeros", dtype=precision
        )
        layer.build(problem.inputs.shape)
        layer.set_weights(list(problem.weights))
        if self._backend == "jax":
            return self._stateless(layer, problem)
        seed, wrt, extras = None, (), ()
        if problem.direction == "backward":
            seed, wrt = problem.gradient, (0,)
            extras = tuple(variable.value for variable in layer.trainable_variables)
        return worker_framework.Call(layer, [problem.inputs], seed, wrt, extras)

    def _stateless(self, layer, problem):
        """Return the layer as a function of its weights as well."""
        others = [variable.value for variable in layer.non_trainable_variables]

        def run(inputs, *weights):
            return layer.stateless_call(list(weights), others, inputs)[0]

        inputs = [problem.inputs, *problem.weights]
        if problem.direction == "forward":
            return worker_framework.Call(run, inputs)
        return worker_framework.Call(run, inputs, problem.gradient, (0, 1, 2, 3))


def _same(array):
    return array


def _engine(backend, options):
    """Return the engine of a backend and the version of the backend."""
    if backend == "torch":
        import torch_kernels

        torch, device = torch_kernels.import_torch(options)
        os.environ["KERAS_TORCH_DEVICE"] = device
        return torch_kernels.TorchEngine(torch, device), str(torch.__version__)
    if backend == "jax":
        import jax_kernels

        jax, device = jax_kernels.import_jax(options)
        return jax_kernels.JaxEngine(jax, device), jax.__version__
    raise worker_errors.UnsupportedKernel("Keras on {} is not timed".format(backend))


def make_runner(options, backend):
    """Return the runner of Keras on a backend other than TensorFlow."""
    engine, version = _engine(backend, options)
    os.environ["KERAS_BACKEND"] = backend
    os.environ["KERAS_HOME"] = os.getcwd()  # noqa: PTH109 - a string for the environment
    import keras

    if not hasattr(keras, "ops"):
        raise worker_errors.UnsupportedKernel(
            "Keras {} runs on TensorFlow only".format(keras.__version__)
        )
    stack = {
        "framework": "keras",
        "framework_version": keras.__version__,
        "backend": backend,
        "backend_version": version,
    }
    return worker_framework.FrameworkRunner(engine, _Functions(keras, backend), stack)
