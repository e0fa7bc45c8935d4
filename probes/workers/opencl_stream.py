"""Memory traffic on an OpenCL device: global memory and local memory.

Bytes are to be counted as for every `StreamShape`: one array for read, two for copy, scale and
local, three for add and triad. Arrays that the device does not take are replaced by shorter ones,
arrays that a GPU sweeps in no time by longer ones, and the time is scaled; the statement of the
check then says so.
"""

import numpy as np
import opencl_device
import opencl_fastest
import opencl_work
import worker_check
import worker_errors

_SCALAR = 3.0
# Arrays read by each operation; all of them write one more.
_INPUTS = {"copy": 1, "scale": 1, "add": 2, "triad": 2, "read": 1}
_HAS_SCALAR = ("scale", "triad")
# Vector width, group size, vectors of a work-item, on a CPU and not.
_VARIANTS = {
    True: ((16, 1, 512), (16, 64, 16)),
    False: ((4, 256, 16), (4, 64, 16), (4, 256, 4), (1, 256, 16)),
}
# Loads of a work-item that do not wait for each other, on a CPU and not.
_ABREAST = {True: 2, False: 8}
# Elements of the arrays with which variants are tried.
_TRIAL_ELEMENTS = 1 << 25
# Shorter arrays would show a cache.
_MIN_BYTES = 16 << 20
# A sweep of a GPU should last so long: launching one takes 2 to 10 us, which is a sixth of a sweep
# of 134 MB where memory moves 3 TB/s.
_SHORTEST_SWEEP_S = 0.4e-3
_MAX_TIMES = 16
# Values of a stretch that is compared, and how many stretches from end to end.
_CHECKED, _STRETCHES = 4096, 33
# Values of a stretch whose sums are compared, how many at most.
_SUMMED, _SUM_STRETCHES = 1 << 22, 8
# Arrays of less than so many caches may stay in them from one sweep to the next.
_CACHES = 4
_LOCAL_SCALAR = -1.0
_LOCAL_GROUP = 64
_LOCAL_BYTES = 8192
_MIN_LOCAL_STEPS, _MAX_LOCAL_STEPS = 16, 2048


def _expected(op, a, b):
    if op == "copy":
        return a
    if op == "scale":
        return _SCALAR * a
    return a + b if op == "add" else a + _SCALAR * b


class _Stream:
    """Builds the work for an operation with a number of elements, or with `times` as many."""

    def __init__(self, device, op, elements, precision, times=1):
        self._device, self._op, self._precision = device, op, precision
        self._dtype = np.dtype(opencl_device.dtype_of(precision))
        self._macros = device.numbers(precision)
        self._macros.pop("MAD(a,b,c)")
        self._wanted = elements
        self._times = times

    def _elements(self):
        n_arrays = _INPUTS[self._op] + (self._op != "read")
        device = self._device
        total = device.largest_buffer()
        allowed = min(total, int(device.global_bytes * 0.5) // n_arrays)
        elements = min(self._wanted * self._times, allowed // self._dtype.itemsize)
        if elements < self._wanted and elements * self._dtype.itemsize < _MIN_BYTES:
            raise worker_errors.UnsupportedKernel(
                "arrays of {:.0f} MB are the longest it takes, too short for its caches".format(
                    elements * self._dtype.itemsize / 1e6
                )
            )
        return elements

    def build(self, variant):
        """Return the work of a variant."""
        elements, width = self._elements(), variant[0]
        count = max(1, elements // width)
        elements = count * width
        workspace = opencl_device.Workspace(self._device)
        try:
            return self._build(workspace, variant, count, elements)
        except BaseException:
            workspace.release()
            raise

    def _build(self, workspace, variant, count, elements):
        width, group, span = variant
        device, op = self._device, self._op
        vector = self._macros["REAL"] + (str(width) if width > 1 else "")
        abreast = min(span, _ABREAST[device.is_cpu])
        kernel = device.kernel(
            "stream", "stream_" + op, VEC=vector, SPAN=span, ABREAST=abreast, **self._macros
        )
        inputs = [workspace.random(seed, elements, self._dtype) for seed in range(_INPUTS[op])]
        items = opencl_work.round_up(-(-count // span), group)
        out = workspace.empty((items if op == "read" else count) * width, self._dtype)
        arguments = [*inputs, out, count]
        if op in _HAS_SCALAR:
            arguments.append(np.float32(_SCALAR))
        launch = opencl_work.Launch(device, kernel, (items,), (group,), arguments, is_exact=True)

        def check():
            if op == "read":
                return self._check_sums(workspace, out, variant, elements)
            return self._check_stretches(workspace, out, elements)

        return opencl_work.Work(device, workspace, [launch], check, scale=elements / self._wanted)

    def _say(self, text, elements):
        if not 0.99 * self._wanted <= elements <= 1.01 * self._wanted:
            text = "{}; arrays of {} elements instead of {}".format(text, elements, self._wanted)
        cache_bytes = self._device.cache_bytes
        if elements * self._dtype.itemsize < _CACHES * cache_bytes:
            text += "; arrays may stay in the cache of {:.0f} MB".format(cache_bytes / 1e6)
        return text

    def _check_sums(self, workspace, out, variant, elements):
        """Compare the sum of each work-item, of all groups or of stretches from end to end."""
        width, group, span = variant
        of_group = group * span * width
        n_groups = -(-elements // of_group)
        at_once = max(1, _SUMMED // of_group)
        n_stretches = min(_SUM_STRETCHES, -(-n_groups // at_once))
        found, expected = [], []
        for first in _spread(n_groups - at_once, n_stretches):
            count = min(at_once, n_groups - first)
            begin, end = first * of_group, min(elements, (first + count) * of_group)
            values = np.zeros(count * of_group, np.float64)
            values[: end - begin] = opencl_device.random_slice(
                0, elements, self._dtype, begin, end - begin
            )
            expected.append(values.reshape(count, span, group * width).sum(axis=1).ravel())
            n_sums = count * group * width
            found.append(workspace.read(out, first * group * width, n_sums, self._dtype))
        text = worker_check.compare(
            np.concatenate(found), np.concatenate(expected), self._precision, "the sums"
        )
        return self._say(text, elements)

    def _check_stretches(self, workspace, out, elements):
        """Compare both ends and stretches between."""
        n = min(_CHECKED, elements)
        found, expected = [], []
        for first in _spread(elements - n, _STRETCHES):
            found.append(workspace.read(out, first, n, self._dtype))
            inputs = [
                opencl_device.random_slice(seed, elements, self._dtype, first, n).astype(float)
                for seed in range(_INPUTS[self._op])
            ]
            expected.append(_expected(self._op, inputs[0], inputs[-1]))
        text = worker_check.compare(found, expected, self._precision, "stretches of the array")
        return self._say(text, elements)


def _spread(last, count):
    """Return up to `count` places from 0 to `last`, both ends among them."""
    return sorted(
        {int(place) for place in np.linspace(0, max(0, last), max(1, count))} | {max(0, last)}
    )


def _local_work(device, elements, precision, width):
    """Return sweeps over local memory that read and write about `elements` values in all."""
    dtype = np.dtype(opencl_device.dtype_of(precision))
    macros = device.numbers(precision)
    macros.pop("MAD(a,b,c)")
    group = min(_LOCAL_GROUP, device.max_group)
    size = min(_LOCAL_BYTES, device.local_bytes // 2)
    rows = size // (group * width * dtype.itemsize)
    if rows < 2:
        raise worker_errors.UnsupportedKernel("the device has too little local memory")
    n_items = device.units * group * 8
    wanted = elements // (n_items * width)
    steps = max(_MIN_LOCAL_STEPS, min(_MAX_LOCAL_STEPS, wanted))
    per_pass = n_items * width * steps
    workspace = opencl_device.Workspace(device)
    try:
        vector = macros["REAL"] + (str(width) if width > 1 else "")
        kernel = device.kernel("stream", "stream_local", VEC=vector, SPAN=1, **macros)
        out = workspace.empty(n_items * width, dtype)
        local = device.cl.LocalMemory(rows * group * width * dtype.itemsize)
        arguments = [local, out, rows, 1, steps, np.float32(_LOCAL_SCALAR)]
        launch = opencl_work.Launch(device, kernel, (n_items,), (group,), arguments, is_exact=True)
    except BaseException:
        workspace.release()
        raise

    def check():
        found = workspace.read(out, 0, n_items * width, dtype)
        times = np.bincount(np.arange(steps) % rows, minlength=rows)
        expected = (np.arange(1, rows + 1) * _LOCAL_SCALAR**times).sum()
        return worker_check.compare(
            found, np.full(found.shape, expected), precision, "the sums of the local memory"
        )

    return opencl_work.Work(device, workspace, [launch], check, scale=per_pass / elements)


def _times_as_long(sweep_s):
    """Return by what power of two arrays are to be longer that are swept in so many seconds."""
    times = 1
    while sweep_s is not None and times < _MAX_TIMES and sweep_s * times < _SHORTEST_SWEEP_S:
        times *= 2
    return times


def prepare(device, shape, precision):
    """Return the fastest variant of a memory operation."""
    op, elements = shape["op"], shape["elements"]
    if op == "local":
        builders = [
            lambda width=width: _local_work(device, elements, precision, width)
            for width in ((16, 8) if device.is_cpu else (4, 1, 2))
        ]
        return opencl_fastest.Chosen(device, ("local", precision), builders)
    if op not in _INPUTS:
        raise worker_errors.UnsupportedKernel("no memory operation is called " + repr(op))
    key, variants = ("stream", op, precision), _VARIANTS[device.is_cpu]

    def builders(length, times=1):
        stream = _Stream(device, op, length, precision, times)
        return [lambda variant=variant: stream.build(variant) for variant in variants]

    few = builders(min(elements, _TRIAL_ELEMENTS))
    times = 1 if device.is_cpu else _times_as_long(opencl_fastest.seconds_of(device, few[0]))
    return opencl_fastest.Chosen(
        device, key, builders(elements, times),
        lambda index, _trial: opencl_fastest.seconds_of(device, few[index]),
        lambda: opencl_fastest.try_all(device, few),
    )  # fmt: skip
