"""What it costs to submit a kernel, and to move data between host and device."""

import time

import numpy as np
import opencl_device
import opencl_work
import worker_check
import worker_errors


class _Latency:
    """A kernel that does nothing, submitted and waited for each time.

    It is what a host that needs a result waits at least; submitted in a row they cost less,
    which is what a "queued_launch" tells.
    """

    def __init__(self, device, launch):
        self._device, self._launch = device, launch

    def check(self):
        """There is nothing to compare."""
        self.run(1)
        return "it has no result; each is waited for"

    def run(self, loops, clock=time.perf_counter):
        """Submit and wait `loops` times and return the seconds."""
        queue, enqueue = self._device.queue, self._launch.enqueue
        started = clock()
        for _ in range(loops):
            enqueue()
            queue.finish()
        return clock() - started

    def settle(self):
        """Nothing is to be found out."""

    def close(self):
        """Nothing is held."""


def prepare_overhead(device, shape, _precision):
    """Return the submission of a kernel that does nothing, with waiting for its end.

    "launch" waits for each, "queued_launch" for many that were submitted in a row.
    """
    if shape["kind"] not in ("launch", "queued_launch"):
        raise worker_errors.UnsupportedKernel(
            "OpenCL has no overhead called {!r}".format(shape["kind"])
        )
    macros = {"REAL": "float", "VEC": "float", "SPAN": 1}
    kernel = device.kernel("stream", "nothing", **macros)
    launch = opencl_work.Launch(device, kernel, (1,), (1,), [])
    if shape["kind"] == "launch":
        return _Latency(device, launch)
    workspace = opencl_device.Workspace(device)
    return opencl_work.Work(device, workspace, [launch], lambda: "it has no result; all are queued")


class _Transfer:
    """Copies between an array of the host and a buffer, in the order in which they are given."""

    def __init__(self, device, size_bytes, is_to_device):
        self._device = device
        self._workspace = opencl_device.Workspace(device)
        count = max(1, size_bytes // 4)
        self._host = opencl_device.random_values(1, count, np.float32)
        self._buffer = self._workspace.upload(self._host)
        self._sent = self._host[::-1].copy() if is_to_device else np.zeros_like(self._host)
        self._is_to_device = is_to_device

    def _copy(self):
        copy, queue = self._device.cl.enqueue_copy, self._device.queue
        if self._is_to_device:
            return copy(queue, self._buffer, self._sent, is_blocking=False)
        return copy(queue, self._sent, self._buffer, is_blocking=False)

    def settle(self):
        """Nothing is to be found out."""

    def check(self):
        """Copy once and compare everything."""
        self.run(1)
        if self._is_to_device:
            found = self._workspace.read(self._buffer, 0, self._sent.size, np.float32)
            return worker_check.compare(found, self._sent, "float32", "what was sent")
        return worker_check.compare(self._sent, self._host, "float32", "what was on the device")

    def run(self, loops, clock=time.perf_counter):
        """Copy `loops` times and return the seconds."""
        started = clock()
        # pyopencl waits for a copy when its event is dropped, so they are kept until the end.
        events = []
        for _ in range(loops):
            events.append(self._copy())
            if len(events) >= 256:
                self._device.queue.finish()
                events.clear()
        self._device.queue.finish()
        return clock() - started

    def close(self):
        """Give the memory back."""
        self._workspace.release()


def prepare_transfer(device, shape, _precision):
    """Return the copy of an array to the device or to the host."""
    if shape["to"] not in ("device", "host"):
        raise worker_errors.UnsupportedKernel("no transfer goes to " + repr(shape["to"]))
    return _Transfer(device, shape["size_bytes"], shape["to"] == "device")
