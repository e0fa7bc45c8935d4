"""Which other frameworks are tried where."""

import dataclasses

import pytest

from advisor.model.quantity import Phase, Precision
from advisor.model.trial import DataKind, Runner, TrialData
from advisor.trial.frameworks import list_frameworks
from advisor.trial.plan import list_trials
from tests.helpers.trial_machines import FACTS, SOURCE, environment, ids, profile


def test_backends_that_are_installed_here_or_in_the_other_python():
    assert not [name for name in ids(profile()) if name.startswith("backend")]
    other = environment("venv", "keras", "jax", "torch", "openvino")
    found = list_trials(profile(frameworks=("torch",)), SOURCE, facts=FACTS, environment=other)
    backends = [(s.id, s.python) for s in found if s.id.startswith("backend")]
    assert backends == [("backend-jax", "/venv/python"), ("backend-torch", "/venv/python")]
    assert "backend-torch" in ids(profile(frameworks=("torch",)))
    assert "backend-openvino" not in dict(backends)
    without_keras = environment("venv", "jax")
    assert "backend-jax" not in ids(profile(), environment=without_keras)


def test_names_are_unique_also_where_both_pythons_have_a_backend():
    other = environment("venv", "keras", "torch")
    found = ids(profile(frameworks=("torch",)), environment=other, with_batches=True)
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, {"pytorch", "pytorch-bfloat16"}),
        ({"phase": Phase.INFERENCE},
         {"pytorch", "pytorch-bfloat16", "onnxruntime", "onnxruntime-int8"}),
        ({"precision": Precision.BFLOAT16}, {"pytorch"}),
        ({"model_json": None}, set()),
        ({"data": TrialData(kind=DataKind.NPZ, path="/d.npz")}, set()),
    ],
)  # fmt: skip
def test_frameworks_without_keras_run_what_has_a_configuration_and_no_data(changes, expected):
    source = dataclasses.replace(SOURCE, **changes)
    other = environment("venv", "torch", "onnxruntime")
    found = list_trials(profile(), source, facts=FACTS, environment=other)
    direct = [setup for setup in found if setup.runner is not Runner.KERAS]
    assert {setup.id for setup in direct} == expected
    assert all(setup.python == "/venv/python" for setup in direct)


def test_bfloat16_in_pytorch_only_where_the_processor_has_it():
    other = environment("venv", "torch")
    old = profile(flags=("avx2",))
    assert [s.id for s in list_frameworks(old, SOURCE, environment=other)] == ["pytorch"]


def test_a_gpu_of_the_other_python_is_tried_there():
    found = list_frameworks(
        profile(), SOURCE, environment=environment("venv", "jax"), gpu_backends=("jax",)
    )
    assert [(s.id, s.device, s.python) for s in found] == [("gpu-jax", "gpu", "/venv/python")]


def test_what_is_least_promising_comes_last():
    other = environment("venv", "keras", "torch", "jax")
    found = [setup.id for setup in list_frameworks(profile(), SOURCE, environment=other)]
    assert found == ["backend-jax", "pytorch", "pytorch-bfloat16", "backend-torch"]
