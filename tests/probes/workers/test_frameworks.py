"""Each framework that there is: every kernel right in every direction, in one real child.

Our own interpreter has none of these. Name others that do in DL_ADVISOR_TEST_PYTHONS (separated
as in PATH) to have them tested.
"""

import os
import subprocess
import sys

import pytest

from advisor.model.measurement import Outcome, Setting
from probes.bench.commands import worker_command
from probes.bench.process import Deadlines, run_worker

pytestmark = pytest.mark.slow

VARIABLE = "DL_ADVISOR_TEST_PYTHONS"
PATIENT = Deadlines(start_s=60, stage_s=120, silence_s=60)
# Runner, value of KERAS_BACKEND, packages that it takes, whether it has gradients, short formats.
STACKS = [
    ("torch", None, ("torch",), True, ("bfloat16",)),
    ("jax", None, ("jax",), True, ("bfloat16",)),
    ("keras", "torch", ("keras", "torch"), True, ("bfloat16",)),
    ("keras", "jax", ("keras", "jax"), True, ("bfloat16",)),
    ("onnxruntime", None, ("onnxruntime",), False, ("int8",)),
    ("openvino", None, ("openvino",), False, ()),
]


def has_packages(python, packages):
    code = "import sys, importlib.util as u\nsys.exit(not all(map(u.find_spec, sys.argv[1:])))"
    return subprocess.run([python, "-c", code, *packages], check=False).returncode == 0


def python_with(packages):
    """Return an interpreter that has some packages, or skip the test."""
    named = [path for path in os.environ.get(VARIABLE, "").split(os.pathsep) if path]
    for python in [sys.executable, *named]:
        if has_packages(python, packages):
            return python
    pytest.skip(f"no interpreter with {' and '.join(packages)} (name one in {VARIABLE})")


def gemm(**more):
    shape = {"type": "GemmShape", "m": 6, "n": 5, "k": 7, "batch": 1}
    return {**shape, "transpose_a": False, "transpose_b": False, **more}


def conv(side, output, strides=1):
    return {
        "type": "ConvShape", "n": 2, "c": 3, "spatial": [side, side], "k": 4, "kernel": [3, 3],
        "strides": [strides, strides], "output": [output, output], "dilation": [1, 1],
        "groups": 1, "is_transposed": False,
    }  # fmt: skip


LSTM = {
    "type": "RecurrentShape", "cell": "lstm", "batch": 3, "timesteps": 4, "input": 5,
    "hidden": 6, "is_bidirectional": False, "return_sequences": False,
    "is_masked": False, "is_split": False, "drops_inputs": False, "drops_states": False,
}  # fmt: skip
FORWARD = [
    (gemm(), "forward"),
    (gemm(batch=3, transpose_a=True), "forward"),
    (gemm(transpose_b=True), "forward"),
    (gemm(), "input_gradient"),
    (gemm(), "weight_gradient"),
    (conv(8, 8), "forward"),
    (conv(9, 5, strides=2), "forward"),
    # Zeros that differ before and after.
    (conv(10, 5, strides=2), "forward"),
    (conv(8, 6), "forward"),
    (LSTM, "forward"),
]
PRODUCTS = [entry for entry in FORWARD if entry[0]["type"] == "GemmShape"]
GRADIENTS = [
    *((shape, d) for shape in (conv(8, 8), conv(10, 5, strides=2), conv(8, 6))
      for d in ("input_gradient", "weight_gradient")),
    (LSTM, "backward"),
]  # fmt: skip


def kernel(index, shape, direction, precision):
    return {
        "id": f"{index}/{shape['type']}/{direction}/{precision}", "shape": shape,
        "direction": direction, "precision": precision, "min_value_s": 5e-4, "n_values": 2,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("runner", "backend", "packages", "has_gradients", "short"),
    STACKS,
    ids=["-".join(filter(None, stack[:2])) for stack in STACKS],
)
def test_every_kernel_is_right_or_refused(runner, backend, packages, has_gradients, short):
    python = python_with(packages)
    asked = [(*entry, "float32") for entry in FORWARD + GRADIENTS]
    asked += [
        (*entry, name)
        for name in short
        for entry in (PRODUCTS if name == "int8" else FORWARD + GRADIENTS)
    ]
    kernels = [kernel(index, *entry) for index, entry in enumerate(asked)]
    settings = [Setting(name="KERAS_BACKEND", value=backend)] if backend else []
    said = {}

    def on_event(event):
        if event["type"] in ("value", "kernel_failed"):
            said[event["id"]] = event

    verdict = run_worker(
        worker_command("main", python=python, settings=settings),
        {"runner": runner, "options": {}, "kernels": kernels},
        deadlines=PATIENT,
        on_event=on_event,
    )
    assert verdict.outcome is Outcome.COMPLETED, verdict.stderr_tail
    stack = verdict.result["stack"]
    assert stack["framework"] == runner
    assert stack["framework_version"]
    assert backend is None or stack["backend"] == backend
    failed = {name: e["message"] for name, e in said.items() if e["type"] == "kernel_failed"}
    if not has_gradients:
        refused = {entry["id"] for entry in kernels[len(FORWARD) : len(FORWARD + GRADIENTS)]}
        assert set(failed) == refused
        assert set(failed.values()) == {"there are no gradients in inference"}
    else:
        assert failed == {}
    values = [event for event in said.values() if event["type"] == "value"]
    assert len(values) + len(failed) == len(kernels)
    assert all(event["check"] and min(event["values_s"]) > 0 for event in values)


@pytest.mark.parametrize("runner", ["torch", "jax", "openvino", "onnxruntime"])
def test_a_device_that_the_framework_does_not_see_is_said_so(runner):
    python = python_with((runner,))
    verdict = run_worker(
        worker_command("main", python=python),
        {"runner": runner, "options": {"device_id": f"{runner}:xpu:7"}, "kernels": []},
        deadlines=PATIENT,
    )
    assert verdict.outcome is Outcome.UNSUPPORTED, verdict.stderr_tail
    assert "xpu:7" in verdict.message


@pytest.mark.parametrize("framework", ["torch", "jax", "openvino", "onnxruntime"])
def test_the_devices_of_a_framework_are_listed(framework):
    python = python_with((framework,))
    verdict = run_worker(
        worker_command("framework_list", python=python),
        {"framework": framework},
        deadlines=PATIENT,
    )
    assert verdict.outcome is Outcome.COMPLETED, verdict.stderr_tail
    assert verdict.result["version"]
    assert isinstance(verdict.result["devices"], list)
