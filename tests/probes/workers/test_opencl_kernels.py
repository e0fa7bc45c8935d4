"""The runner: what it takes, what it refuses, and that wrong kernels do not pass."""

import shutil

import opencl_device
import opencl_fastest
import pyopencl as cl
import pytest
from opencl_kernels import OpenclRunner
from worker_errors import UnsupportedKernel, WrongResult

from tests.helpers.opencl import conv, device_id, gemm, lstm, request, shared_runner


def test_the_stack_names_platform_and_driver():
    stack = shared_runner().stack()
    assert stack["framework"] == "opencl"
    assert stack["framework_version"][0].isdigit()
    assert stack["backend"]
    assert stack["backend_version"]


def test_a_device_with_another_name_is_refused():
    with pytest.raises(UnsupportedKernel, match="not 'Vega 8'"):
        OpenclRunner({"device_id": device_id(), "device_name": "Vega 8"})


@pytest.mark.parametrize(
    ("shape", "direction", "reason"),
    [
        ({"type": "EmbeddingShape"}, "forward", "no kernel for EmbeddingShape"),
        ({"type": "PeakShape", "width": 0}, "backward", "no backward of PeakShape"),
        ({"type": "GemmShape"}, "update", "no update of GemmShape"),
    ],
)
def test_what_has_no_kernel_is_refused_with_the_reason(shape, direction, reason):
    with pytest.raises(UnsupportedKernel, match=reason):
        shared_runner().prepare(request(shape, direction))


@pytest.mark.parametrize("precision", ["bfloat16", "int8", "float16"])
def test_other_precisions_are_refused(precision, monkeypatch):
    monkeypatch.setattr(shared_runner()._device, "has_half", False)
    with pytest.raises(UnsupportedKernel, match=precision):
        shared_runner().prepare(request(gemm(4, 4, 4), precision=precision))


def test_a_matrix_that_does_not_fit_is_refused_and_nothing_is_left():
    runner = shared_runner()
    with pytest.raises(UnsupportedKernel, match="it needs"):
        runner.prepare(request(gemm(200_000, 200_000, 8)))
    assert runner._device.bytes_in_use == 0


def test_a_device_out_of_memory_is_a_memory_error(monkeypatch):
    runner = shared_runner()

    def fail(*_arguments):
        raise cl.MemoryError("MEM_OBJECT_ALLOCATION_FAILURE")

    monkeypatch.setattr(opencl_device.Workspace, "empty", fail)
    with pytest.raises(MemoryError, match="ALLOCATION"):
        runner.prepare(request({"type": "StreamShape", "op": "copy", "elements": 1 << 20}))


# File, what a wrong kernel has instead of what, and a request that it must not pass.
WRONG = {
    "an accumulation that forgets": (
        "gemm.cl", "sum[i][j] = MAD(left, right[j], sum[i][j]);", "sum[i][j] = left * right[j];",
        request(gemm(70, 33, 21)),
    ),
    "a copy that takes the neighbour": (
        "pack.cl", "source += offset +", "source += 1 + offset +", request(gemm(70, 33, 21)),
    ),
    "an edge that is cut off": (
        "gemm.cl", "if (row < m)", "if (row < m - 1)", request(gemm(70, 33, 21)),
    ),
    "taps in the wrong place": (
        "conv.cl", "(tap) * (dilation) - (pad)", "(tap) * (dilation)",
        request(conv(2, 5, (9, 7), 35, (3, 3))),
    ),
    "a gate that is another": (
        "recurrent.cl", "const ACC cell = f * old + i * g;", "const ACC cell = f * old + o * g;",
        request(lstm(3, 4, 5, 6)),
    ),
    "a state that is forgotten": (
        "recurrent.cl", "cell_gradient[here] = cell * f;", "cell_gradient[here] = 0;",
        request(lstm(3, 4, 5, 6), "backward"),
    ),
    "chains that grow by something else": (
        "peak.cl", "x[i] = MAD(x[i], x[i], c);", "x[i] = MAD(x[i], c, c);",
        request({"type": "PeakShape", "width": 4}),
    ),
    "a sweep over half": (
        "stream.cl", "* step * SPAN, count)", "* step * SPAN, count / 2)",
        request({"type": "StreamShape", "op": "add", "elements": 100_000}),
    ),
    "a row of softmax without its sum": (
        "layers.cl", "(ACC)1 / over_group(shared, item, sum, 0)", "(ACC)1 / columns",
        request({"type": "SoftmaxShape", "rows": 3, "columns": 50}),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_kernel_is_a_wrong_result(name, tmp_path, monkeypatch):
    file, right, wrong, kernel = WRONG[name]
    folder = tmp_path / "kernels"
    shutil.copytree(opencl_device._KERNELS, folder)
    text = (folder / file).read_text(encoding="utf-8")
    assert right in text
    (folder / file).write_text(text.replace(right, wrong), encoding="utf-8")
    monkeypatch.setattr(opencl_device, "_KERNELS", folder)
    # The first way is taken: another file's, which is right, must not win by its time.
    monkeypatch.setattr(opencl_fastest, "trial_s", lambda _work: 1.0)
    monkeypatch.setattr(opencl_fastest, "_try_near_again", lambda *_tried: None)
    prepared = OpenclRunner({"device_id": device_id()}).prepare(kernel)
    with pytest.raises(WrongResult, match="is off by"):
        # This way alone: another one may be right.
        getattr(prepared, "work", prepared).check()
    prepared.close()
