"""The entry of the workers, as real child processes."""

import pytest

from advisor.model.measurement import Outcome
from probes.bench.commands import worker_command
from probes.bench.process import Deadlines, run_worker

PATIENT = Deadlines(start_s=20.0, stage_s=20.0, silence_s=20.0)


def run(request, on_event=None):
    return run_worker(worker_command("main"), request, deadlines=PATIENT, on_event=on_event)


def gemm(name, **more):
    shape = {"type": "GemmShape", "m": 8, "n": 8, "k": 8, "batch": 1}
    shape.update({"transpose_a": False, "transpose_b": False})
    kernel = {"id": name, "shape": shape, "direction": "forward", "precision": "float32"}
    return {**kernel, "min_value_s": 1e-4, "n_values": 2, **more}


def test_kernels_are_timed_and_the_stack_is_told_first_and_last():
    events = []
    request = {
        "runner": "numpy",
        "options": {"threads": 1},
        "kernels": [gemm("good"), gemm("bad", precision="int8")],
    }
    verdict = run(request, events.append)
    assert verdict.outcome is Outcome.COMPLETED, verdict.stderr_tail
    assert verdict.result["stack"]["framework"] == "numpy"
    ready = next(event for event in events if event.get("stage") == "ready")
    assert ready["stack"] == verdict.result["stack"]
    value = next(event for event in events if event["type"] == "value")
    assert value["id"] == "good"
    assert len(value["values_s"]) == 2
    failed = next(event for event in events if event["type"] == "kernel_failed")
    assert (failed["id"], failed["outcome"]) == ("bad", "unsupported")


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"runner": "abacus", "kernels": []}, "abacus"),
        ({"kernels": []}, "KeyError"),
        ({"runner": "numpy"}, "KeyError"),
    ],
)
def test_a_request_that_makes_no_sense_is_an_error(request_, words):
    verdict = run(request_)
    assert verdict.outcome is Outcome.FAILED
    assert words in verdict.message
    assert "Traceback" in verdict.stderr_tail


def test_another_worker_is_entered_by_its_name():
    # Whether there is OpenCL or not, there is a list.
    verdict = run_worker(worker_command("opencl_list"), {}, deadlines=PATIENT)
    assert verdict.outcome is Outcome.COMPLETED, verdict.stderr_tail
    assert isinstance(verdict.result["devices"], list)


def test_nothing_is_started_when_the_budget_is_used_up():
    events = []
    run({"runner": "numpy", "kernels": [gemm("a")], "budget_s": 0}, events.append)
    failed = next(event for event in events if event["type"] == "kernel_failed")
    assert failed["outcome"] == "skipped"
