"""What a profile shows of a driver and a framework for a GPU, and what it does not."""

import dataclasses

import pytest

from advisor.model.kernel import Direction, GemmShape
from advisor.model.machine import DeviceKind, OsFamily
from advisor.model.measurement import (
    BenchmarkRequest,
    FailedMeasurement,
    Measurement,
    MeasurementSet,
    Outcome,
    Runner,
    SoftwareStack,
)
from advisor.model.quantity import Phase, Precision
from advisor.model.recommendation import Preferences, ReasonCode
from advisor.model.workload import Job
from advisor.network.load import bundled_workload
from advisor.recommend.ready import Readiness, readiness_of, ready_steps
from advisor.recommend.recommend import recommend
from tests.advisor.recommend.builders import (
    TODAY,
    a_gpu,
    a_profile,
    an_environment,
    an_opencl,
    an_os,
)
from tests.advisor.recommend.families import AMPERE, RDNA3, a_family
from tests.helpers.bundled import bundled_knowledge, index_of

ARC = a_family(
    id="intel-arc-dgpu", vendor="Intel", linux_training="official",
    linux_training_route="PyTorch XPU", linux_inference="official",
    linux_inference_route="OpenVINO", windows_training="official",
    windows_training_route="PyTorch XPU", windows_inference="official",
    windows_inference_route="OpenVINO, Windows ML",
)  # fmt: skip
IRIS = dataclasses.replace(ARC, id="intel-xe-lp", linux_training="none", linux_training_route=None)
PASCAL = dataclasses.replace(AMPERE, id="nvidia-pascal-volta", linux_training="unofficial")
M2 = a_family(
    id="apple-m2", vendor="Apple", macos_training="official",
    macos_training_route="PyTorch with MPS, or MLX", macos_inference="official",
    macos_inference_route="Core ML, PyTorch with MPS, or MLX",
)  # fmt: skip
MAC = an_os(family=OsFamily.MACOS, architecture="arm64", version="14.5")
WINDOWS = an_os(family=OsFamily.WINDOWS)


def ready(family, *frameworks, phase=Phase.TRAINING, kind="venv", gpu=None, **changes):
    environment = dataclasses.replace(an_environment(*frameworks), kind=kind)
    gpu = gpu or a_gpu(kind=DeviceKind.DGPU)
    profile = a_profile(graphics=(gpu,), environments=(environment,), **changes)
    return readiness_of(gpu, family=family, profile=profile, phase=phase)


@pytest.mark.parametrize(
    ("family", "name", "version", "is_there"),
    [
        (RDNA3, "torch", "2.14.0+rocm10.1", True),
        (RDNA3, "torch", "2.2.0+rocm5.7", False),
        (RDNA3, "torch", "2.14.0+cu130", False),
        (RDNA3, "torch", "2.14.0", False),
        (ARC, "torch", "2.15.0+xpu", True),
        (ARC, "torch", "2.15.0", False),
        (IRIS, "torch", "2.15.0+xpu", False),
        (AMPERE, "torch", "2.15.0+cu130", True),
        (AMPERE, "torch", "2.15.0", True),
        (AMPERE, "torch", "2.15.0+cpu", False),
        (AMPERE, "torch", "2.5.0", False),
        # It may have come without the libraries of CUDA.
        (AMPERE, "tensorflow", "2.21.0", False),
        (PASCAL, "torch", "2.14.0+cu126", True),
        (PASCAL, "torch", "2.15.0+cu130", False),
        (PASCAL, "torch", "2.15.0", False),
        (None, "torch", "2.15.0+cu130", False),
    ],
)
def test_builds_of_pytorch_are_told_apart(family, name, version, is_there):
    found = ready(family, (name, version)).framework
    assert (found is not None) == is_there


@pytest.mark.parametrize(
    ("kind", "is_there"), [("venv", True), ("conda", False), ("system", False)]
)
def test_a_build_that_others_call_the_same_does_not_count(kind, is_there):
    assert (ready(AMPERE, ("torch", "2.15.0"), kind=kind).framework is not None) == is_there


@pytest.mark.parametrize(
    ("frameworks", "system", "is_there"),
    [
        ([("torch", "2.3.0")], MAC, True),
        ([("torch", "1.12.1")], MAC, False),
        ([("torch", "2.3.0")], dataclasses.replace(MAC, version="13.6"), False),
        ([("torch", "2.3.0")], dataclasses.replace(MAC, version=None), False),
        ([("torch", "2.3.0")], dataclasses.replace(MAC, architecture="x86_64"), False),
        ([("mlx", "0.30")], MAC, True),
        ([("tensorflow", "2.18.0"), ("tensorflow-metal", "1.2.0")], MAC, True),
        ([("tensorflow", "2.20.0"), ("tensorflow-metal", "1.2.0")], MAC, False),
        ([("tensorflow-metal", "1.2.0")], MAC, False),
        ([("tensorflow", "2.18.0")], MAC, False),
    ],
)
def test_frameworks_of_macs(frameworks, system, is_there):
    gpu = a_gpu(vendor="Apple", name="Apple M2", pci_vendor_id=None, kernel_driver="metal")
    found = ready(M2, *frameworks, gpu=gpu, os=system)
    assert (found.framework is not None) == is_there
    assert found.has_driver
    other = a_gpu(vendor="Apple", name="Apple M2", pci_vendor_id=None, kernel_driver=None)
    assert not ready(M2, gpu=other, os=system).has_driver


@pytest.mark.parametrize(
    ("frameworks", "phase", "system", "is_there"),
    [
        ([("openvino", "2026.4.1")], Phase.INFERENCE, an_os(), True),
        ([("openvino", "2026.4.1")], Phase.TRAINING, an_os(), False),
        ([("onnxruntime-directml", "1.24.4")], Phase.INFERENCE, WINDOWS, True),
        ([("onnxruntime-directml", "1.24.4")], Phase.TRAINING, WINDOWS, False),
        ([("onnxruntime", "1.31.1")], Phase.INFERENCE, WINDOWS, False),
        ([("tensorflow-cpu", "2.10.0"), ("tensorflow-directml-plugin", "0.4.0")],
         Phase.TRAINING, WINDOWS, True),
        ([("tensorflow-cpu", "2.15.0"), ("tensorflow-directml-plugin", "0.4.0")],
         Phase.TRAINING, WINDOWS, False),
    ],
)  # fmt: skip
def test_frameworks_for_inference_and_for_windows(frameworks, phase, system, is_there):
    assert (ready(ARC, *frameworks, phase=phase, os=system).framework is not None) == is_there


@pytest.mark.parametrize(
    ("framework", "phase", "is_there"),
    [
        (("openvino", "2026.4.1"), Phase.INFERENCE, True),
        (("torch", "2.15.0+xpu"), Phase.INFERENCE, False),
        (("torch", "2.15.0+xpu"), Phase.TRAINING, True),
    ],
)
def test_not_every_framework_runs_an_onnx_file(framework, phase, is_there):
    gpu = a_gpu(kind=DeviceKind.DGPU)
    profile = a_profile(graphics=(gpu,), environments=(an_environment(framework),))
    found = [
        readiness_of(gpu, family=ARC, profile=profile, phase=phase, is_onnx=is_onnx).framework
        for is_onnx in (False, True)
    ]
    assert [each is not None for each in found] == [True, is_there]


def test_openvino_is_no_way_where_another_is_official():
    assert ready(RDNA3, ("openvino", "2026.4.1"), phase=Phase.INFERENCE).framework is None


# --- drivers ------------------------------------------------------------------------------------

RADEON = an_opencl(kind=DeviceKind.DGPU, platform="AMD Accelerated Parallel Processing")


def with_driver(device, measurements=None):
    gpu = a_gpu(kind=DeviceKind.DGPU)
    profile = a_profile(graphics=(gpu,), opencl=(device,) if device else (), environments=())
    return readiness_of(
        gpu, family=RDNA3, profile=profile, phase=Phase.TRAINING, measurements=measurements
    ).has_driver


def measured(*outcomes, device_id="opencl0"):
    request = BenchmarkRequest(
        id="a", role="calibration", runner=Runner.OPENCL, device_id=device_id,
        shape=GemmShape(m=2, n=2, k=2), direction=Direction.FORWARD, precision=Precision.FLOAT32,
    )  # fmt: skip
    stack = SoftwareStack(
        framework="opencl", framework_version=None, backend=None, backend_version=None
    )
    came = Measurement(
        request=request, stack=stack, warmups_s=(), values_s=(1.0,), loops=1, check="alike"
    )
    rows = [
        came if outcome is Outcome.COMPLETED
        else FailedMeasurement(request=request, outcome=outcome, message="")
        for outcome in outcomes
    ]  # fmt: skip
    return MeasurementSet(measured_on=TODAY, duration_s=1.0, results=tuple(rows))


@pytest.mark.parametrize(
    ("device", "is_there"),
    [
        (None, False),
        (RADEON, True),
        # It is Mesa's, whatever the maker's own may do.
        (an_opencl(kind=DeviceKind.DGPU), False),
        (dataclasses.replace(RADEON, is_bundled_driver=True), False),
        (dataclasses.replace(RADEON, vendor="Intel", name="Arc"), False),
    ],
)
def test_a_driver_works_that_offers_the_gpu(device, is_there):
    assert with_driver(device) == is_there


def test_a_driver_that_computed_nothing_of_what_was_asked_does_not_work():
    crashed, completed = Outcome.CRASHED, Outcome.COMPLETED
    assert not with_driver(RADEON, measured(crashed, crashed))
    assert with_driver(RADEON, measured(crashed, completed))
    assert with_driver(RADEON, measured(crashed, device_id="cpu"))


def test_what_is_there_is_named():
    found = ready(RDNA3, ("torch", "2.14.0+rocm10.1"))
    (step,) = ready_steps(found)
    assert step.content.startswith("torch 2.14.0+rocm10.1 of /usr/bin/python3: ")
    assert ready_steps(Readiness(has_driver=True)) == ()


# --- in the advice ------------------------------------------------------------------------------


def own_card(profile):
    knowledge = bundled_knowledge()
    advice = recommend(
        profile, None, bundled_workload("resnet-56", job=Job(), networks=knowledge.networks),
        Preferences(), knowledge, today=TODAY, app_version="1.0", index=index_of(knowledge),
    )  # fmt: skip
    row = next(row for row in advice.ranked if row.option.id == "device:gpu0")
    (work,) = (each for each in row.reasons if each.code is ReasonCode.WORK_MINUTES)
    words = {each.name: each.value for each in work.parameters}
    return words["minutes"], words["basis"], [step.caption for step in row.steps]


def test_a_card_that_is_ready_counts_less_work_and_names_what_is_there():
    gpu = a_gpu(
        kind=DeviceKind.DGPU, name="Navi 31 [Radeon RX 7900 XTX]", pci_device_id="744c",
        kernel_driver="amdgpu", compute_units=None, max_mhz=None, carve_out_bytes=None,
    )  # fmt: skip
    bare = a_profile(graphics=(gpu,))
    minutes, basis, captions = own_card(bare)
    assert (minutes, basis) == (60.0, "install a driver and a framework for the device, test it")
    assert "Installed already" not in captions
    torch = an_environment(("torch", "2.14.0+rocm10.1"))
    equipped = dataclasses.replace(bare, opencl=(RADEON,), environments=(torch,))
    minutes, basis, captions = own_card(equipped)
    assert minutes == 20.0
    assert "that is there" in basis
    assert captions[0] == "Installed already"
