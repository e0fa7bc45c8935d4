"""Opening a device, its programs and its memory."""

import numpy as np
import opencl_device
import opencl_pocl
import pyopencl as cl
import pytest
from worker_errors import UnsupportedKernel

from tests.helpers.opencl import device_id, shared_runner


@pytest.fixture
def device():
    return shared_runner()._device


@pytest.fixture
def workspace(device):
    made = opencl_device.Workspace(device)
    yield made
    made.release()
    assert device.bytes_in_use == 0


@pytest.mark.parametrize("name", ["opencl:0:99", "opencl:99:0", "opencl:-1:7"])
def test_a_device_that_is_not_there_is_unsupported(name):
    with pytest.raises(UnsupportedKernel, match="there is no OpenCL device"):
        opencl_device.find_device(cl, name)


def test_a_device_must_have_the_name_that_was_asked_for(device):
    name = device.device.name
    assert opencl_device.find_device(cl, device_id(), " " + name).name == name
    with pytest.raises(UnsupportedKernel, match=r"is now .* not 'Vega 8'"):
        opencl_device.find_device(cl, device_id(), "Vega 8")


def test_two_platforms_with_devices_of_the_same_name_are_told_apart(device):
    platform = device.device.platform.name
    found = opencl_device.find_device(cl, device_id(), device.device.name, platform + " ")
    assert found.platform.name == platform
    with pytest.raises(UnsupportedKernel, match=r"platform of .* not 'Another'"):
        opencl_device.find_device(cl, device_id(), device.device.name, "Another")


def test_what_takes_long_together_is_handed_over(device, monkeypatch):
    flushed = []

    class Queue:
        def flush(self):
            flushed.append(True)

    monkeypatch.setattr(device, "queue", Queue())
    monkeypatch.setattr(device, "_pending_s", 0.0)
    for _ in range(7):
        device.note_submission(0.04)
    assert len(flushed) == 2


def test_a_compiler_that_does_not_work_is_unsupported(device, monkeypatch):
    monkeypatch.setattr(opencl_device, "_SELF_TEST", "__kernel void self_test( {")
    with pytest.raises(
        UnsupportedKernel, match=r"the OpenCL compiler of .* does not work: .*error"
    ):
        opencl_device.OpenclDevice(cl, device.device)


class Unknowing:
    """A compiler that does not know the processor until it is named."""

    def __init__(self, monkeypatch, can_be_named):
        self.named = []
        compile_ = opencl_device.OpenclDevice._compile

        def compile_when_named(device, source, options):
            if not self.named:
                raise cl.RuntimeError("error: unknown target CPU 'generic'")
            return compile_(device, source, options)

        def name_it(device, is_compiling):
            assert not is_compiling()
            if can_be_named:
                self.named.append(device)
            return "haswell" if can_be_named and is_compiling() else None

        monkeypatch.setattr(opencl_device.OpenclDevice, "_compile", compile_when_named)
        monkeypatch.setattr(opencl_pocl, "name_unknown_cpu", name_it)


def test_a_processor_that_the_compiler_does_not_know_is_named(device, monkeypatch):
    compiler = Unknowing(monkeypatch, can_be_named=True)
    opencl_device.OpenclDevice(cl, device.device)
    assert compiler.named == [device.device]


def test_a_processor_that_cannot_be_named_is_unsupported(device, monkeypatch):
    Unknowing(monkeypatch, can_be_named=False)
    with pytest.raises(UnsupportedKernel, match="unknown target CPU"):
        opencl_device.OpenclDevice(cl, device.device)


def test_programs_are_compiled_once_and_kernels_are_not_shared(device):
    macros = {"REAL": "float", "VEC": "float", "SPAN": 1}
    first = device.kernel("stream", "nothing", **macros)
    n_programs = len(device._programs)
    second = device.kernel("stream", "nothing", **macros, UNDEFINED=None)
    assert len(device._programs) == n_programs
    assert first is not second


@pytest.mark.parametrize("precision", ["float64", "bfloat16", "int8"])
def test_other_number_formats_are_unsupported(device, precision):
    with pytest.raises(UnsupportedKernel, match=precision):
        device.numbers(precision)


def test_half_needs_the_extension(device, monkeypatch):
    monkeypatch.setattr(device, "has_half", False)
    with pytest.raises(UnsupportedKernel, match="cl_khr_fp16"):
        device.numbers("float16")
    monkeypatch.setattr(device, "has_half", True)
    assert device.numbers("float16")["REAL"] == "half"


def test_buffers_larger_than_the_device_allows_are_unsupported(workspace, device):
    count = device.device.max_mem_alloc_size // 4 + 1
    with pytest.raises(UnsupportedKernel, match=r"it needs .*(MB|values)"):
        workspace.empty(count, np.float32)


def test_memory_in_use_counts(device, workspace, monkeypatch):
    free = device.largest_buffer()
    monkeypatch.setattr(opencl_device, "_MEMORY_SHARE", 100e6 / device.device.global_mem_size)
    workspace.empty(15_000_000, np.float32)
    assert device.bytes_in_use == 60_000_000
    with pytest.raises(UnsupportedKernel, match="allows 40 MB now"):
        workspace.empty(15_000_000, np.float32)
    assert free > 0


@pytest.mark.parametrize("count", [1, 999, opencl_device._RANDOM_LENGTH * 3 + 17])
def test_random_values_are_the_same_on_host_and_device(workspace, count):
    expected = opencl_device.random_values(5, count, np.float32)
    found = workspace.read(workspace.random(5, count, np.float32), 0, count, np.float32)
    assert np.array_equal(found, expected)
    part = opencl_device.random_slice(5, count, np.float32, count // 2, count - count // 2)
    assert np.array_equal(part, expected[count // 2 :])
    assert np.abs(expected).max() <= 1.0


def test_results_that_were_not_written_are_no_numbers(workspace):
    assert np.isnan(workspace.read(workspace.empty(1000, np.float32), 0, 1000, np.float32)).all()


def test_zeros_are_zeros_and_reads_begin_where_they_should(workspace):
    assert not workspace.read(workspace.zeros(1000, np.float32), 0, 1000, np.float32).any()
    buffer = workspace.upload(np.arange(10, dtype=np.float32))
    assert workspace.read(buffer, 3, 2, np.float32).tolist() == [3.0, 4.0]
