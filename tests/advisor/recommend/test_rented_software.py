"""What is installed and written on a rented machine for Keras and for ONNX files."""

import ast
import shlex

import pytest

from advisor.model.quantity import Phase, Precision
from advisor.model.recommendation import Preferences
from advisor.model.workload import Job
from advisor.network.load import bundled_workload
from advisor.recommend.recommend import recommend
from advisor.recommend.rented_software import (
    KERAS_TRAINING,
    RentedJob,
    pip_packages,
    program_steps,
)
from advisor.recommend.skypilot import skypilot_task
from advisor.recommend.steps import steps_for
from tests.advisor.recommend.builders import (
    TODAY,
    a_cloud_option,
    a_gpu_offer,
    a_profile,
    an_offer,
)
from tests.helpers.bundled import bundled_knowledge, index_of

CPU, GPU, ARM = an_offer(), a_gpu_offer(), an_offer(architecture="arm64")
INFERENCE = RentedJob(phase=Phase.INFERENCE, is_onnx=True)
TRAINING = RentedJob(is_onnx=True)
OLD = RentedJob(phase=Phase.INFERENCE, is_onnx=True, needs_cuda_12=True)
OLD_TRAINING = RentedJob(is_onnx=True, needs_cuda_12=True)


@pytest.mark.parametrize(
    ("offer", "job", "packages"),
    [
        (CPU, KERAS_TRAINING, ["tensorflow-cpu", "keras"]),
        (ARM, KERAS_TRAINING, ["tensorflow", "keras"]),
        (GPU, KERAS_TRAINING, ["tensorflow[and-cuda]", "keras"]),
        (CPU, INFERENCE, ["onnxruntime"]),
        (ARM, INFERENCE, ["onnxruntime"]),
        (GPU, INFERENCE, ["onnxruntime-gpu[cuda,cudnn]"]),
        (GPU, OLD, ["onnxruntime-gpu[cuda,cudnn]<1.27"]),
        # Its processor is what is rented.
        (CPU, OLD, ["onnxruntime"]),
        (CPU, TRAINING, ["torch"]),
        (ARM, TRAINING, ["torch"]),
        (GPU, TRAINING, ["torch"]),
        (GPU, OLD_TRAINING, ["torch<2.8"]),
    ],
)
def test_a_network_gets_the_framework_that_runs_it(offer, job, packages):
    assert shlex.split(pip_packages(offer, job)) == packages


@pytest.mark.parametrize("offer", [CPU, GPU, ARM])
def test_an_onnx_file_is_run_by_lines_of_python(offer):
    (step,) = program_steps(offer, INFERENCE)
    assert step.kind == "python"
    ast.parse(step.content)
    assert ("CUDAExecutionProvider" in step.content) is (offer is GPU)


@pytest.mark.parametrize("is_spot", [False, True])
@pytest.mark.parametrize("offer", [CPU, GPU])
def test_no_step_for_an_onnx_file_is_about_tensorflow(offer, is_spot):
    option = a_cloud_option(offer, is_spot=is_spot)
    steps = steps_for(option, profile=a_profile(), hours=1.0, job=INFERENCE)
    text = "\n".join(f"{step.caption}\n{step.content}" for step in steps)
    assert not any(word in text for word in ("tensorflow", "keras", "TRAIN.py"))
    assert text.count("pip install onnxruntime") + text.count('pip install "onnxruntime-gpu') == 2


def test_training_a_network_of_an_onnx_file_is_told_to_be_done_elsewhere():
    option = a_cloud_option(is_spot=True)
    steps = steps_for(option, profile=a_profile(), hours=1.0, job=TRAINING)
    text = "\n".join(step.content for step in steps)
    assert "made for inference" in text
    assert "torch.save(" in text
    assert not any(word in text for word in ("tensorflow", "keras", "onnxruntime"))


def test_the_task_of_skypilot_installs_the_same():
    task = skypilot_task(a_cloud_option(GPU), disk_gib=40, job=INFERENCE) or ""
    assert 'setup: pip install "onnxruntime-gpu[cuda,cudnn]"\n' in task
    assert task.endswith("run: python PREDICT.py")


@pytest.mark.parametrize(
    ("precision", "package"),
    [(Precision.INT8, "onnxruntime-gpu[cuda,cudnn]"), (Precision.FLOAT32, "tensorflow[and-cuda]")],
)
def test_a_network_in_int8_is_rented_with_what_computes_it(precision, package):
    knowledge = bundled_knowledge()
    job = Job(phase=Phase.INFERENCE, precision=precision, samples=10_000_000)
    advice = recommend(
        a_profile(), None, bundled_workload("mobilenetv2", job=job, networks=knowledge.networks),
        Preferences(), knowledge, today=TODAY, app_version="1.0", index=index_of(knowledge),
    )  # fmt: skip
    rented = [row for row in advice.ranked if row.option.offer is not None]
    on_gpus = [row for row in rented if row.option.offer.accelerator]
    assert on_gpus
    for row in on_gpus:
        assert any(f'pip install "{package}' in step.content for step in row.steps)
