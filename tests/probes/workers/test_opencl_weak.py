"""A weak GPU: groups of 64 work-items, 32 KiB of local memory, buffers of 128 MiB."""

import opencl_device
import opencl_kernels
import opencl_work
import pytest
from worker_errors import UnsupportedKernel

from tests.helpers.opencl import conv, gemm, lstm, request, shared_runner

MAX_GROUP, LOCAL_BYTES, MAX_ALLOC_BYTES = 64, 32 << 10, 128 << 20
SHAPES = {
    "peak": ({"type": "PeakShape", "width": 4}, "forward"),
    "launch": ({"type": "OverheadShape", "kind": "launch"}, "forward"),
    "copy": ({"type": "StreamShape", "op": "copy", "elements": 70_001}, "forward"),
    "local": ({"type": "StreamShape", "op": "local", "elements": 70_001}, "forward"),
    "transfer": ({"type": "TransferShape", "to": "device", "size_bytes": 4096}, "forward"),
    "product": (gemm(67, 35, 51), "forward"),
    "turned": (gemm(67, 35, 51, transpose_a=True), "forward"),
    "few rows": (gemm(3, 70, 51), "forward"),
    "convolution": (conv(2, 5, (9, 7), 6, (3, 3)), "forward"),
    "gradient": (conv(2, 5, (9, 7), 6, (3, 3)), "weight_gradient"),
    "lstm": (lstm(3, 2, 5, 9), "backward"),
    "norm": ({"type": "NormShape", "kind": "layer", "elements": 1015, "channels": 203}, "forward"),
    "softmax": ({"type": "SoftmaxShape", "rows": 5, "columns": 203}, "forward"),
}


@pytest.fixture(scope="module")
def weak():
    """A runner on the bundled device, which is treated as a weak GPU."""
    shared = shared_runner()._device
    device = opencl_device.OpenclDevice(shared.cl, shared.device)
    device.is_cpu = False
    device.max_group, device.max_items = MAX_GROUP, (MAX_GROUP,) * 3
    device.local_bytes, device.max_alloc_bytes = LOCAL_BYTES, MAX_ALLOC_BYTES
    device.global_bytes = 512 << 20
    runner = opencl_kernels.OpenclRunner.__new__(opencl_kernels.OpenclRunner)
    runner._cl, runner._device, runner._is_warm = shared.cl, device, True
    return runner


@pytest.fixture
def groups(monkeypatch):
    """The groups that are submitted."""
    found, init = [], opencl_work.Launch.__init__

    def note(self, *arguments, **more):
        init(self, *arguments, **more)
        info = self._device.cl.kernel_work_group_info
        local = self._kernel.get_work_group_info(info.LOCAL_MEM_SIZE, self._device.device)
        found.append((self._local, local))

    monkeypatch.setattr(opencl_work.Launch, "__init__", note)
    return found


# Compiling these takes ten to twenty seconds each.
_COSTLY = ("convolution", "few rows", "gradient", "lstm", "product", "turned")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow) if name in _COSTLY else name
        for name in sorted(SHAPES)
    ],
)
def test_every_kernel_keeps_within_the_limits_and_is_right(weak, groups, name):
    shape, direction = SHAPES[name]
    prepared = weak.prepare(request(shape, direction))
    assert prepared.check()
    prepared.close()
    for group, local_bytes in groups:
        items = 1
        for length in group:
            items *= length
        assert items <= MAX_GROUP
        assert local_bytes <= LOCAL_BYTES
    assert weak._device.bytes_in_use == 0


def test_an_array_beyond_the_largest_buffer_is_unsupported(weak):
    elements = MAX_ALLOC_BYTES // 4 + 1
    with pytest.raises(UnsupportedKernel, match="the device allows 134 MB"):
        weak.prepare(request(gemm(1, elements, 1)))


def test_a_sweep_beyond_the_largest_buffer_is_shortened_and_says_so(weak):
    work = weak.prepare(request({"type": "StreamShape", "op": "read", "elements": 1 << 26}))
    assert "instead of 67108864" in work.check()
    work.close()


def test_a_group_that_is_too_long_in_one_direction_is_unsupported(weak, monkeypatch):
    monkeypatch.setattr(weak._device, "max_items", (8, 64, 64))
    kernel = weak._device.kernel("stream", "nothing", REAL="float", VEC="float", SPAN=1)
    with pytest.raises(UnsupportedKernel, match="a group of 16 work-items"):
        opencl_work.Launch(weak._device, kernel, (16,), (16,), [], is_exact=True)
    launch = opencl_work.Launch(weak._device, kernel, (16,), (16,), [])
    assert launch._local == (8,)
