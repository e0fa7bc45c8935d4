"""The machine's own GPUs: official, unofficial, none, without driver, measured slower."""

import dataclasses

import pytest

from advisor.knowledge.store import Knowledge
from advisor.model.machine import DeviceKind, MissingFact, OsFamily
from advisor.model.option import OptionKind
from advisor.model.published import Comparability, PublishedResult, ResultPhase
from advisor.model.quantity import Phase
from advisor.model.recommendation import Hint, ReasonCode
from advisor.recommend.device_steps import device_steps
from advisor.recommend.devices import (
    choose_devices,
    families_of,
    opencl_of,
    served_gpus,
    support_of,
    with_chip,
)
from advisor.recommend.steps import steps_for
from tests.advisor.recommend.builders import (
    a_cpu,
    a_fact,
    a_gpu,
    a_profile,
    a_spec,
    a_workload,
    an_opencl,
    an_option,
    an_os,
)
from tests.advisor.recommend.families import RDNA3, a_family

CARD = a_gpu(
    kind=DeviceKind.DGPU,
    name="Navi 31 [Radeon RX 7900 XTX]",
    pci_device_id="744c",
    kernel_driver="amdgpu",
)
CPU = a_spec(device="AMD A10-7850K", kind=DeviceKind.CPU, vendor="AMD", launch_price_usd=None)


def a_result(number, *, device, kind, value, **changes):
    values = {
        "id": f"so-{number}",
        "study": "so",
        "year": 2017,
        "phase": ResultPhase.TRAINING,
        "workload": "cifar10",
        "batch_size": None,
        "precision": None,
        "framework": "TensorFlow",
        "framework_version": None,
        "backend": None,
        "build": "avx",
        "device": device,
        "device_kind": kind,
        "threads": None,
        "n_devices": 1,
        "metric": "epoch_time",
        "value": value,
        "unit": "s",
        "parameters": None,
        "multiply_adds_per_sample": None,
        "comparability": Comparability.COMPARABLE,
        "source": "https://example.org/q",
        "note": None,
    }
    return PublishedResult(**{**values, **changes})


GENERIC = a_result(1, device=CPU.device, kind=DeviceKind.CPU, value=1700.0, build="generic")
AVX = a_result(2, device=CPU.device, kind=DeviceKind.CPU, value=1100.0)
OPENCL = a_result(
    3, device="AMD Radeon R7 iGPU (A10-7850K, Kaveri)", kind=DeviceKind.IGPU, value=5800.0,
    build="opencl",
)  # fmt: skip


FAMILIES = (a_family(), RDNA3)


def choice_of(profile, *, published=(), families=FAMILIES, phase=Phase.TRAINING):
    knowledge = Knowledge(devices=(CPU,), gpu_families=families, published=published)
    return choose_devices(
        profile,
        workload=a_workload(phase=phase),
        knowledge=knowledge,
        families=families_of(profile, knowledge=knowledge),
    )


def reasons_of(entry):
    return [(r.code, {p.name: p.value for p in r.parameters}) for r in entry.reasons]


# --- support ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("system", "phase", "level"),
    [
        (OsFamily.LINUX, Phase.TRAINING, "none"),
        (OsFamily.LINUX, Phase.INFERENCE, "unofficial"),
        (OsFamily.WINDOWS, Phase.TRAINING, "none"),
        (OsFamily.WINDOWS, Phase.INFERENCE, "unofficial"),
        (OsFamily.MACOS, Phase.TRAINING, None),
    ],
)
def test_support_by_system_and_phase(system, phase, level):
    assert support_of(a_family(), system=system, phase=phase).level == level


def test_on_macos_a_family_says_what_it_knows():
    family = a_family(macos_training="none", macos_inference="unofficial")
    mac = an_os(family=OsFamily.MACOS)
    assert support_of(family, system=mac.family, phase=Phase.TRAINING).level == "none"
    assert support_of(family, system=mac.family, phase=Phase.INFERENCE).level == "unofficial"


def test_served_are_those_with_any_software_and_those_nobody_knows():
    profile = a_profile(graphics=(a_gpu(), a_gpu(id="gpu1", name="Unheard of")))
    families = {"gpu0": a_family()}
    assert served_gpus(profile, phase=Phase.TRAINING, families=families) == {"gpu1"}
    assert served_gpus(profile, phase=Phase.INFERENCE, families=families) == {"gpu0", "gpu1"}


# --- choice -------------------------------------------------------------------------------------


def test_official_support_is_an_option_under_its_opencl_device():
    profile = a_profile(graphics=(CARD,), opencl=(an_opencl(kind=DeviceKind.DGPU),))
    (option,) = choice_of(profile).options
    assert option.id == "device:gpu0"
    assert option.device_id == "opencl0"


def test_without_opencl_the_option_names_the_gpu():
    (option,) = choice_of(a_profile(graphics=(CARD,))).options
    assert option.device_id == "gpu0"


def test_a_family_that_no_software_trains_on_is_refused_with_its_advice():
    choice = choice_of(a_profile())
    assert choice.options == choice.hints == choice.avoid == ()
    (rejection,) = choice.rejections
    assert reasons_of(rejection) == [
        (
            ReasonCode.FRAMEWORK_DOES_NOT_RUN,
            {
                "device": "Kaveri [Radeon R7 Graphics]",
                "phase": "training",
                "advice": "train on the 4 CPU cores",
            },
        )
    ]


def test_unofficial_support_is_a_hint_without_a_figure():
    choice = choice_of(a_profile(), phase=Phase.INFERENCE)
    assert choice.options == ()
    (hint,) = choice.hints
    assert reasons_of(hint) == [(ReasonCode.NO_FIGURE, {"support": "unofficial"})]
    assert hint.steps[0].content == "ncnn Vulkan"


POLARIS = a_family(
    id="amd-gcn3-4", kind="dgpu", pci_device_ids=("67df",), name_pattern="RX 580",
    linux_training="unofficial", linux_training_route="community builds", caveats="no gfx8 target",
)  # fmt: skip
OLD_CARD = a_gpu(kind=DeviceKind.DGPU, name="AMD Radeon RX 580", pci_device_id="67df")
OLD_SPEC = a_spec(device="AMD Radeon RX 580", vendor="AMD", architecture="GCN 4.0")


def old_card_choice(*, measured_on, specs=(OLD_SPEC,), phase=ResultPhase.TRAINING):
    profile = a_profile(graphics=(OLD_CARD,))
    row = a_result(9, device=measured_on, kind=DeviceKind.DGPU, value=1.0, phase=phase)
    knowledge = Knowledge(devices=(CPU, *specs), gpu_families=(POLARIS,), published=(row,))
    families = families_of(profile, knowledge=knowledge)
    choice = choose_devices(profile, workload=a_workload(), knowledge=knowledge, families=families)
    return choice, families, profile


def test_a_card_without_official_support_that_others_timed_is_an_option_with_a_caution():
    choice, families, profile = old_card_choice(measured_on="AMD Radeon RX 580")
    (option,) = choice.options
    assert choice.hints == ()
    steps = device_steps(option, profile=profile, phase=Phase.TRAINING, families=families, hints=())
    assert [step.caption for step in steps] == ["Unofficial way", "Caution", "Advice"]
    assert "no gfx8 target" in steps[1].content


def test_a_card_of_the_same_architecture_speaks_for_it():
    other = a_spec(device="AMD Radeon RX 460", vendor="AMD", architecture="GCN 4.0")
    choice, *_ = old_card_choice(measured_on=other.device, specs=(OLD_SPEC, other))
    assert len(choice.options) == 1


@pytest.mark.parametrize(
    ("measured_on", "phase", "architecture"),
    [
        ("AMD Radeon RX 580", ResultPhase.KERNEL, "GCN 4.0"),
        ("AMD Radeon RX 580", ResultPhase.INFERENCE, "GCN 4.0"),
        ("AMD Radeon RX 460", ResultPhase.TRAINING, "GCN 3.0"),
        ("Unheard of", ResultPhase.TRAINING, "GCN 4.0"),
    ],
)
def test_nothing_else_speaks_for_it(measured_on, phase, architecture):
    other = a_spec(device="AMD Radeon RX 460", vendor="AMD", architecture=architecture)
    choice, *_ = old_card_choice(measured_on=measured_on, specs=(OLD_SPEC, other), phase=phase)
    assert choice.options == ()
    assert len(choice.hints) == 1


def test_an_unknown_gpu_is_refused_not_guessed():
    choice = choice_of(a_profile(graphics=(a_gpu(name="Unheard of", pci_device_id="ffff"),)))
    (rejection,) = choice.rejections
    assert rejection.reasons[0].code is ReasonCode.NOT_APPLICABLE


def test_no_driver_is_refused_with_what_the_probe_advises():
    bare = a_gpu(kind=DeviceKind.DGPU, name=CARD.name, pci_device_id="744c", kernel_driver=None)
    missing = MissingFact(fact="OpenCL of gpu0", reason="no driver", remedy="apt install x")
    (rejection,) = choice_of(a_profile(graphics=(bare,), missing=(missing,))).rejections
    assert reasons_of(rejection) == [
        (ReasonCode.NO_DRIVER, {"device": CARD.name, "remedy": "apt install x"})
    ]
    (rejection,) = choice_of(a_profile(graphics=(bare,))).rejections
    assert reasons_of(rejection)[0][1]["remedy"] == "rusticl"


def test_windows_does_not_tell_its_kernel_drivers():
    bare = a_gpu(kind=DeviceKind.DGPU, name=CARD.name, pci_device_id="744c", kernel_driver=None)
    profile = a_profile(graphics=(bare,), os=an_os(family=OsFamily.WINDOWS))
    assert len(choice_of(profile).options) == 1


def test_where_the_families_do_not_say_the_options_table_speaks_alone():
    choice = choice_of(a_profile(os=an_os(family=OsFamily.MACOS)))
    assert choice.options == choice.hints == choice.avoid == choice.rejections == ()


# --- measured slower by others ------------------------------------------------------------------


def test_the_published_pair_is_cited_against_the_best_build_of_the_cpu():
    choice = choice_of(a_profile(), published=(GENERIC, AVX, OPENCL))
    (avoided,) = choice.avoid
    assert avoided.option.id == "device:gpu0"
    assert avoided.speedup.mid == pytest.approx(1100.0 / 5800.0)
    code, values = reasons_of(avoided)[0]
    assert code is ReasonCode.PUBLISHED_SLOWER
    assert values["factor_x"] == pytest.approx(5.27, abs=0.01)
    assert (values["cpu"], values["device"]) == ("1100 s", "5800 s")
    cited = " ".join(evidence.statement for evidence in avoided.evidence)
    assert "1100 s" in cited
    assert "5800 s" in cited
    assert choice.options == ()


def test_throughputs_compare_the_other_way_round():
    cpu = a_result(
        1, device=CPU.device, kind=DeviceKind.CPU, value=100.0, unit="1/s", metric="throughput"
    )
    gpu = a_result(
        2, device=OPENCL.device, kind=DeviceKind.IGPU, value=25.0, unit="1/s", metric="throughput"
    )
    (avoided,) = choice_of(a_profile(), published=(cpu, gpu)).avoid
    assert avoided.speedup.mid == pytest.approx(0.25)


@pytest.mark.parametrize(
    "changes",
    [
        {"study": "another"},
        {"workload": "another"},
        {"comparability": Comparability.NOT_COMPARABLE},
        {"phase": ResultPhase.INFERENCE},
        {"device": "AMD Radeon R7 iGPU (A10-7860K)"},
        {"value": 900.0},
        {"value": 0.0},
    ],
)
def test_only_a_slower_comparable_pair_of_one_study_counts(changes):
    values = {"device": OPENCL.device, "value": 5800.0, **changes}
    gpu = a_result(3, kind=DeviceKind.IGPU, **values)
    assert choice_of(a_profile(), published=(AVX, gpu)).avoid == ()


def test_an_unknown_processor_has_no_pair():
    profile = a_profile(cpu=a_cpu(brand="Unheard of"))
    assert choice_of(profile, published=(AVX, OPENCL)).avoid == ()


# --- OpenCL -------------------------------------------------------------------------------------


def test_the_bundled_cpu_driver_is_no_gpu():
    cpu_driver = an_opencl(kind=DeviceKind.CPU, is_bundled_driver=True)
    assert opencl_of(a_gpu(), profile=a_profile(opencl=(cpu_driver,))) is None


def test_two_cards_of_one_vendor_go_by_their_order():
    second = a_gpu(id="gpu1")
    devices = (an_opencl(), an_opencl(id="opencl1"))
    profile = a_profile(graphics=(a_gpu(), second), opencl=devices)
    assert opencl_of(second, profile=profile).id == "opencl1"
    only = a_profile(graphics=(a_gpu(), second), opencl=devices[:1])
    assert opencl_of(second, profile=only) is None


def test_another_vendors_opencl_is_not_taken():
    intel = an_opencl(vendor="Intel(R) Corporation", name="Intel UHD")
    assert opencl_of(a_gpu(), profile=a_profile(opencl=(intel,))) is None


# --- the name of the chip -----------------------------------------------------------------------


def rocm_hint(gpu, *, system=OsFamily.LINUX):
    family = dataclasses.replace(RDNA3, rocm_targets=("gfx1100:744c",))
    how = 'v/bin/pip install "torch[device-GFX]" ; in place of GFX the name of the chip'
    fact = a_fact(kind=OptionKind.LOCAL_DEVICE, how=how, environment=())
    profile = a_profile(graphics=(gpu,), os=an_os(family=system))
    option = an_option(kind=OptionKind.LOCAL_DEVICE, device_id=gpu.id, fact=fact)
    steps = steps_for(option, profile=profile, hours=0.0)
    hint = Hint(option=option, reasons=(), steps=steps)
    told = with_chip(hint, profile=profile, families={gpu.id: family})
    return [step.content for step in told.steps if step.kind != "url"]


def test_commands_name_the_chip_that_is_known():
    assert rocm_hint(CARD) == ['v/bin/pip install "torch[device-gfx1100]"']
    unknown = dataclasses.replace(CARD, pci_device_id=None)
    assert len(rocm_hint(unknown)) == 2
    assert "device-GFX" in rocm_hint(unknown)[0]


def test_an_environment_has_its_programs_elsewhere_on_windows():
    typed = rocm_hint(CARD, system=OsFamily.WINDOWS)
    assert typed == ['v\\Scripts\\pip install "torch[device-gfx1100]"']


def test_graphics_of_servers_are_not_spoken_of():
    for name in ("ASPEED Graphics Family", "Virtio 1.0 GPU", "Microsoft Basic Display Adapter"):
        choice = choice_of(a_profile(graphics=(a_gpu(name=name, pci_device_id="ffff"),)))
        assert choice.options == choice.hints == choice.avoid == choice.rejections == ()
