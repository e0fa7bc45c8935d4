"""Runs launches of kernels: in slices that no watchdog minds, several in a row, timed.

Leaves to others: which launches a computation consists of, the fastest of several ways
(`opencl_fastest`).
"""

import time

import numpy as np
import opencl_device
import worker_errors

# A single submission should not keep a device longer: displays freeze and drivers reset it.
MAX_SUBMISSION_S = opencl_device.MAX_SUBMISSION_S
# Submissions that are collected before they are handed over, and before the host waits for them.
# Long ones are handed over sooner (`OpenclDevice.note_submission`).
_FLUSH_EVERY = 64
_FINISH_EVERY = 16384
# By how much a trial submission is longer than the one before.
_GROWTH = 8


def round_up(value, multiple):
    """Return the least multiple that is not below a value."""
    return -(-value // multiple) * multiple


def _as_argument(value):
    return np.int32(value) if isinstance(value, int) else value


class Launch:
    """A kernel with its arguments over a range of work-items.

    The range is rounded up to whole groups, kernels ignore the surplus. They ask for global ids
    only, so that a launch may be cut along its longest dimension.

    Args:
        device: the `OpenclDevice`.
        kernel: not shared with another launch: it keeps the arguments.
        size: work-items in up to 3 dimensions.
        local: work-items of a group.
        arguments: buffers, integers (32 bits) and NumPy scalars.
        is_exact: the group must be as given; otherwise it shrinks to what the kernel allows.
    """

    def __init__(self, device, kernel, size, local, arguments, is_exact=False):
        self._device = device
        self._kernel = kernel
        self._local = _fit_group(device, kernel, local, is_exact)
        dimensions = range(len(size))
        self._size = tuple(round_up(max(1, size[d]), self._local[d]) for d in dimensions)
        for index, argument in enumerate(arguments):
            kernel.set_arg(index, _as_argument(argument))
        groups = [self._size[d] // self._local[d] for d in dimensions]
        self._dimension = max(dimensions, key=groups.__getitem__)
        self._n_groups = groups[self._dimension]
        self._groups_per_slice = self._n_groups
        self._slice_s = 0.0

    def set_argument(self, index, value):
        """Replace an argument."""
        self._kernel.set_arg(index, _as_argument(value))

    def enqueue(self):
        """Submit the whole range. Returns the number of submissions."""
        if self._groups_per_slice >= self._n_groups:
            device = self._device
            device.cl.enqueue_nd_range_kernel(device.queue, self._kernel, self._size, self._local)
            device.note_submission(self._slice_s)
            return 1
        first, count = 0, 0
        while first < self._n_groups:
            self._enqueue_slice(first, self._groups_per_slice)
            first += self._groups_per_slice
            count += 1
        return count

    def _enqueue_slice(self, first, n_groups):
        group = self._local[self._dimension]
        size, offset = list(self._size), [0] * len(self._size)
        size[self._dimension] = min(n_groups, self._n_groups - first) * group
        offset[self._dimension] = first * group
        device = self._device
        device.cl.enqueue_nd_range_kernel(
            device.queue, self._kernel, tuple(size), self._local, tuple(offset)
        )
        device.note_submission(self._slice_s)

    def settle(self, clock=time.perf_counter):
        """Find a length of slices that is safe: begin with one group, grow to the whole range.

        Slices begin at the same place: some drivers compile once more for another offset.
        """
        queue = self._device.queue
        self._enqueue_slice(0, 1)  # compiles, in some drivers
        queue.finish()
        n_groups = 1
        while True:
            started = clock()
            self._enqueue_slice(0, n_groups)
            queue.finish()
            elapsed_s = clock() - started
            if elapsed_s > MAX_SUBMISSION_S / _GROWTH:
                break
            if n_groups >= self._n_groups:
                self._groups_per_slice, self._slice_s = self._n_groups, elapsed_s
                return
            n_groups = min(self._n_groups, n_groups * _GROWTH)
        self._groups_per_slice = max(1, int(n_groups * MAX_SUBMISSION_S / elapsed_s))
        self._slice_s = elapsed_s * self._groups_per_slice / n_groups


def _fit_group(device, kernel, local, is_exact):
    info = device.cl.kernel_work_group_info
    allowed = min(device.max_group, kernel.get_work_group_info(info.WORK_GROUP_SIZE, device.device))
    local = list(local)
    if is_exact:
        is_too_long = any(items > device.max_items[d] for d, items in enumerate(local))
        if is_too_long or int(np.prod(local)) > allowed:
            raise worker_errors.UnsupportedKernel(
                "a group of {} work-items is wanted, {} allowed".format(np.prod(local), allowed)
            )
        needed = kernel.get_work_group_info(info.LOCAL_MEM_SIZE, device.device)
        if needed > device.local_bytes:
            raise worker_errors.UnsupportedKernel(
                "it needs {} bytes of local memory".format(needed)
            )
        return tuple(local)
    limits = device.max_items
    local = [min(items, limits[d]) for d, items in enumerate(local)]
    while int(np.prod(local)) > allowed:
        largest = max(range(len(local)), key=local.__getitem__)
        local[largest] = max(1, local[largest] // 2)
    return tuple(local)


class Work:
    """A computation, ready to run: the prepared kernel that the timing sees.

    Args:
        device: the `OpenclDevice`.
        workspace: its buffers, given back by `close`.
        launches: one execution, in order.
        check: function that compares the results with the reference and returns the statement.
        scale: executions as asked for that one pass over the launches stands for, below 1 when
            the launches do less, above 1 when they do more.
    """

    def __init__(self, device, workspace, launches, check, scale=1.0):
        self._device = device
        self._workspace = workspace
        self._launches = launches
        self._check = check
        self._scale = scale
        self._is_settled = False

    def settle(self):
        """Find out in which slices to execute. Leaves results that mean nothing."""
        if not self._is_settled:
            for launch in self._launches:
                launch.settle()
            self._is_settled = True

    def check(self):
        """Execute once and compare with the reference."""
        self.settle()
        self.run(1)
        return self._check()

    def run(self, loops, clock=time.perf_counter):
        """Execute `loops` times and return the seconds."""
        queue = self._device.queue
        launches = self._launches
        count = 0
        started = clock()
        for _ in range(loops):
            for launch in launches:
                before = count
                count += launch.enqueue()
                if count // _FLUSH_EVERY != before // _FLUSH_EVERY:
                    queue.flush()
                if count // _FINISH_EVERY != before // _FINISH_EVERY:
                    queue.finish()
        queue.finish()
        return (clock() - started) / self._scale

    def close(self):
        """Give the memory back."""
        self._launches = []
        self._workspace.release()
