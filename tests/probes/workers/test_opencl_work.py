"""Launches in slices."""

import itertools

import numpy as np
import opencl_device
import opencl_work
import pyopencl as cl
import pytest
from worker_errors import UnsupportedKernel

from tests.helpers.opencl import shared_runner

COUNT_UP = """
__kernel void count_up(__global int *a, int columns, int rows) {
    if (get_global_id(0) < columns && get_global_id(1) < rows)
        a[get_global_id(1) * columns + get_global_id(0)] += 1;
}
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void fixed(__global int *a) { a[0] = 1; }
"""


@pytest.fixture
def device():
    return shared_runner()._device


@pytest.fixture
def workspace(device):
    made = opencl_device.Workspace(device)
    yield made
    made.release()


def count_up(device, workspace, columns, rows, local=(4, 1)):
    program = device._compile(COUNT_UP, "")
    buffer = workspace.zeros(columns * rows, np.int32)
    kernel = cl.Kernel(program, "count_up")
    launch = opencl_work.Launch(device, kernel, (columns, rows), local, [buffer, columns, rows])
    return launch, lambda: workspace.read(buffer, 0, columns * rows, np.int32)


class Clock:
    """Each pair of calls is one duration."""

    def __init__(self, *durations):
        self._times = itertools.accumulate(itertools.chain(*((0.0, d) for d in durations)))

    def __call__(self):
        return next(self._times)


@pytest.mark.parametrize(("columns", "rows"), [(37, 5), (3, 101), (1, 1)])
@pytest.mark.parametrize("groups", [1, 3, 1000])
def test_slices_cover_everything_once(device, workspace, columns, rows, groups):
    launch, counts = count_up(device, workspace, columns, rows)
    launch._groups_per_slice = groups
    submissions = launch.enqueue()
    device.queue.finish()
    assert (counts() == 1).all()
    n_groups = max(-(-columns // 4), rows)
    assert submissions == -(-n_groups // min(groups, n_groups))


def test_a_fast_kernel_is_not_cut(device, workspace):
    launch, _ = count_up(device, workspace, 8, 100)
    launch.settle(Clock(*[1e-4] * 10))
    assert launch.enqueue() == 1


def test_a_slow_kernel_is_cut_into_pieces_below_the_limit(device, workspace):
    launch, counts = count_up(device, workspace, 4, 100)
    # One group takes 5 ms, eight take 40 ms: 20 groups fit into 100 ms.
    launch.settle(Clock(5e-3, 40e-3))
    before = counts().copy()
    assert launch.enqueue() == 5
    assert (counts() - before == 1).all()


def test_a_group_that_is_too_slow_alone_is_still_run(device, workspace):
    launch, _ = count_up(device, workspace, 4, 6)
    launch.settle(Clock(3.0))
    assert launch.enqueue() == 6


def test_groups_shrink_to_what_is_allowed_unless_they_must_not(device, workspace):
    launch, counts = count_up(device, workspace, 9, 2, local=(1 << 20, 1))
    launch.enqueue()
    assert (counts() == 1).all()
    kernel = cl.Kernel(device._compile(COUNT_UP, ""), "fixed")
    with pytest.raises(UnsupportedKernel, match=r"a group of .* is wanted"):
        opencl_work.Launch(device, kernel, (1,), (1 << 20,), [], is_exact=True)


def test_an_argument_can_be_replaced(device, workspace):
    launch, counts = count_up(device, workspace, 8, 4)
    launch.set_argument(2, 1)
    launch.enqueue()
    assert counts().tolist() == [1] * 8 + [0] * 24


def test_the_time_is_scaled_to_what_was_asked_for(device, workspace):
    launch, _ = count_up(device, workspace, 4, 4)
    clock = Clock(3.0)
    work = opencl_work.Work(device, opencl_device.Workspace(device), [launch], str, scale=0.5)
    assert work.run(7, clock) == pytest.approx(6.0)
    work.close()


def test_a_check_runs_the_whole_once_more_after_the_slices(device, workspace):
    launch, counts = count_up(device, workspace, 4, 3)
    seen = []
    work = opencl_work.Work(
        device, opencl_device.Workspace(device), [launch], lambda: seen.append(counts()) or "fine"
    )
    work.settle()
    before = counts().copy()
    assert work.check() == "fine"
    assert (seen[0] - before == 1).all()
    work.close()


def test_long_slices_are_handed_over_one_by_one(device, workspace, monkeypatch):
    launch, _ = count_up(device, workspace, 4, 100)
    launch.settle(Clock(5e-3, 40e-3))
    seen = []
    monkeypatch.setattr(device, "note_submission", seen.append)
    launch.enqueue()
    assert seen == [pytest.approx(0.1)] * 5
