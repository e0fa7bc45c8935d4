"""Kernels as JAX runs them: compiled as a whole by XLA, images with the channels last.

Options: "device_id" ("cpu", "jax:gpu:0"). JAX has no LSTM of its own: the layer is a scan over the
cell, as its libraries have it. A gradient is pulled back through residuals that are computed
once, so that it is timed without the forward computation. On other devices than the CPU, JAX
would compute float32 in a shorter format (TF32, bfloat16): it is told not to. On a GPU, XLA would
also try many kernels of its own for each product, 9 s for one of 1024 on an H100: it is told to
take the vendor's.
Leaves to others: operands and checks (`worker_problems`), timing (`worker_timing`).
"""

import os
import time

import worker_errors
import worker_framework

_GPU_OPTIONS = {"xla_gpu_enable_triton_gemm": False}


class _TimedJax:
    """A compiled function that is called again and again.

    Calls on a CPU may overlap: each is waited for. Those on another device wait in its queue, and
    the last one ends last.
    """

    def __init__(self, engine, function, arguments):
        self._engine = engine
        self._function = function
        self._arguments = arguments

    def result(self):
        """Return the first result of one call as an array."""
        found = self._function(*self._arguments)
        return self._engine.array(found[0] if isinstance(found, (tuple, list)) else found)

    def run(self, loops):
        """Return the seconds of so many calls."""
        function, arguments, wait = self._function, self._arguments, self._engine.wait
        may_overlap = self._engine.may_overlap
        started, found = time.perf_counter(), None
        for _ in range(loops):
            found = function(*arguments)
            if may_overlap:
                wait(found)
        wait(found)
        return time.perf_counter() - started


class JaxEngine:
    """Moves arrays to a device of JAX and compiles functions for it."""

    def __init__(self, jax, device):
        self._jax = jax
        self._device = device
        self.wait = jax.block_until_ready
        self.may_overlap = device.platform == "cpu"
        self._options = {} if self.may_overlap else _known_options(jax, device)

    def _compiled(self, function):
        return self._jax.jit(function, **self._options)

    def tensor(self, array, precision):
        """Return a tensor of an array."""
        value = self._jax.device_put(array, self._device)
        return value.astype(precision)

    def array(self, tensor):
        """Return the float32 array of a tensor."""
        import numpy as np

        return np.asarray(tensor.astype("float32"))

    def forward(self, call, precision):
        """Return the call, compiled."""
        tensors = [self.tensor(array, precision) for array in call.inputs]
        return _TimedJax(self, self._compiled(call.function), tensors)

    def gradient(self, call, precision):
        """Return the gradients of the call, compiled without the call itself."""
        jax = self._jax
        tensors = [self.tensor(array, precision) for array in call.inputs]
        chosen = [tensors[index] for index in call.wrt]

        def of_chosen(*values):
            arguments = list(tensors)
            for index, value in zip(call.wrt, values):  # noqa: B905 - Python 3.8
                arguments[index] = value
            return call.function(*arguments)

        _, pull = self._compiled(lambda *values: jax.vjp(of_chosen, *values))(*chosen)
        seed = self.tensor(call.seed, precision)
        return _TimedJax(self, self._compiled(lambda pull_, seed_: pull_(seed_)), [pull, seed])


def _known_options(jax, device):
    """Return the arguments of `jit` for a GPU, none where this JAX does not know them."""
    options = {"compiler_options": _GPU_OPTIONS}
    try:
        value = jax.device_put(1.0, device)
        jax.block_until_ready(jax.jit(lambda x: x + x, **options)(value))
    except Exception:
        # An older JAX refuses the argument, an older XLA the option.
        return {}
    return options


class _Functions:
    """Products, convolutions and LSTM layers of JAX."""

    def __init__(self, jax):
        self._jax = jax

    def gemm(self, problem):
        """Return the product."""
        numpy = self._jax.numpy

        def multiply(a, b):
            left = numpy.swapaxes(a, -1, -2) if problem.transpose_a else a
            right = numpy.swapaxes(b, -1, -2) if problem.transpose_b else b
            return numpy.matmul(left, right)

        return worker_framework.Call(multiply, [problem.a, problem.b])

    def conv(self, problem):
        """Return the convolution."""
        lax = self._jax.lax

        def convolve(images, filters):
            return lax.conv_general_dilated(
                images,
                filters,
                window_strides=problem.strides,
                padding=problem.pads,
                rhs_dilation=problem.dilation,
                dimension_numbers=("NHWC", "HWIO", "NHWC"),
            )

        same = dict.fromkeys(("to_image", "to_filter", "from_image", "from_filter"), _same)
        return worker_framework.conv_call(problem, convolve, **same)

    def lstm(self, problem, _precision):
        """Return the layer as a scan over its cell."""
        jax = self._jax
        numpy, nn, lax = jax.numpy, jax.nn, jax.lax

        def layer(inputs, kernel, recurrent, bias):
            # All products with the inputs at once: they do not depend on the state.
            from_inputs = numpy.matmul(inputs, kernel) + bias

            def cell(state, part):
                hidden, carry = state
                gates = part + numpy.matmul(hidden, recurrent)
                enter, forget, candidate, leave = numpy.split(gates, 4, axis=-1)
                carry = nn.sigmoid(forget) * carry + nn.sigmoid(enter) * numpy.tanh(candidate)
                return (nn.sigmoid(leave) * numpy.tanh(carry), carry), None

            zeros = numpy.zeros((inputs.shape[0], recurrent.shape[0]), inputs.dtype)
            (hidden, _), _ = lax.scan(cell, (zeros, zeros), numpy.swapaxes(from_inputs, 0, 1))
            return hidden

        inputs = [problem.inputs, *problem.weights]
        if problem.direction == "forward":
            return worker_framework.Call(layer, inputs)
        return worker_framework.Call(layer, inputs, problem.gradient, (0, 1, 2, 3))


def _same(array):
    return array


def import_jax(options):
    """Import JAX; return it and its device.

    Raises:
        worker_errors.UnsupportedKernel: when JAX does not see the device.
    """
    name = worker_framework.device_of(options.get("device_id") or "cpu", "jax")
    if name == "cpu":
        os.environ["JAX_PLATFORMS"] = "cpu"
    import jax

    platform, _, index = name.partition(":")
    if platform != "cpu":
        jax.config.update("jax_default_matmul_precision", "float32")
    try:
        return jax, jax.devices(platform)[int(index or 0)]
    except (RuntimeError, IndexError) as error:
        raise worker_errors.UnsupportedKernel(
            "JAX does not see the device {}: {}".format(name, error)
        ) from error


def make_runner(options):
    """Return the runner of JAX."""
    jax, device = import_jax(options)
    import jaxlib

    stack = {
        "framework": "jax",
        "framework_version": jax.__version__,
        "backend": "XLA",
        "backend_version": getattr(jaxlib, "__version__", None),
    }
    engine = JaxEngine(jax, device)
    return worker_framework.FrameworkRunner(engine, _Functions(jax), stack)
