"""Every kernel of the suite on a machine that has no linker, and that it is as fast there."""

import importlib.util
import shutil
from pathlib import Path

import opencl_kernels
import pytest

from advisor.model.measurement import Outcome, Setting
from probes.bench.commands import worker_command
from probes.bench.process import Deadlines, run_worker
from tests.helpers.opencl import ALL_DIRECTIONS, conv, gemm, lstm, request

PATIENT = Deadlines(start_s=60.0, stage_s=120.0, silence_s=120.0)
# Large enough to be timed. Other variants, other sizes: the same compiler, the same linker.
TIMED = {
    "peak": request({"type": "PeakShape", "width": 8}),
    "copy": request({"type": "StreamShape", "op": "copy", "elements": 1 << 22}),
    "gemm": request(gemm(384, 384, 384)),
    "conv": request(conv(4, 64, (28, 28), 64, (3, 3))),
    "lstm": request(lstm(16, 8, 64, 64)),
}
# Whoever else computes takes some of the processors, not all.
ONE_THREAD = Setting(name="POCL_MAX_PTHREAD_COUNT", value="1")
POOL = {
    "type": "PoolShape", "mode": "max", "n": 2, "c": 5, "spatial": [9, 7], "kernel": [2, 2],
    "strides": [2, 2], "output": [4, 3],
}  # fmt: skip
KERNELS = (
    request({"type": "PeakShape", "width": 4}),
    request({"type": "StreamShape", "op": "triad", "elements": 100_003}),
    request({"type": "OverheadShape", "kind": "launch"}),
    request({"type": "TransferShape", "to": "device", "size_bytes": 4096}),
    *(request(gemm(70, 33, 21), direction) for direction in ALL_DIRECTIONS),
    *(request(conv(2, 5, (9, 7), 35, (3, 3)), direction) for direction in ALL_DIRECTIONS),
    request(lstm(3, 4, 5, 6)),
    request(lstm(3, 4, 5, 6), "backward"),
    request({"type": "NormShape", "kind": "layer", "elements": 33 * 37, "channels": 37}),
    request(POOL),
    request({"type": "ElementwiseShape", "op": "gelu", "elements": 1003, "n_inputs": 1}),
    request({"type": "SoftmaxShape", "rows": 3, "columns": 50}),
)
needs_pocl = pytest.mark.skipif(
    importlib.util.find_spec("pocl_binary_distribution") is None,
    reason="where PoCL comes with our packages",
)


def measure(kernels, path, *settings, min_value_s=1e-4, n_values=1):
    """Run kernels in a worker with a PATH of its own, return its verdict and events by id."""
    events = []
    timing = {"min_value_s": min_value_s, "n_values": n_values}
    verdict = run_worker(
        worker_command("main", settings=(Setting(name="PATH", value=str(path)), *settings)),
        {
            "runner": "opencl",
            "options": {"device_id": "opencl:0:0"},
            "kernels": [{**kernel, "id": name, **timing} for name, kernel in kernels.items()],
        },
        deadlines=PATIENT,
        on_event=events.append,
    )
    return verdict, {event["id"]: event for event in events if event["type"] == "value"}, events


@needs_pocl
@pytest.mark.parametrize(
    "chosen", [pytest.param(KERNELS, marks=pytest.mark.slow), (KERNELS[0], KERNELS[4])]
)
def test_kernels_give_the_right_result_without_a_linker(tmp_path, chosen):
    kernels = {
        f"{number} {kernel['shape']['type']} {kernel['direction']}": kernel
        for number, kernel in enumerate(chosen)
    }
    verdict, values, events = measure(kernels, tmp_path / "nothing")
    assert verdict.outcome is Outcome.COMPLETED, verdict.stderr_tail
    assert [event for event in events if event["type"] == "kernel_failed"] == []
    assert list(values) == list(kernels)


def test_there_is_one_of_each_kind():
    assert {kernel["shape"]["type"] for kernel in KERNELS} == set(opencl_kernels._KERNELS)


@needs_pocl
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("ld") is None, reason="needs a linker to compare with")
def test_kernels_are_as_fast_as_those_of_the_system_linker(tmp_path):
    theirs, best = Path(shutil.which("ld")).parent, {}
    # In turn, as a machine is not equally busy all the time.
    for _ in range(3):
        for path in (theirs, tmp_path / "nothing"):
            verdict, values, _ = measure(TIMED, path, ONE_THREAD, min_value_s=0.05, n_values=7)
            assert verdict.outcome is Outcome.COMPLETED, verdict.stderr_tail
            for name in TIMED:
                key = (path, name)
                best[key] = min(values[name]["values_s"] + [best.get(key, float("inf"))])
    ratios = {name: best[tmp_path / "nothing", name] / best[theirs, name] for name in TIMED}
    assert ratios == {name: pytest.approx(1.0, rel=0.15) for name in TIMED}
