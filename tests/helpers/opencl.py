"""The bundled OpenCL device for tests of the OpenCL worker: opened once, its kernels compiled once.

Needs the workers on the path (tests/probes/workers/conftest.py).
"""

import atexit
import functools
import os
import shutil
import tempfile

import pytest

ALL_DIRECTIONS = ("forward", "input_gradient", "weight_gradient")


@functools.cache
def set_up_pocl():
    """Give PoCL a folder outside the sources for its compiled kernels."""
    if "POCL_CACHE_DIR" not in os.environ:
        folder = tempfile.mkdtemp(prefix="pocl-test-")
        os.environ["POCL_CACHE_DIR"] = folder
        atexit.register(shutil.rmtree, folder, ignore_errors=True)


@functools.cache
def device_id():
    """Return the id of the bundled device, of the first one where nothing is bundled."""
    set_up_pocl()
    import opencl_list

    rows = sorted(
        opencl_list.list_devices()["devices"], key=lambda row: not row["is_bundled_driver"]
    )
    if not rows:
        pytest.skip("this machine has no OpenCL device")
    return "opencl:{platform_index}:{device_index}".format(**rows[0])


@functools.cache
def shared_runner():
    """Return a runner on the bundled device."""
    from opencl_kernels import OpenclRunner

    return OpenclRunner({"device_id": device_id()})


@functools.cache
def shared_lanes():
    """Return the same device, opened once more and treated as one of many lanes."""
    import pyopencl as cl
    from opencl_device import OpenclDevice

    device = OpenclDevice(cl, shared_runner()._device.device)
    device.is_cpu = False
    return device


def request(shape, direction="forward", precision="float32"):
    """Return a kernel of a request."""
    return {"id": "x", "shape": shape, "direction": direction, "precision": precision}


def gemm(m, n, k, batch=1, transpose_a=False, transpose_b=False):
    """Return the fields of a `GemmShape`."""
    fields = {"m": m, "n": n, "k": k, "batch": batch}
    return {"type": "GemmShape", **fields, "transpose_a": transpose_a, "transpose_b": transpose_b}


def conv(n, c, spatial, k, kernel, strides=None, output=None, dilation=None, groups=1, up=False):
    """Return the fields of a `ConvShape` that keeps the size, divided by the stride."""
    strides = strides or (1,) * len(spatial)
    if output is None and up:
        output = [size * step for size, step in zip(spatial, strides, strict=True)]
    if output is None:
        output = [-(-size // step) for size, step in zip(spatial, strides, strict=True)]
    return {
        "type": "ConvShape", "n": n, "c": c, "spatial": list(spatial), "k": k,
        "kernel": list(kernel), "strides": list(strides), "output": list(output),
        "dilation": list(dilation or (1,) * len(spatial)), "groups": groups, "is_transposed": up,
    }  # fmt: skip


def lstm(batch, timesteps, inputs, hidden, both_ways=False, sequences=False, cell="lstm"):
    """Return the fields of a `RecurrentShape`."""
    return {
        "type": "RecurrentShape", "cell": cell, "batch": batch, "timesteps": timesteps,
        "input": inputs, "hidden": hidden, "is_bidirectional": both_ways,
        "return_sequences": sequences,
    }  # fmt: skip
