"""Names of old advice, and what stands in their place on machines of real users."""

import dataclasses

import pytest

from advisor.compare.explain import close_names, explain
from advisor.compare.routes import routes_of
from advisor.model.codec import dump_document, load_document
from advisor.model.explanation import Explanation
from advisor.model.machine import DeviceKind, OsFamily
from advisor.model.quantity import Phase
from advisor.model.recommendation import ReasonCode
from tests.advisor.recommend.builders import a_cpu, a_gpu, a_profile, an_os
from tests.helpers.bundled import bundled_knowledge

KAVERI = a_profile()
IRIS_XE = a_profile(
    cpu=a_cpu(
        vendor="Intel", brand="11th Gen Intel(R) Core(TM) i5-1135G7 @ 2.40GHz",
        microarchitecture="icelake", isa_features=("avx", "avx2", "fma", "avx512f"),
    ),
    graphics=(
        a_gpu(vendor="Intel", name="TigerLake-LP GT2 [Iris Xe Graphics]", pci_vendor_id="8086",
              pci_device_id="9a49", kernel_driver="i915"),
    ),
)  # fmt: skip
RX_6800 = a_profile(
    cpu=a_cpu(brand="AMD Ryzen 7 5800X 8-Core Processor", microarchitecture="zen3",
              isa_features=("avx", "avx2", "fma")),
    graphics=(
        a_gpu(kind=DeviceKind.DGPU, name="Navi 21 [Radeon RX 6800]", pci_device_id="73bf",
              kernel_driver="amdgpu"),
    ),
)  # fmt: skip


@pytest.fixture(scope="module")
def knowledge():
    return bundled_knowledge()


def first(routes, phase):
    (route,) = [r for r in routes if r.phase is phase and r.is_first]
    return route


# --- what a name means --------------------------------------------------------------------------

SYSTEMS = [
    ("Theano", "Theano"), ("CNTK", "CNTK"), ("ComputeCpp", "ComputeCpp"),
    ("Neon", "Neon (Nervana/Intel)"), ("nervana", "Neon (Nervana/Intel)"),
    ("Movidius", "Intel Movidius NCS (stick 1, NCSDK)"), ("hipCaffe", "hipCaffe"),
    ("plaid ml", "PlaidML"), ("torch-directml", "torch-directml"),
    ("IPEX", "Intel Extension for PyTorch (IPEX)"),
    ("ROCm on Kaveri", "AMD A10-7850K (Kaveri)"),
    ("clCaffe", "Caffe OpenCL branch / Theano OpenCL (libgpuarray)"),
    ("tensorflow-directml", "tensorflow-directml-plugin / tensorflow-directml"),
    ("Intel nGraph", "nGraph (Intel)"), ("BigDL", "ipex-llm / BigDL"), ("clBLAS", "clBLAS"),
    ("coral", "Coral Edge TPU / pycoral"), ("K80", "Tesla K80 / GTX 980 / GTX 1080"),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "name"), SYSTEMS)
def test_systems_of_old_advice_are_found(knowledge, asked, name):
    found = explain(asked, profile=KAVERI, knowledge=knowledge)
    assert found.system.name == name
    assert found.asked == asked
    assert found.routes


TODAY = (
    "colab", "Google Colab", "kaggle", "OpenVINO", "pytorch", "torch", "jax", "CUDA", "onnxruntime",
    "ONNX Runtime", "tensorflow", "TF", "keras", "mkl-dnn", "oneDNN", "WSL", "wsl2",
    "tensorflow-metal", "DirectML", "ROCm", "rusticl", "PoCL", "NPU", "XDNA", "Ryzen AI",
    "AI Boost", "Hexagon", "Neural Engine", "Hailo", "mps", "MLX", "Core ML", "Windows ML",
    "OpenCL", "Vulkan", "ncnn", "LiteRT", "xpu", "oneAPI", "SYCL", "tinygrad",
)  # fmt: skip


@pytest.mark.parametrize("asked", TODAY)
def test_systems_of_today_are_explained_on_the_users_hardware(knowledge, asked):
    for machine in (KAVERI, IRIS_XE, RX_6800):
        found = explain(asked, profile=machine, knowledge=knowledge)
        assert found.system is not None
        assert {route.phase for route in found.routes} == set(Phase)
        assert found.machine == machine.cpu.brand


def test_ways_that_carry_the_name_are_shown_where_they_apply(knowledge):
    def ways(machine):
        found = explain("OpenVINO", profile=machine, knowledge=knowledge)
        return {option.fact.id for option in found.options}

    assert "openvino-igpu" in ways(IRIS_XE)
    assert "openvino-igpu" not in ways(RX_6800)
    (colab,) = explain("colab", profile=KAVERI, knowledge=knowledge).options
    assert colab.fact.id == "colab-free"
    assert len(explain("pytorch", profile=RX_6800, knowledge=knowledge).options) <= 4


def test_a_variable_is_an_option_with_its_verdict(knowledge):
    found = explain("HSA_OVERRIDE_GFX_VERSION", profile=IRIS_XE, knowledge=knowledge)
    (option,) = found.options
    assert option.fact.id == "hsa-override"
    assert option.refusals
    (option,) = explain("hsa-override", profile=RX_6800, knowledge=knowledge).options
    assert option.refusals == ()


def test_of_the_rows_of_one_variable_those_that_apply_come_first(knowledge):
    first, *others = explain("TF_ENABLE_ONEDNN_OPTS", profile=RX_6800, knowledge=knowledge).options
    assert first.fact.id == "tf-onednn-avx2"
    assert first.refusals == ()
    kept_on = next(option for option in others if option.fact.id == "tf-onednn-on")
    (refusal,) = kept_on.refusals
    assert refusal.code is ReasonCode.EXCLUDED
    assert refusal.parameters[0].value == "onednn_off_by_default"


def test_an_option_is_found_by_its_title_and_refused_where_it_does_not_apply(knowledge):
    fact = next(f for f in knowledge.options if f.id == "openvino-igpu")
    (option,) = explain(fact.title, profile=KAVERI, knowledge=knowledge).options
    assert option.fact == fact
    assert {r.code for r in option.refusals} & {ReasonCode.GPU_MISSING, ReasonCode.EXCLUDED}


def test_a_processor_shows_both_its_parts(knowledge):
    found = explain("ryzen 5 5600g", profile=KAVERI, knowledge=knowledge)
    (cpu,) = found.devices
    assert (cpu.name, cpu.kind, cpu.spec.cores) == ("AMD Ryzen 5 5600G", DeviceKind.CPU, 6)
    assert cpu.isa.microarchitecture == "Zen 3"
    assert cpu.family.id == "amd-renoir-cezanne"
    # Nothing stands in the place of a device that one may simply own.
    assert found.routes == ()


def test_graphics_of_their_own_speak_for_themselves(knowledge):
    devices = explain("a10-7850k", profile=KAVERI, knowledge=knowledge).devices
    families = {device.kind: device.family for device in devices}
    assert families[DeviceKind.CPU] is None
    assert families[DeviceKind.IGPU].id == "amd-kaveri"


@pytest.mark.parametrize(
    ("asked", "kind", "family"),
    [
        ("RX 6800", DeviceKind.DGPU, "amd-rdna2-dgpu"),
        ("gtx 1080", DeviceKind.DGPU, "nvidia-pascal-volta"),
        ("iris xe", DeviceKind.IGPU, "intel-xe-lp"),
    ],
)
def test_gpus_are_found_with_their_family(knowledge, asked, kind, family):
    devices = explain(asked, profile=KAVERI, knowledge=knowledge).devices
    assert (kind, family) in {(d.kind, d.family.id) for d in devices if d.family is not None}


def test_unknown_names_are_not_guessed_at(knowledge):
    for name in ("kubernetes", "plaidm", "", "   ", "???"):
        assert explain(name, profile=KAVERI, knowledge=knowledge) is None


@pytest.mark.parametrize(
    ("asked", "offered"),
    [
        ("plaidm", "PlaidML"),
        ("teano", "theano"),
        ("hsa override gfx", "HSA_OVERRIDE_GFX_VERSION"),
        ("ryzen 5 5600gg", "AMD Ryzen 5 5600G"),
    ],
)
def test_close_names_are_offered(knowledge, asked, offered):
    names = close_names(asked, knowledge=knowledge)
    assert offered.lower() in {name.lower() for name in names}
    assert len(names) <= 6


def test_nothing_is_offered_for_nothing(knowledge):
    assert close_names("", knowledge=knowledge) == ()
    assert close_names("xyzzyxyzzy", knowledge=knowledge) == ()


def test_explanations_survive_json(knowledge):
    for name in ("plaidml", "a10-7850k", "HSA_OVERRIDE_GFX_VERSION"):
        found = explain(name, profile=IRIS_XE, knowledge=knowledge)
        assert load_document(dump_document(found), Explanation) == found


# --- what to take on this machine ---------------------------------------------------------------


def test_kaveri_trains_and_infers_on_the_processor(knowledge):
    routes = routes_of(KAVERI, knowledge=knowledge)
    for phase in Phase:
        assert first(routes, phase).kind is DeviceKind.CPU
    igpu = next(r for r in routes if r.kind is DeviceKind.IGPU and r.phase is Phase.TRAINING)
    assert igpu.level == "none"
    assert "5800 s" in igpu.why_not
    assert igpu.option_titles == ()


def test_iris_xe_trains_on_the_processor_and_infers_by_openvino(knowledge):
    routes = routes_of(IRIS_XE, knowledge=knowledge)
    assert first(routes, Phase.TRAINING).kind is DeviceKind.CPU
    inference = first(routes, Phase.INFERENCE)
    assert inference.kind is DeviceKind.IGPU
    assert "OpenVINO" in inference.way
    assert "Run inference with OpenVINO on the Intel GPU" in inference.option_titles


def test_a_radeon_card_trains_by_rocm_said_to_be_unofficial(knowledge):
    training = first(routes_of(RX_6800, knowledge=knowledge), Phase.TRAINING)
    assert training.kind is DeviceKind.DGPU
    assert training.level == "unofficial"
    assert any("ROCm" in title for title in training.option_titles)


def test_a_card_without_a_driver_is_not_begun_with(knowledge):
    (card,) = RX_6800.graphics
    bare = dataclasses.replace(card, kernel_driver=None)
    routes = routes_of(dataclasses.replace(RX_6800, graphics=(bare,)), knowledge=knowledge)
    assert first(routes, Phase.TRAINING).kind is DeviceKind.CPU
    assert "no driver serves it" in {route.why_not for route in routes}


def test_a_card_that_others_timed_comes_first_though_its_wheels_are_old(knowledge):
    pascal = a_gpu(
        kind=DeviceKind.DGPU, vendor="NVIDIA", name="GP104 [GeForce GTX 1080]",
        pci_vendor_id="10de", pci_device_id="1b80", kernel_driver="nvidia",
    )  # fmt: skip
    machine = dataclasses.replace(RX_6800, graphics=(pascal,))
    route = first(routes_of(machine, knowledge=knowledge), Phase.TRAINING)
    assert (route.kind, route.level) == (DeviceKind.DGPU, "unofficial")
    assert "cu126" in route.way


def test_an_old_card_without_a_row_of_its_own_is_not_begun_with(knowledge):
    tahiti = a_gpu(kind=DeviceKind.DGPU, name="Radeon HD 7950", pci_device_id="679a")
    machine = dataclasses.replace(RX_6800, graphics=(tahiti,))
    assert first(routes_of(machine, knowledge=knowledge), Phase.TRAINING).kind is DeviceKind.CPU


def test_an_official_card_comes_first_and_only_one_does(knowledge):
    (radeon,) = RX_6800.graphics
    nvidia = a_gpu(
        id="gpu1", kind=DeviceKind.DGPU, vendor="NVIDIA", name="NVIDIA GeForce RTX 3060",
        pci_vendor_id="10de", pci_device_id="2504", kernel_driver="nvidia",
    )  # fmt: skip
    machine = dataclasses.replace(RX_6800, graphics=(nvidia, radeon))
    routes = routes_of(machine, knowledge=knowledge)
    assert first(routes, Phase.TRAINING).device == "NVIDIA GeForce RTX 3060"
    assert routes[0].is_first


def test_a_mac_trains_on_its_gpu_by_the_options_table(knowledge):
    apple = a_gpu(name="Apple M2", vendor="Apple", pci_vendor_id=None, pci_device_id=None)
    machine = a_profile(
        os=an_os(family=OsFamily.MACOS, name="macOS", architecture="arm64"),
        cpu=a_cpu(vendor="Apple", brand="Apple M2", microarchitecture="m2",
                  isa_features=("neon",)),
        graphics=(apple,),
    )  # fmt: skip
    training = first(routes_of(machine, knowledge=knowledge), Phase.TRAINING)
    assert training.kind is DeviceKind.IGPU
    assert training.option_titles == ("Use PyTorch on the Apple GPU",)


def test_a_display_chip_of_a_server_is_no_device(knowledge):
    chip = a_gpu(kind=DeviceKind.OTHER, name="ASPEED BMC display adapter", pci_vendor_id="1a03")
    routes = routes_of(a_profile(graphics=(chip,)), knowledge=knowledge)
    assert {route.kind for route in routes} == {DeviceKind.CPU}
