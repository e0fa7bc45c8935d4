"""Runs kernels on an OpenCL device: matrix products, convolutions, LSTM and what they consist of.

Kernels are OpenCL C 1.2 for any driver. Which variant a device runs best is found by trying, not
by its name. Leaves to others: timing (`opencl_visits`), each kernel (`opencl_*`).
"""

import contextlib
import importlib

import opencl_cache
import opencl_device
import opencl_drivers
import opencl_peak
import opencl_visits
import worker_errors
import worker_kernels

# How long a GPU is kept busy before the first kernel.
_WARM_S = 0.5
# Type of a shape: the module that prepares it, the function, the directions that it has.
_FORWARD = ("forward",)
_PRODUCT = ("forward", "input_gradient", "weight_gradient", "backward")
_KERNELS = {
    "PeakShape": ("opencl_peak", "prepare", _FORWARD),
    "StreamShape": ("opencl_stream", "prepare", _FORWARD),
    "OverheadShape": ("opencl_transfer", "prepare_overhead", _FORWARD),
    "TransferShape": ("opencl_transfer", "prepare_transfer", _FORWARD),
    "GemmShape": ("opencl_gemm", "prepare", _PRODUCT),
    "ConvShape": ("opencl_conv_fastest", "prepare", _PRODUCT),
    "RecurrentShape": ("opencl_recurrent", "prepare", ("forward", "backward")),
    "NormShape": ("opencl_layers", "prepare_norm", _FORWARD),
    "PoolShape": ("opencl_layers", "prepare_pool", _FORWARD),
    "ElementwiseShape": ("opencl_layers", "prepare_elementwise", _FORWARD),
    "SoftmaxShape": ("opencl_layers", "prepare_softmax", _FORWARD),
}


class OpenclRunner:
    """Runs kernels on one device.

    Args:
        options: "device_id" ("opencl:<platform>:<device>"), "device_name" and "platform_name",
            what they must be called (None or absent for anything); "driver", the only one that
            is loaded (`opencl_drivers.load`); "choices" and "cache_folder", what is known from
            earlier runs and where compiled kernels are kept (None or absent: nothing).
    """

    def __init__(self, options):
        folder = opencl_cache.use_folder(options.get("cache_folder"))
        try:
            cl = opencl_drivers.load(options.get("driver"))
        except (ImportError, OSError) as error:
            raise worker_errors.UnsupportedKernel(
                "pyopencl cannot be loaded: {}".format(error)
            ) from error
        device = opencl_device.find_device(
            cl,
            options["device_id"],
            options.get("device_name"),
            options.get("platform_name"),
            is_driver_alone=options.get("driver") is not None,
        )
        self._cl = cl
        self._device = opencl_device.OpenclDevice(
            cl, device, known_choices=options.get("choices"), folder=folder
        )
        self._is_warm = self._device.is_cpu

    def stack(self):
        """Return what computes: OpenCL with the platform's version, the driver with its own."""
        device = self._device.device
        # "OpenCL 3.0 PoCL 3.0 Linux, Release, ...": the standard gives the form of the first two.
        words = device.platform.version.split()
        return {
            "framework": "opencl",
            "framework_version": words[1] if len(words) > 1 else None,
            "backend": device.platform.name.strip(),
            "backend_version": device.driver_version.strip(),
        }

    def run_request(self, request, channel, started):
        """Run the kernels of a request in visits; one that lasts for a time by itself.

        Args:
            request: see `main`.
            channel: where results are told.
            started: from when its budget counts, by `time.monotonic`.
        """
        budget_s = request.get("budget_s")
        self._device.patience.ends_at = None if budget_s is None else started + budget_s
        if any(kernel.get("duration_s") is not None for kernel in request["kernels"]):
            worker_kernels.run_kernels(self, request, channel, started)
        else:
            opencl_visits.run_in_visits(self, request, channel, started)

    def learned(self):
        """Return which variants were found to be the fastest in this run, by name."""
        return self._device.choices.learned

    def prepare(self, kernel):
        """Return the kernel, ready to be checked and run.

        Args:
            kernel: the request, with "shape", "direction" and "precision".

        Raises:
            UnsupportedKernel: with the reason, when it cannot be run on the device.
            MemoryError: when the device has not enough memory.
        """
        shape, direction = kernel["shape"], kernel["direction"]
        if shape["type"] not in _KERNELS:
            raise worker_errors.UnsupportedKernel("OpenCL has no kernel for " + shape["type"])
        module, function, directions = _KERNELS[shape["type"]]
        if direction not in directions:
            raise worker_errors.UnsupportedKernel(
                "OpenCL has no {} of {}".format(direction, shape["type"])
            )
        prepare = getattr(importlib.import_module(module), function)
        extra = (direction,) if len(directions) > 1 else ()
        self._warm_up()
        self._device.patience.begin()
        try:
            return prepare(self._device, shape, kernel["precision"], *extra)
        except self._cl.MemoryError as error:
            raise MemoryError(str(error)) from error

    def _warm_up(self):
        """Keep a GPU busy once: its clock is low while it has nothing to do."""
        if self._is_warm:
            return
        self._is_warm = True
        # A device that cannot run that kernel says so when it is asked for it.
        with contextlib.suppress(self._cl.Error, worker_errors.UnsupportedKernel):
            opencl_peak.warm_clock(self._device, _WARM_S)
