"""Kernels as OpenVINO runs them: one-operator models with constant weights, inference only.

Options: "threads" (None: the default), "device_id" ("cpu", "openvino:GPU", "openvino:NPU").
Without being told OpenVINO may compute float32 models in a shorter format: it is told.
Leaves to others: operands and checks (`worker_problems`), timing (`worker_timing`).
"""

import importlib

import numpy as np
import worker_errors
import worker_framework
import worker_problems
import worker_timing

# Sets of operators, the newest first; older versions keep them in another place.
_OPSETS = ("openvino.opset13", "openvino.runtime.opset8")
_HINTS = {"float32": "f32", "bfloat16": "bf16", "float16": "f16"}


def import_opset():
    """Return the module of operators."""
    for name in _OPSETS[:-1]:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError:
            continue
    return importlib.import_module(_OPSETS[-1])


def _gemm(ops, problem):
    value = ops.parameter(list(problem.a.shape), np.float32)
    weights = ops.constant(problem.b)
    result = ops.matmul(value, weights, problem.transpose_a, problem.transpose_b)
    return value, result, problem.a, lambda found: found


def _conv(ops, problem):
    if problem.direction != "forward":
        raise worker_errors.UnsupportedKernel("there are no gradients in inference")
    images = problem.images.transpose(0, 3, 1, 2)
    filters = problem.filters.transpose(3, 2, 0, 1)
    value = ops.parameter(list(images.shape), np.float32)
    result = ops.convolution(
        value,
        ops.constant(np.ascontiguousarray(filters)),
        list(problem.strides),
        [before for before, _ in problem.pads],
        [after for _, after in problem.pads],
        list(problem.dilation),
    )
    return value, result, images, lambda found: found.transpose(0, 2, 3, 1)


def _forget_first(array):
    """Return the last axis with the gates in the order forget, in, candidate, out."""
    gates = np.split(array, 4, axis=-1)
    return np.concatenate([gates[index] for index in (1, 0, 2, 3)], axis=-1)


def _lstm(ops, problem):
    if problem.direction != "forward":
        raise worker_errors.UnsupportedKernel("there are no gradients in inference")
    kernel, recurrent, bias = (_forget_first(weight) for weight in problem.weights)
    batch, timesteps, _ = problem.inputs.shape
    value = ops.parameter(list(problem.inputs.shape), np.float32)
    zeros = ops.constant(np.zeros((batch, 1, problem.hidden), np.float32))
    layer = ops.lstm_sequence(
        value,
        zeros,
        zeros,
        ops.constant(np.full(batch, timesteps, np.int32)),
        ops.constant(np.ascontiguousarray(kernel.T[None])),
        ops.constant(np.ascontiguousarray(recurrent.T[None])),
        ops.constant(np.ascontiguousarray(bias[None])),
        problem.hidden,
        "forward",
    )
    return value, layer.output(1), problem.inputs, lambda found: found[:, 0]


BUILDERS = {
    worker_problems.GemmProblem: _gemm,
    worker_problems.ConvProblem: _conv,
    worker_problems.LstmProblem: _lstm,
}


class _Prepared:
    """An inference request of a compiled model, with its input set."""

    def __init__(self, request, check):
        self._request = request
        self._check = check

    def check(self):
        """Return how the result was verified."""
        self.run(1)
        return self._check(np.array(self._request.get_output_tensor(0).data))

    def run(self, loops):
        """Return the seconds of so many inferences."""
        return worker_timing.elapsed_s(self._request.infer, loops)

    def close(self):
        """Let go of the model."""
        self._request = self._check = None


class OpenvinoRunner:
    """Runs products, convolutions and LSTM layers."""

    def __init__(self, options):
        import openvino

        self._openvino = openvino
        self._core = openvino.Core()
        self._ops = import_opset()
        self._threads = options.get("threads")
        device = worker_framework.device_of(options.get("device_id") or "cpu", "openvino")
        self._device = "CPU" if device == "cpu" else device
        there = self._core.available_devices
        if self._device not in there:
            raise worker_errors.UnsupportedKernel(
                "OpenVINO does not see {}, only {}".format(self._device, ", ".join(there))
            )

    def stack(self):
        """Return what computes."""
        return {
            "framework": "openvino",
            "framework_version": str(self._openvino.__version__).split("-")[0],
            "backend": self._device,
            "backend_version": None,
        }

    def prepare(self, kernel):
        """Return a kernel, ready to run."""
        problem = worker_problems.problem_of(kernel, tuple(_HINTS))
        value, result, array, restore = BUILDERS[type(problem)](self._ops, problem)
        model = self._openvino.Model([result], [value], "kernel")
        config = {
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_PRECISION_HINT": _HINTS[kernel["precision"]],
        }
        if self._threads is not None:
            config["INFERENCE_NUM_THREADS"] = self._threads
        request = self._core.compile_model(model, self._device, config).create_infer_request()
        request.set_input_tensor(self._openvino.Tensor(np.ascontiguousarray(array)))
        return _Prepared(request, lambda found: problem.check(restore(found)))
