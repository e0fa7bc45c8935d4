"""How to compute on a GPU of this machine: what is there already, then the way to what is not.

Leaves to others: which GPUs are options (`advisor.recommend.devices`), what is there
(`advisor.recommend.ready`).
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from advisor.model.machine import MachineProfile, OsFamily
from advisor.model.option import Option, OptionKind
from advisor.model.published import GpuFamily
from advisor.model.quantity import Phase
from advisor.model.recommendation import Hint, Step
from advisor.recommend.devices import names_tensorflow, own_gpu, support_of
from advisor.recommend.ready import NOTHING_READY, Readiness, ready_steps

_KERAS = "pip install keras"
# The folder of an environment that is made and not entered.
_OF_ENVIRONMENT = re.compile(r"\bv(?:/bin/|\\Scripts\\)(?=pip install)")
_FREE_NVIDIA_DRIVER = "nouveau"
_NVIDIA_DRIVER = "CUDA needs NVIDIA's own driver in place of nouveau: install it and start again."
_ONE_IS_ENOUGH = "One of these ways is enough, each in an environment of its own."
# Commands that bring a framework, and those that bring a driver.
_BRINGS_FRAMEWORK = re.compile(r"\bpip install|-m venv\b")
_BRINGS_DRIVER = re.compile(r"\bapt(?:-get)? install")
_SHELL, _LINK = "shell", "url"
_TORCH = "torch"


def device_steps(
    option: Option,
    *,
    profile: MachineProfile,
    phase: Phase,
    families: Mapping[str, GpuFamily],
    hints: Iterable[Hint],
    ready: Readiness = NOTHING_READY,
    is_onnx: bool = False,
) -> tuple[Step, ...]:
    """Return how to reach a GPU of this machine: its family's route, then what hints say of it.

    What is installed already is named, and not installed once more.

    Args:
        option: a GPU of the machine, from `choose_devices`.
        profile: the machine.
        phase: of the job.
        families: family of each GPU by its id.
        hints: of the options table; those about this device hold the commands.
        ready: what is installed already.
        is_onnx: whether the network is an ONNX file, which Keras does not read.
    """
    gpu = own_gpu(option, profile=profile)
    family = None if gpu is None else families.get(gpu.id)
    if gpu is None or family is None:
        return ()
    steps = list(ready_steps(ready))
    support = support_of(family, system=profile.os.family, phase=phase)
    is_official = support.level == "official"
    if support.route is not None:
        caption = "Way" if is_official else "Unofficial way"
        steps.append(Step(kind="text", caption=caption, content=support.route))
    if not is_official:
        steps.append(Step(kind="text", caption="Caution", content=_caution(family)))
    ways = [
        left
        for hint in hints
        if hint.option.kind is OptionKind.LOCAL_DEVICE and hint.option.device_id == gpu.id
        if (left := _left_of(hint.steps, ready=ready))
    ]
    if gpu.kernel_driver == _FREE_NVIDIA_DRIVER:
        steps.append(Step(kind="text", caption="Driver", content=_NVIDIA_DRIVER))
    if len(ways) > 1:
        steps.append(Step(kind="text", caption="Commands", content=_ONE_IS_ENOUGH))
    for way in ways:
        steps += way
    has_keras = any(step.content == _KERAS for step in steps)
    needs_keras = not is_onnx and _needs_keras_step(support.route, phase=phase, ready=ready)
    if needs_keras and not has_keras:
        steps.append(_keras_step(profile, after=steps, ready=ready))
    steps.append(Step(kind="text", caption="Advice", content=family.advice))
    return tuple(steps)


def _left_of(steps: Sequence[Step], *, ready: Readiness) -> list[Step]:
    """Return what is left to do of a way; nothing where it leads to another framework."""
    if ready.framework is not None:
        name = ready.framework.name.partition("-")[0].lower()
        if not any(name in step.content.lower() for step in steps if step.kind != _LINK):
            return []
    left = [step for step in steps if not _is_done(step, ready)]
    return left if any(step.kind != _LINK for step in left) else []


def _is_done(step: Step, ready: Readiness) -> bool:
    if step.kind != _SHELL:
        return False
    if _BRINGS_DRIVER.search(step.content):
        return ready.has_driver
    return ready.framework is not None and _BRINGS_FRAMEWORK.search(step.content) is not None


def _needs_keras_step(route: str | None, *, phase: Phase, ready: Readiness) -> bool:
    if ready.framework is not None:
        return ready.framework.name == _TORCH
    return phase is Phase.TRAINING and _is_for_pytorch_alone(route)


def _is_for_pytorch_alone(route: str | None) -> bool:
    return route is not None and "torch" in route.lower() and not names_tensorflow(route)


def _keras_step(profile: MachineProfile, *, after: Iterable[Step], ready: Readiness) -> Step:
    """How code in Keras comes to a GPU through PyTorch.

    `after`: the steps before it; an environment that one of them makes is named.
    """
    made = (_OF_ENVIRONMENT.search(step.content) for step in after if step.kind == _SHELL)
    folder = next((found[0] for found in made if found is not None), "")
    lines = [f"{folder}{_KERAS}"]
    if ready.environment is not None:
        has_keras = any(each.name == "keras" for each in ready.environment.frameworks)
        # In PowerShell a program in quotes is called by "&".
        call = "& " if profile.os.family is OsFamily.WINDOWS else ""
        lines = [] if has_keras else [f'{call}"{ready.environment.python}" -m {_KERAS}']
    setting = "export KERAS_BACKEND=torch"
    if profile.os.family is OsFamily.WINDOWS:
        setting = '$env:KERAS_BACKEND = "torch"'
    return Step(
        kind="shell",
        caption="For code in Keras, in the same environment: it finds the GPU through PyTorch",
        content="\n".join([*lines, setting]),
    )


def _caution(family: GpuFamily) -> str:
    why = f" ({family.caveats})" if family.caveats else ""
    return (
        f"The makers of today's software no longer test it on this card, or never did{why}. "
        "Try a small job first and compare its time with the one given here."
    )
