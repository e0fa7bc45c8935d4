"""Kernels as PyTorch runs them by default: eagerly, images with the channels first.

Options: "threads" (None: the default of PyTorch), "device_id" ("cpu", "torch:cuda:0",
"torch:xpu:0", "torch:mps:0"). A gradient is pulled back through a graph that is recorded once and
kept, so that it is timed without the forward computation. On GPUs of NVIDIA, convolutions and
LSTM layers in float32 would be computed in TF32, which is another format: it is switched off.
Leaves to others: operands and checks (`worker_problems`), timing (`worker_timing`).
"""

import time

import worker_errors
import worker_framework
import worker_threads


class _TimedTorch:
    """A step that is repeated, and the wait for its end."""

    def __init__(self, engine, step):
        self._engine = engine
        self._step = step

    def result(self):
        """Return the result of one step as an array."""
        return self._engine.array(self._step())

    def run(self, loops):
        """Return the seconds of so many steps."""
        step, wait = self._step, self._engine.wait
        wait()
        started = time.perf_counter()
        for _ in range(loops):
            step()
        wait()
        return time.perf_counter() - started


class TorchEngine:
    """Moves arrays to a device of PyTorch and calls functions there."""

    def __init__(self, torch, device):
        self._torch = torch
        self._device = device
        kind = device.split(":")[0]
        # On a CPU a call returns when it is done.
        self.wait = getattr(torch, kind).synchronize if kind != "cpu" else lambda: None

    def tensor(self, array, precision):
        """Return a tensor of an array."""
        torch = self._torch
        value = torch.from_numpy(array.copy()).to(getattr(torch, precision))
        return value.to(self._device)

    def array(self, tensor):
        """Return the float32 array of a tensor."""
        return tensor.detach().float().cpu().numpy()

    def _tensors(self, call, precision):
        return [self.tensor(array, precision) for array in call.inputs]

    def forward(self, call, precision):
        """Return the call, timed without recording anything for gradients."""
        torch, function = self._torch, call.function
        tensors = self._tensors(call, precision)

        def step():
            with torch.no_grad():
                return function(*tensors)

        return _TimedTorch(self, step)

    def gradient(self, call, precision):
        """Return the gradients of the call, timed without the call itself."""
        torch = self._torch
        tensors = self._tensors(call, precision)
        for index in call.wrt:
            tensors[index].requires_grad_(True)
        result = call.function(*tensors)
        seed = self.tensor(call.seed, precision)
        sources = [tensors[index] for index in call.wrt] + list(call.extras)

        def step():
            return torch.autograd.grad(result, sources, seed, retain_graph=True)[0]

        return _TimedTorch(self, step)


class _Functions:
    """Products, convolutions and LSTM layers of PyTorch."""

    def __init__(self, torch, device):
        self._torch = torch
        self._device = device

    def gemm(self, problem):
        """Return the product; transposed operands are views, as PyTorch has them."""
        torch = self._torch

        def multiply(a, b):
            left = a.transpose(-1, -2) if problem.transpose_a else a
            right = b.transpose(-1, -2) if problem.transpose_b else b
            return torch.matmul(left, right)

        return worker_framework.Call(multiply, [problem.a, problem.b])

    def conv(self, problem):
        """Return the convolution; zeros that differ before and after are added before it."""
        functional = self._torch.nn.functional
        is_even = all(before == after for before, after in problem.pads)
        padding = tuple(before for before, _ in problem.pads) if is_even else 0
        # The last axis comes first.
        around = [zeros for pad in reversed(problem.pads) for zeros in pad]

        def convolve(images, filters):
            if not is_even:
                images = functional.pad(images, around)
            return functional.conv2d(
                images, filters, None, problem.strides, padding, problem.dilation
            )

        return worker_framework.conv_call(
            problem,
            convolve,
            to_image=lambda array: array.transpose(0, 3, 1, 2),
            to_filter=lambda array: array.transpose(3, 2, 0, 1),
            from_image=lambda array: array.transpose(0, 2, 3, 1),
            from_filter=lambda array: array.transpose(2, 3, 1, 0),
        )

    def lstm(self, problem, precision):
        """Return the layer with the weights of the problem."""
        torch = self._torch
        layer = torch.nn.LSTM(problem.inputs.shape[-1], problem.hidden, batch_first=True)
        kernel, recurrent, bias = (torch.from_numpy(weight.copy()) for weight in problem.weights)
        with torch.no_grad():
            layer.weight_ih_l0.copy_(kernel.T)
            layer.weight_hh_l0.copy_(recurrent.T)
            layer.bias_ih_l0.copy_(bias)
            layer.bias_hh_l0.zero_()
        layer = layer.to(self._device).to(getattr(torch, precision))
        seed, wrt, extras = None, (), ()
        if problem.direction == "backward":
            seed, wrt, extras = problem.gradient, (0,), tuple(layer.parameters())
        return worker_framework.Call(
            lambda inputs: layer(inputs)[0][:, -1], [problem.inputs], seed, wrt, extras
        )


def import_torch(options):
    """Import PyTorch with its threads set; return it and its name of the device.

    Raises:
        worker_errors.UnsupportedKernel: when PyTorch does not see the device.
    """
    threads = options.get("threads")
    worker_threads.set_library_threads(threads)
    import torch

    if threads is not None:
        torch.set_num_threads(threads)
    device = worker_framework.device_of(options.get("device_id") or "cpu", "torch")
    try:
        torch.zeros(1).to(device)
    except (RuntimeError, AssertionError) as error:
        text = str(error).splitlines()[0]
        raise worker_errors.UnsupportedKernel(
            "PyTorch does not see the device {}: {}".format(device, text)
        ) from error
    if device.startswith("cuda"):
        use_whole_float32(torch)
    return torch, device


def use_whole_float32(torch):
    """Let PyTorch compute in float32 what is in float32, not in TF32."""
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False


def backend_of(torch):
    """Return name and version of what computes below PyTorch on a CPU."""
    if torch.backends.mkldnn.is_available():
        return "oneDNN", None
    return None, None


def make_runner(options):
    """Return the runner of PyTorch."""
    torch, device = import_torch(options)
    kind = device.split(":")[0]
    name, version = backend_of(torch) if kind == "cpu" else (kind, None)
    if kind == "cuda":
        hip = getattr(torch.version, "hip", None)
        name, version = ("ROCm", hip) if hip else ("CUDA", torch.version.cuda)
    stack = {
        "framework": "torch",
        "framework_version": str(torch.__version__),
        "backend": name,
        "backend_version": version,
    }
    engine = TorchEngine(torch, device)
    return worker_framework.FrameworkRunner(engine, _Functions(torch, device), stack)
