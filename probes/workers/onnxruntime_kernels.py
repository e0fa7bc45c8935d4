"""Kernels as ONNX Runtime runs them: one-operator models with constant weights, inference only.

Options: "threads" (None: the default), "device_id" ("cpu", or "onnxruntime:" and the name of an
execution provider). Operands and results lie where the device computes, and are set aside once;
where that is not possible, each run copies them, and the check says so.
Leaves to others: operands and checks (`worker_problems`), the bytes of a model (`worker_onnx`).
"""

import numpy as np
import worker_errors
import worker_framework
import worker_onnx
import worker_problems
import worker_timing

CPU_PROVIDER = "CPUExecutionProvider"
# What ONNX Runtime calls the memory that a provider computes in.
_MEMORY = {
    CPU_PROVIDER: "cpu",
    "CUDAExecutionProvider": "cuda",
    "TensorrtExecutionProvider": "cuda",
    "ROCMExecutionProvider": "cuda",
    "MIGraphXExecutionProvider": "cuda",
    "DmlExecutionProvider": "dml",
}
_HOST_MEMORY = "; operands are copied from the memory of the host in each run"


def _swap_gates(array, order):
    """Return the last axis, of four gates in the order of Keras, in another order."""
    gates = np.split(array, 4, axis=-1)
    return np.concatenate([gates[index] for index in order], axis=-1)


def gemm_model(problem):
    """Return the bytes of a product with a constant right operand, its input, and the layout."""
    a, b = problem.operands()
    shape = (*a.shape[:-2], a.shape[-2], b.shape[-1])
    is_whole = a.dtype != np.float32
    operator = "MatMulInteger" if is_whole else "MatMul"
    model = worker_onnx.model(
        [worker_onnx.node(operator, ["x", "b"], ["y"])],
        {"x": a.shape},
        {"y": shape},
        {"b": b},
        {"x": worker_onnx.kind_of(a.dtype), "y": worker_onnx.INT32} if is_whole else None,
    )
    return model, a, shape, lambda found: found


def conv_model(problem):
    """Return the same of a convolution; channels are first."""
    if problem.direction != "forward":
        raise worker_errors.UnsupportedKernel("there are no gradients in inference")
    images = problem.images.transpose(0, 3, 1, 2)
    filters = problem.filters.transpose(3, 2, 0, 1)
    gradient = problem.gradient.transpose(0, 3, 1, 2)
    pads = [before for before, _ in problem.pads] + [after for _, after in problem.pads]
    node = worker_onnx.node(
        "Conv",
        ["x", "w"],
        ["y"],
        strides=list(problem.strides),
        dilations=list(problem.dilation),
        pads=pads,
    )
    shapes = {"x": images.shape}, {"y": gradient.shape}
    model = worker_onnx.model([node], *shapes, {"w": filters})
    return model, images, gradient.shape, lambda found: found.transpose(0, 2, 3, 1)


def lstm_model(problem):
    """Return the same of an LSTM layer; time is the first axis, gates are in, out, forget, cell."""
    if problem.direction != "forward":
        raise worker_errors.UnsupportedKernel("there are no gradients in inference")
    kernel, recurrent, bias = (_swap_gates(w, (0, 3, 1, 2)) for w in problem.weights)
    inputs = problem.inputs.transpose(1, 0, 2)
    shape = (1, inputs.shape[1], problem.hidden)
    constants = {
        "w": kernel.T[None],
        "r": recurrent.T[None],
        "b": np.concatenate([bias, np.zeros_like(bias)])[None],
    }
    node = worker_onnx.node(
        "LSTM", ["x", "w", "r", "b"], ["", "y"], hidden_size=problem.hidden, direction="forward"
    )
    model = worker_onnx.model([node], {"x": inputs.shape}, {"y": shape}, constants)
    return model, inputs, shape, lambda found: found[0]


MODELS = {
    worker_problems.GemmProblem: gemm_model,
    worker_problems.ConvProblem: conv_model,
    worker_problems.LstmProblem: lstm_model,
}


def place(ort, memory, array, shape, dtype):
    """Return the memory that was taken, the operand there, and room for the result.

    The host's memory where the device's cannot be had.
    """
    for kind in dict.fromkeys([memory, "cpu"]):
        try:
            operand = ort.OrtValue.ortvalue_from_numpy(array, kind, 0)
            return kind, operand, ort.OrtValue.ortvalue_from_shape_and_type(shape, dtype, kind)
        except Exception:
            if kind == "cpu":
                raise
    raise AssertionError("the host has memory")


class _Prepared:
    """A session whose input and output are bound."""

    def __init__(self, ort, session, array, shape, check):
        self._session = session
        self._check = check
        self._binding = session.io_binding()
        # Its memory is used as it is, and older versions do not keep it alive.
        self._array = np.ascontiguousarray(array)
        wanted = _MEMORY.get(session.get_providers()[0], "cpu")
        dtype = np.float32 if self._array.dtype == np.float32 else np.int32
        memory, operand, self._result = place(ort, wanted, self._array, list(shape), dtype)
        is_there = memory == wanted and session.get_providers()[0] in _MEMORY
        self._remark = "" if is_there else _HOST_MEMORY
        self._binding.bind_ortvalue_input("x", operand)
        self._binding.bind_ortvalue_output("y", self._result)

    def check(self):
        """Return how the result was verified."""
        self.run(1)
        return self._check(self._result.numpy()) + self._remark

    def run(self, loops):
        """Return the seconds of so many runs."""
        run, binding = self._session.run_with_iobinding, self._binding
        return worker_timing.elapsed_s(lambda: run(binding), loops)

    def close(self):
        """Let go of the session."""
        self._session = self._binding = self._result = self._check = self._array = None


class OnnxRuntimeRunner:
    """Runs products, convolutions and LSTM layers in float32, products in int8."""

    def __init__(self, options):
        import onnxruntime as ort

        self._ort = ort
        self._threads = options.get("threads")
        provider = worker_framework.device_of(options.get("device_id") or "cpu", "onnxruntime")
        self._provider = CPU_PROVIDER if provider == "cpu" else provider
        if self._provider not in ort.get_available_providers():
            raise worker_errors.UnsupportedKernel("this ONNX Runtime has no " + self._provider)

    def stack(self):
        """Return what computes."""
        return {
            "framework": "onnxruntime",
            "framework_version": self._ort.__version__,
            "backend": self._provider,
            "backend_version": None,
        }

    def _session(self, model):
        options = self._ort.SessionOptions()
        options.log_severity_level = 3
        if self._threads is not None:
            options.intra_op_num_threads = self._threads
        session = self._ort.InferenceSession(model, options, providers=[self._provider])
        if session.get_providers()[0] != self._provider:
            # It falls back to the CPU without an error.
            raise worker_errors.UnsupportedKernel(self._provider + " cannot be used here")
        return session

    def prepare(self, kernel):
        """Return a kernel, ready to run."""
        is_product = kernel["shape"]["type"] == "GemmShape"
        known = ("float32", "int8") if is_product else ("float32",)
        problem = worker_problems.problem_of(kernel, known)
        model, array, shape, restore = MODELS[type(problem)](problem)
        return _Prepared(
            self._ort,
            self._session(model),
            array,
            shape,
            lambda found: problem.check(restore(found)),
        )
