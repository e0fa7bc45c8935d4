"""Runs problems on a framework that computes with tensors and has gradients.

An engine moves arrays, calls functions and pulls gradients back, and waits for the end of what it
started. Functions say how a product, a convolution and an LSTM are written with a framework.
Leaves to others: both (`torch_kernels`, `jax_kernels`, `worker_keras_portable`), the operands
and the check (`worker_problems`).
"""

import worker_problems

PRECISIONS = ("float32", "bfloat16", "float16")


def device_of(device_id, framework):
    """Return the framework's own name of a device id: "cuda:0" of "torch:cuda:0"."""
    prefix = framework + ":"
    return device_id[len(prefix) :] if device_id.startswith(prefix) else device_id


class Call:
    """A function and what it is called with.

    Attributes:
        function: of the tensors; inputs: arrays for them.
        seed: gradient of the result as an array, None in forward.
        wrt: which inputs the gradient is taken of; extras: further tensors that it is taken of.
        restore: from the array of the result to the layout of the problem.
    """

    def __init__(self, function, inputs, seed=None, wrt=(), extras=(), restore=None):
        self.function = function
        self.inputs = inputs
        self.seed = seed
        self.wrt = wrt
        self.extras = extras
        self.restore = restore or (lambda array: array)


def conv_call(problem, function, to_image, to_filter, from_image, from_filter):
    """Return the call of a convolution whose framework has its own layout of tensors."""
    inputs = [to_image(problem.images), to_filter(problem.filters)]
    if problem.direction == "forward":
        return Call(function, inputs, restore=from_image)
    is_input = problem.direction == "input_gradient"
    return Call(
        function,
        inputs,
        seed=to_image(problem.gradient),
        wrt=(0,) if is_input else (1,),
        restore=from_image if is_input else from_filter,
    )


class _Prepared:
    """A timed call with the check of its result."""

    def __init__(self, timed, check):
        self._timed = timed
        self._check = check

    def check(self):
        """Return how the result was verified."""
        return self._check(self._timed.result())

    def run(self, loops):
        """Return the seconds of so many kernels."""
        return self._timed.run(loops)

    def close(self):
        """Let go of the tensors."""
        self._timed = self._check = None


class FrameworkRunner:
    """Runs products, convolutions and LSTM layers on an engine.

    Args:
        engine: has `forward(call, precision)` and `gradient(call, precision)`.
        functions: has `gemm(problem)`, `conv(problem)` and `lstm(problem)`, which return calls.
        stack: what computes.
    """

    def __init__(self, engine, functions, stack):
        self._engine = engine
        self._functions = functions
        self._stack = stack

    def stack(self):
        """Return what computes."""
        return self._stack

    def prepare(self, kernel):
        """Return a kernel, ready to run."""
        precision = kernel["precision"]
        problem = worker_problems.problem_of(kernel, PRECISIONS)
        build = {
            worker_problems.GemmProblem: lambda: self._functions.gemm(problem),
            worker_problems.ConvProblem: lambda: self._functions.conv(problem),
            worker_problems.LstmProblem: lambda: self._functions.lstm(problem, precision),
        }[type(problem)]
        call = build()
        take = self._engine.forward if call.seed is None else self._engine.gradient
        timed = take(call, precision)
        return _Prepared(timed, lambda result: problem.check(call.restore(result)))
