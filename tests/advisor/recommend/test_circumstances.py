"""Facts of the machine and the job, and conditions decided on them."""

import dataclasses

import pytest

from advisor.knowledge.conditions import FLAGS, NAMES, NUMBERS, Condition, parse_condition
from advisor.model.machine import DeviceKind, Memory, Npu, OsFamily
from advisor.model.quantity import Phase, Precision
from advisor.recommend.circumstances import Circumstances, decide, framework_versions, vendor_word
from advisor.recommend.room import (
    fits_here,
    fitting_batch,
    memory_fits,
    needed_bytes,
    usable_memory_bytes,
)
from tests.advisor.network.networks_data import built, layer, sequential
from tests.advisor.predict.builders import conv
from tests.advisor.recommend.builders import (
    CONVOLUTION,
    GEMM,
    GIB,
    a_cpu,
    a_gpu,
    a_profile,
    a_workload,
    an_environment,
    an_os,
)


def given(*, workload=None, **changes):
    return Circumstances(profile=a_profile(**changes), workload=workload or a_workload())


VM = {"os": an_os(hypervisor="kvm", container="docker")}
LIMITED = {"cpu": a_cpu(quota_cpus=2.0)}
PINNED = {"cpu": a_cpu(usable_cpus=2)}
NO_GPU = {"graphics": ()}
DGPU = {"graphics": (a_gpu(kind=DeviceKind.DGPU, vendor="NVIDIA", pci_vendor_id="10de"),)}
SMALL = {"memory": Memory(total_bytes=GIB, available_bytes=None, limit_bytes=None)}
NO_MEMORY = {"memory": Memory(total_bytes=None, available_bytes=None, limit_bytes=None)}
NO_FLAGS = {"cpu": a_cpu(isa_features=())}
ARM = {"os": an_os(architecture="aarch64"), "cpu": a_cpu(vendor="ARM", brand="Cortex-A76")}
NPU = {"npus": (Npu(id="npu0", vendor="Intel", name="AI Boost", kernel_driver=None),)}
UNKNOWN_OS = {"os": an_os(hypervisor=None, container=None, architecture="sparc64")}


@pytest.mark.parametrize(
    ("text", "changes", "answer"),
    [
        ("container", {}, False),
        ("container", VM, True),
        ("container", UNKNOWN_OS, None),
        ("virtual_machine", VM, True),
        ("no_cpu_limit", {}, True),
        ("no_cpu_limit", LIMITED, False),
        ("no_cpu_limit", PINNED, False),
        ("no_gpu", NO_GPU, True),
        ("no_igpu", DGPU, True),
        ("no_igpu", {}, False),
        ("memory_fits", {}, True),
        ("memory_fits", SMALL, False),
        ("memory_fits", NO_MEMORY, None),
        ("isa_has:avx2|avx", {}, True),
        ("isa_has:avx2", {}, False),
        ("isa_lacks:avx2", {}, True),
        ("isa_lacks:avx2|avx", {}, False),
        ("isa_has:avx", NO_FLAGS, None),
        ("os:linux|macos", {}, True),
        ("arch:arm64|arm32", {}, False),
        ("arch:arm64|arm32", ARM, True),
        ("arch:x86_64", UNKNOWN_OS, None),
        ("cpu_vendor:amd", {}, True),
        ("cpu_vendor:intel", {}, False),
        ("cpu_vendor:arm", ARM, True),
        ("gpu_vendor:amd", {}, True),
        ("gpu_vendor:nvidia", {}, False),
        ("gpu_lacks:nvidia|intel", {}, True),
        ("gpu_lacks:nvidia|amd", {}, False),
        ("gpu_lacks:nvidia", DGPU, False),
        ("npu_lacks:intel", NPU, False),
        ("npu_lacks:amd", NPU, True),
        ("phase:training", {}, True),
        ("runs_on:cpu", {}, True),
        ("runs_on:igpu|dgpu", {}, False),
        ("framework_not_installed:keras", {}, False),
        ("framework_not_installed:torch|jax", {}, True),
        ("framework_not_installed:tensorflow", {}, False),
        ("framework_not_installed:torch", {"environments": ()}, None),
        ("n_physical_cores<4", {}, False),
        ("n_physical_cores>=4", {}, True),
        ("n_gpus<2", {}, True),
        ("memory_gib<16", {}, False),
        ("memory_gib<16", NO_MEMORY, None),
        ("memory_channels>=2", {}, None),
        ("epochs<2", {}, False),
        ("parameters<10000000", {}, True),
        ("input_elements<100000", {}, True),
    ],
)
def test_conditions_are_decided_on_the_facts(text, changes, answer):
    assert decide(parse_condition(text), given=given(**changes)) is answer


@pytest.mark.parametrize(
    ("features", "family", "by_default", "left_off"),
    [
        (("avx", "avx2"), OsFamily.LINUX, False, True),
        (("avx", "avx2", "avx512_vnni"), OsFamily.LINUX, True, False),
        (("avx", "avx2"), OsFamily.WINDOWS, True, False),
        (("avx", "avx2"), OsFamily.MACOS, False, False),
    ],
)
def test_whether_tensorflow_takes_onednn_by_itself(features, family, by_default, left_off):
    where = given(cpu=a_cpu(isa_features=features), os=an_os(family=family))
    assert decide(parse_condition("onednn_by_default"), given=where) is by_default
    assert decide(parse_condition("onednn_off_by_default"), given=where) is left_off


def test_kinds_of_operators():
    job = a_workload(operators=(CONVOLUTION, GEMM))
    where = given(workload=job)
    assert decide(parse_condition("network_lacks:convolution"), given=where) is False
    assert decide(parse_condition("network_lacks:recurrent|embedding"), given=where) is True
    assert decide(parse_condition("network_has:recurrent|convolution"), given=where) is True
    assert decide(parse_condition("network_has:recurrent"), given=where) is False
    assert decide(parse_condition("network_has:groups_of_one_channel"), given=where) is False
    for text in ("network_lacks:gemm", "network_has:gemm"):
        assert decide(parse_condition(text), given=given()) is None


def test_a_dense_layer_over_time_is_a_kind_besides():
    dense = layer("Dense", units=4)
    for inner, answer in ((dense, True), (layer("Conv1D", filters=2, kernel_size=3), False)):
        network = built(sequential((7, 5, 6), layer("TimeDistributed", layer=inner)))
        where = given(workload=a_workload(operators=network.operators))
        assert decide(parse_condition("network_has:layer_over_time"), given=where) is answer


@pytest.mark.parametrize(("channels", "answer"), [(8, True), (16, False)])
def test_groups_of_one_channel_are_a_kind_besides(channels, answer):
    grouped = dataclasses.replace(conv(1, channels, 8, channels, groups=8), as_groups=True)
    operator = dataclasses.replace(CONVOLUTION, shape=grouped)
    where = given(workload=a_workload(operators=(operator,)))
    assert decide(parse_condition("network_has:groups_of_one_channel"), given=where) is answer
    assert decide(parse_condition("network_has:grouped"), given=where) is True


CARD = a_gpu(kind=DeviceKind.DGPU)
INSIDE = a_gpu(id="gpu1")
ARC = a_gpu(id="gpu2", vendor="Intel", name="Arc", pci_vendor_id="8086", kind=DeviceKind.DGPU)


@pytest.mark.parametrize(
    ("gpus", "official", "has_card", "are_served"),
    [
        ((CARD,), {"gpu0": True}, True, True),
        ((CARD,), {"gpu0": False}, False, False),
        ((CARD, INSIDE), {"gpu0": True, "gpu1": False}, True, False),
        # What nobody recognises tells nothing.
        ((CARD, INSIDE), {"gpu0": True}, True, True),
        ((INSIDE,), {"gpu1": True}, False, True),
        ((ARC,), {"gpu2": True}, True, False),
        ((), {}, False, False),
        ((CARD,), None, None, None),
        ((), None, False, None),
    ],
)
def test_whether_gpus_are_served(gpus, official, has_card, are_served):
    where = dataclasses.replace(given(graphics=gpus), official=official)
    assert decide(parse_condition("has_served_card"), given=where) is has_card
    assert decide(parse_condition("gpus_served:amd"), given=where) is are_served
    other = dataclasses.replace(where, is_for_this_machine=False)
    assert decide(parse_condition("has_served_card"), given=other) is False


@pytest.mark.parametrize(
    ("network", "expected"), [("net.onnx", True), ("NET.ONNX", True), ("onnx.keras", False)]
)
def test_a_file_tells_by_its_name_what_it_is(network, expected):
    where = given(workload=a_workload(network=network))
    assert decide(parse_condition("onnx_file"), given=where) is expected


@pytest.mark.parametrize("precision", list(Precision))
def test_whether_a_job_has_a_short_format_as_it_is(precision):
    where = given(workload=a_workload(precision=precision))
    answer = decide(parse_condition("short_format"), given=where)
    assert answer is (precision is not Precision.FLOAT32)
    answer = decide(parse_condition("precision:int8|float16"), given=where)
    assert answer is (precision in (Precision.INT8, Precision.FLOAT16))


def test_every_word_of_the_language_is_decided_when_all_is_known():
    where = Circumstances(
        profile=a_profile(
            memory=Memory(total_bytes=GIB, available_bytes=GIB, limit_bytes=None, channels=2),
            os=an_os(hypervisor="", container=""),
        ),
        workload=a_workload(operators=(GEMM,)),
        official={"gpu0": False},
    )
    conditions = [
        *(Condition(name=name, operator="") for name in FLAGS - {"depends_on_code"}),
        *(
            Condition(name=name, operator=":", values=(min(values or {"word"}),))
            for name, values in NAMES.items()
        ),
        *(Condition(name=name, operator="<", limit=3.0) for name in NUMBERS),
    ]
    undecided = [c.name for c in conditions if decide(c, given=where) is None]
    assert undecided == []


@pytest.mark.parametrize(
    ("text", "pci", "word"),
    [
        ("Advanced Micro Devices, Inc. [AMD/ATI]", None, "amd"),
        ("Intel Corporation", None, "intel"),
        ("NVIDIA", "10DE", "nvidia"),
        ("", "8086", "intel"),
        ("VideoCore VII", None, "broadcom"),
        ("Snapdragon(R) X Elite - Hexagon(TM) NPU", None, "qualcomm"),
        ("ARM Mali-G610", None, "arm"),
        ("Acme", None, None),
        (None, None, None),
    ],
)
def test_vendor_words(text, pci, word):
    assert vendor_word(text, pci_vendor_id=pci) == word


def test_framework_versions_know_the_names_of_one_framework():
    profile = a_profile(environments=(an_environment(("tensorflow-cpu", "2.21.0")),))
    assert framework_versions(profile) == {
        "tensorflow": ("2.21.0",),
        "tensorflow-cpu": ("2.21.0",),
    }


def test_inference_leaves_the_framework_smaller_than_training():
    # A Raspberry Pi 3: less than a training takes, more than a small network to predict with.
    size = 909 * 1024**2
    job = a_workload(memory_inference_bytes=100 * 1024**2, phase=Phase.INFERENCE)
    assert memory_fits(job, size_bytes=size) is True
    assert fitting_batch(job, size_bytes=size) is not None
    assert memory_fits(a_workload(), size_bytes=size) is False


def test_memory_counts_the_framework_and_the_limit_of_a_container():
    profile = a_profile(
        memory=Memory(total_bytes=16 * GIB, available_bytes=None, limit_bytes=2 * GIB)
    )
    assert usable_memory_bytes(profile) == 2 * GIB
    job = a_workload(memory_training_bytes=1 * GIB)
    assert memory_fits(job, size_bytes=2 * GIB) is True
    assert memory_fits(job, size_bytes=2 * GIB - 1) is False
    small = a_workload(memory_training_bytes=9 * GIB, phase=Phase.INFERENCE)
    assert memory_fits(small, size_bytes=2 * GIB) is True


@pytest.mark.parametrize(
    ("features", "phase", "fits"),
    [
        (("avx2",), Phase.TRAINING, False),
        (("avx2", "avx512_vnni"), Phase.TRAINING, True),
        (("avx2",), Phase.INFERENCE, True),
    ],
)
def test_windows_of_convolutions_count_where_onednn_does_not_compute(features, phase, fits):
    where = a_profile(
        cpu=a_cpu(isa_features=features),
        memory=Memory(total_bytes=8 * GIB, available_bytes=None, limit_bytes=None),
    )
    job = a_workload(phase=phase, memory_training_bytes=6 * GIB, laid_out_bytes=4 * GIB)
    assert fits_here(job, where) is fits
    least = needed_bytes(job, profile=where)
    assert least - needed_bytes(job) == (0 if fits else 4 * GIB)
    assert decide_flag(where, job) is fits
    batch = fitting_batch(job, size_bytes=8 * GIB, profile=where)
    assert (batch is not None and batch < job.batch_size) is not fits


def decide_flag(profile, job):
    return decide(
        parse_condition("memory_fits"), given=Circumstances(profile=profile, workload=job)
    )
