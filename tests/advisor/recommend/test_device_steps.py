"""What is to be done to compute on the machine's own GPU."""

import dataclasses

import pytest

from advisor.model.machine import InstalledFramework, OsFamily
from advisor.model.option import OptionKind
from advisor.model.quantity import Phase
from advisor.model.recommendation import Hint
from advisor.recommend.device_steps import device_steps
from advisor.recommend.ready import Readiness
from advisor.recommend.steps import steps_for
from tests.advisor.recommend.builders import (
    a_fact,
    a_gpu,
    a_profile,
    an_environment,
    an_option,
    an_os,
)
from tests.advisor.recommend.families import RDNA3


@pytest.mark.parametrize(
    ("route", "phase", "is_told"),
    [
        ("PyTorch ROCm", Phase.TRAINING, True),
        ("PyTorch, TF, JAX CUDA", Phase.TRAINING, False),
        ("PyTorch ROCm", Phase.INFERENCE, False),
    ],
)
def test_code_in_keras_is_told_how_it_comes_to_the_gpu(route, phase, is_told):
    family = dataclasses.replace(RDNA3, linux_training_route=route, linux_inference_route=route)
    option = an_option("device:gpu0", kind=OptionKind.LOCAL_DEVICE, device_id="gpu0")
    steps = device_steps(
        option, profile=a_profile(), phase=phase, families={"gpu0": family}, hints=()
    )
    assert any("KERAS_BACKEND=torch" in step.content for step in steps) is is_told


def test_of_several_ways_one_is_enough():
    family = RDNA3
    fact = a_fact(kind=OptionKind.LOCAL_DEVICE, how="pip install one", environment=())
    option = an_option("way", kind=OptionKind.LOCAL_DEVICE, device_id="gpu0", fact=fact)
    way = Hint(option=option, reasons=(), steps=steps_for(option, profile=a_profile(), hours=0.0))

    def told(*ways):
        own = an_option("device:gpu0", kind=OptionKind.LOCAL_DEVICE, device_id="gpu0")
        steps = device_steps(
            own, profile=a_profile(), phase=Phase.TRAINING, families={"gpu0": family}, hints=ways
        )
        return [step.content for step in steps]

    assert not any("is enough" in text for text in told(way))
    assert any("is enough" in text for text in told(way, way))


@pytest.mark.parametrize(("driver", "is_told"), [("nouveau", True), ("nvidia", False)])
def test_cuda_needs_the_makers_driver(driver, is_told):
    option = an_option("device:gpu0", kind=OptionKind.LOCAL_DEVICE, device_id="gpu0")
    profile = a_profile(graphics=(a_gpu(kernel_driver=driver),))
    steps = device_steps(
        option, profile=profile, phase=Phase.TRAINING, families={"gpu0": RDNA3}, hints=()
    )
    assert any("in place of nouveau" in step.content for step in steps) is is_told


@pytest.mark.parametrize(
    ("family", "how", "expected"),
    [
        (OsFamily.LINUX, "python3 -m venv v && v/bin/pip install torch", "v/bin/pip install keras"),
        (OsFamily.WINDOWS, "python3 -m venv v && v/bin/pip install torch",
         "v\\Scripts\\pip install keras"),
        (OsFamily.LINUX, "pip install torch", "pip install keras"),
    ],
)  # fmt: skip
def test_keras_comes_into_the_environment_that_was_made(family, how, expected):
    profile = a_profile(os=an_os(family=family))
    fact = a_fact(kind=OptionKind.LOCAL_DEVICE, how=how, environment=())
    option = an_option("way", kind=OptionKind.LOCAL_DEVICE, device_id="gpu0", fact=fact)
    way = Hint(option=option, reasons=(), steps=steps_for(option, profile=profile, hours=0.0))
    card = dataclasses.replace(
        RDNA3, linux_training_route="PyTorch ROCm", windows_training_route="PyTorch"
    )
    own = an_option("device:gpu0", kind=OptionKind.LOCAL_DEVICE, device_id="gpu0")
    steps = device_steps(
        own, profile=profile, phase=Phase.TRAINING, families={"gpu0": card}, hints=(way,)
    )
    (keras,) = (step for step in steps if "KERAS_BACKEND" in step.content)
    assert keras.content.splitlines()[0] == expected


TORCH = InstalledFramework(name="torch", version="2.14.0+rocm10.1")
WAY = 'python3 -m venv v && v/bin/pip install "torch[device-gfx1100]" ; device="hip"'


def told_of(ready, *, how=WAY, family=OsFamily.LINUX):
    profile = a_profile(os=an_os(family=family))
    fact = a_fact(kind=OptionKind.LOCAL_DEVICE, how=how, environment=())
    option = an_option("way", kind=OptionKind.LOCAL_DEVICE, device_id="gpu0", fact=fact)
    way = Hint(option=option, reasons=(), steps=steps_for(option, profile=profile, hours=0.0))
    own = an_option("device:gpu0", kind=OptionKind.LOCAL_DEVICE, device_id="gpu0")
    steps = device_steps(
        own, profile=profile, phase=Phase.TRAINING, families={"gpu0": RDNA3}, hints=(way,),
        ready=ready,
    )  # fmt: skip
    return [step.content for step in steps]


@pytest.mark.parametrize(
    ("others", "family", "keras"),
    [
        ([], OsFamily.LINUX, '"/usr/bin/python3" -m pip install keras\nexport KERAS_BACKEND=torch'),
        ([("keras", "3.15.1")], OsFamily.LINUX, "export KERAS_BACKEND=torch"),
        ([], OsFamily.WINDOWS,
         '& "/usr/bin/python3" -m pip install keras\n$env:KERAS_BACKEND = "torch"'),
    ],
)  # fmt: skip
def test_what_is_there_is_named_and_not_installed_again(others, family, keras):
    environment = an_environment((TORCH.name, TORCH.version), *others)
    told = told_of(Readiness(framework=TORCH, environment=environment), family=family)
    assert told[0] == "torch 2.14.0+rocm10.1 of /usr/bin/python3: start your program with it."
    assert 'device="hip"' in told
    assert not any("venv" in text for text in told)
    assert [text for text in told if "pip install" in text or "KERAS" in text] == [keras]
    assert any("venv" in text for text in told_of(Readiness()))


def test_a_way_to_another_framework_is_not_told_where_one_is_there():
    mlx = InstalledFramework(name="mlx", version="0.30")
    ready = Readiness(framework=mlx, environment=an_environment(("mlx", "0.30")))
    told = told_of(ready)
    assert 'device="hip"' not in told
    assert not any("KERAS" in text for text in told)


def test_a_driver_that_works_is_not_installed_again():
    how = "pip install torch ; sudo apt install intel-opencl-icd"
    assert any("apt install" in text for text in told_of(Readiness(), how=how))
    told = told_of(Readiness(has_driver=True), how=how)
    assert not any("apt install" in text for text in told)
    assert "pip install torch" in told


def test_keras_is_not_brought_for_an_onnx_file():
    option = an_option("device:gpu0", kind=OptionKind.LOCAL_DEVICE, device_id="gpu0")
    told = [
        device_steps(
            option, profile=a_profile(), phase=Phase.TRAINING, families={"gpu0": RDNA3}, hints=(),
            is_onnx=is_onnx,
        )
        for is_onnx in (False, True)
    ]  # fmt: skip
    has_keras = [any("keras" in step.content for step in steps) for steps in told]
    assert has_keras == [True, False]
