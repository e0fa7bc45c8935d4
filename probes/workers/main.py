"""Entry of every worker: reads one request, runs it, gives its result.

Started as a script by path, under any Python from 3.8 on, with the name of the worker: "main" for
timing, or a module beside this one whose `run(request, channel)` returns the fields of the result.
For timing the request (the `run` message) has:

    protocol   1
    runner     a name in KERNEL_RUNNERS
    options    threads, device id and what else the runner takes
    kernels    objects with id, shape, direction, precision, min_value_s, n_values,
               and duration_s where values are taken for so long, each told as `progress`
    bout       so many kernels are timed in turn, round by round; 1 for one after the other.
               Then a kernel may have is_reference (timed between bouts) or looks (timed over
               the whole run: its `value` comes a second time with all values)
    rests      whether it rests between two rounds of what is timed over the whole run
    visits     how often an OpenCL kernel is visited
    budget_s   seconds for all of it, imports included, None for no limit

A `stage` "ready" tells the software stack. Then each finished kernel is a `value`, each failed
one a `kernel_failed`; the `result` has the software stack again.
"""

import importlib
import os
import platform
import sys
import time
import traceback

import worker_errors
import worker_kernels
import worker_protocol
import worker_threads

# Name of a runner: module and function (or class) that makes the runner from the options.
KERNEL_RUNNERS = {
    "numpy": ("gemm_numpy", "NumpyRunner"),
    "stream": ("stream_numpy", "StreamRunner"),
    "keras": ("keras_kernels", "make_runner"),
    "opencl": ("opencl_kernels", "OpenclRunner"),
    "torch": ("torch_kernels", "make_runner"),
    "jax": ("jax_kernels", "make_runner"),
    "onnxruntime": ("onnxruntime_kernels", "OnnxRuntimeRunner"),
    "openvino": ("openvino_kernels", "OpenvinoRunner"),
    "clock": ("clock_chain", "ClockRunner"),
}
# What is timed there is NumPy itself.
_TIMES_NUMPY = {"numpy", "stream"}


def run_request(request, channel):
    """Do what a request asks for and return the fields of the result."""
    started = time.monotonic()
    version = request.get("protocol")
    if version != worker_protocol.PROTOCOL_VERSION:
        raise ValueError("the request is of protocol {!r}".format(version))
    name = request["runner"]
    options = request.get("options") or {}
    channel.send("stage", stage="import")
    if name not in KERNEL_RUNNERS:
        raise ValueError("no runner is called {!r}".format(name))
    if name not in _TIMES_NUMPY:
        worker_threads.import_numpy_for_checks()
    runner = load_runner(name, options)
    channel.send("stage", stage="ready", stack=runner.stack())
    if hasattr(runner, "run_request"):
        runner.run_request(request, channel, started)
    else:
        worker_kernels.run_kernels(runner, request, channel, started)
    return {"stack": runner.stack()}


def load_runner(name, options):
    """Return a runner with its framework imported.

    Raises:
        worker_errors.UnsupportedKernel: when this interpreter does not have the framework.
    """
    module_name, maker = KERNEL_RUNNERS[name]
    try:
        return getattr(importlib.import_module(module_name), maker)(options)
    except ModuleNotFoundError as error:
        raise worker_errors.UnsupportedKernel(missing_package(error.name)) from error


def missing_package(name):
    """Return what to do without a package: nothing can be installed into a packaged app."""
    if getattr(sys, "frozen", False):
        return (
            "this package of DL Advisor has no {!r}: install it into a Python of yours, which is"
            " then found, or take the full package".format(name)
        )
    return "{} has no package {!r}: install it there, or choose another Python".format(
        sys.executable, name
    )


def run_named(name, channel):
    """Do what the worker of a name does and return the fields of the result."""
    request = channel.wait_for_run()
    if name == "main":
        return run_request(request, channel)
    return importlib.import_module(name).run(request, channel)


def main(name="main"):
    """Serve one request. Does not return: a framework that is torn down may hang or crash."""
    channel = worker_protocol.open_channel()
    channel.send(
        "hello", protocol=worker_protocol.PROTOCOL_VERSION, python=platform.python_version()
    )
    try:
        fields = run_named(name, channel)
        channel.send("result", **fields)
    except worker_protocol.Cancelled:
        channel.send("cancelled")
    except Exception as error:
        traceback.print_exc()
        channel.send(
            "error",
            outcome=worker_kernels.outcome_of(error),
            message=worker_kernels.sentence_of(error),
        )
    finally:
        sys.stderr.flush()
        os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:2])
