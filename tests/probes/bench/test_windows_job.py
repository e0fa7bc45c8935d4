"""CPU time of a job, as Windows tells it."""

import ctypes
import sys

import pytest

from probes.bench.windows_job import Accounting, Job, own_and_children_s


class Kernel:
    """Stands for kernel32: its functions, and what it was asked."""

    def __init__(self, *, job=7, may_join=1, knows=1):
        self.asked = []
        self.job, self.may_join, self.knows = job, may_join, knows

        def create(_security, _name):
            return self.job

        def current():
            return ctypes.c_void_p(-1).value

        def assign(job, process):
            self.asked.append((job.value, process.value))
            return self.may_join

        def query(job, kind, target, size, _returned):
            assert (job.value, kind, size) == (7, 1, 48)
            target._obj.total_user, target._obj.total_kernel = 25_000_000, 5_000_000
            return self.knows

        self.CreateJobObjectW, self.GetCurrentProcess = create, current
        self.AssignProcessToJobObject, self.QueryInformationJobObject = assign, query


def test_user_and_kernel_time_in_seconds():
    kernel = Kernel()
    assert Job(kernel).cpu_s() == pytest.approx(3.0)
    # The whole handle of 64 bits reaches the system.
    assert kernel.asked == [(7, ctypes.c_void_p(-1).value)]


def test_the_record_has_the_size_that_the_system_wants():
    assert ctypes.sizeof(Accounting) == 48


@pytest.mark.parametrize("refusal", [{"job": None}, {"may_join": 0}])
def test_a_refused_job(refusal):
    with pytest.raises(OSError, match="the system"):
        Job(Kernel(**refusal))


def test_a_time_that_is_not_told():
    assert Job(Kernel(knows=0)).cpu_s() is None


@pytest.mark.skipif(sys.platform == "win32", reason="other systems have no jobs")
def test_elsewhere_there_is_none():
    assert own_and_children_s() is None
