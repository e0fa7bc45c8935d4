"""What to type for an option: shell lines, Python lines, links, in the order of doing.

Leaves to others: commands for rented machines (`advisor.recommend.cloud_steps`), the instructions
of the options table (`advisor.recommend.instructions`), words around them.
"""

import re
import shlex

from advisor.model.machine import MachineProfile, OsFamily
from advisor.model.measurement import Setting
from advisor.model.offer import Offer
from advisor.model.option import Option, OptionFact, OptionKind
from advisor.model.published import DeviceSpec
from advisor.model.quantity import Phase
from advisor.model.recommendation import Step
from advisor.recommend.cloud_steps import DISK_GIB, cloud_steps
from advisor.recommend.instructions import kind_of, of_system, pieces_of, typed
from advisor.recommend.rented_software import (
    KERAS_TRAINING,
    RentedJob,
    pip_packages,
    program_steps,
)
from advisor.recommend.skypilot import skypilot_steps

# Values of settings that stand for a fact of the machine.
PHYSICAL_CORES = "PHYS"

_BOTH_VALUES = "|"
_MAKES_ENVIRONMENT = " -m venv "
_REMOVES = "pip uninstall"
# By the program on the path, not by that of an environment.
_INSTALLS = re.compile(r"(?<!/)\bpip install")
# Pythons that belong to the system (Debian, Ubuntu, Homebrew) refuse what pip would install.
_OWN_ENVIRONMENT = Step(
    kind="shell",
    caption="First, unless you work in an environment of your own already",
    content="python3 -m venv v\n. v/bin/activate",
)

# Vendors whose commands here start a plain Ubuntu, which has no driver of the GPU.
PLAIN_IMAGES = frozenset({"aws", "azure", "gcp"})
_NEEDED = "sudo apt-get update && sudo apt-get install -y python3-venv"
_DRIVER = (
    "sudo apt-get install -y ubuntu-drivers-common && sudo ubuntu-drivers install --gpgpu"
    " && sudo reboot"
)
_COPY = Step(
    kind="shell",
    caption="Copy your work there before, the results back after",
    content="scp -r PROJECT USER@ADDRESS:\nscp -r USER@ADDRESS:RESULTS .",
)
# A spot machine may be taken away at any moment.
_SAVE_EPOCHS = Step(
    kind="python",
    # Its own disk goes with it.
    caption="Save after each epoch: the machine may be taken away",
    content="model.fit(..., callbacks=[keras.callbacks.BackupAndRestore('OTHER-DISK/backup')])",
)
_SAVE_CHECKPOINTS = Step(
    kind="python",
    caption=_SAVE_EPOCHS.caption,
    content=(
        "state = (epoch, network.state_dict(), optimizer.state_dict())\n"
        "torch.save(state, 'OTHER-DISK/backup')"
    ),
)
_SAVE_RESULTS = Step(
    kind="text",
    caption="Save the results of each part: the machine may be taken away",
    content="Copy them to another place as soon as they are there, and begin after the last one.",
)


def steps_for(
    option: Option,
    *,
    profile: MachineProfile,
    hours: float,
    disk_gib: int = DISK_GIB,
    job: RentedJob = KERAS_TRAINING,
) -> tuple[Step, ...]:
    """Return what to do for an option; empty for staying.

    Args:
        option: what is advised.
        profile: decides between shells and fills in core counts.
        hours: what the job takes at the longest, for the automatic stop of rented machines.
        disk_gib: disk of a rented machine.
        job: what a rented machine is to run.
    """
    if option.kind is OptionKind.STAY:
        return ()
    if option.offer is not None:
        started = cloud_steps(option, hours=hours, disk_gib=disk_gib)
        arrived = _on_arrival(option.offer, is_spot=option.is_spot, job=job)
        by_task = skypilot_steps(option, disk_gib=disk_gib, job=job)
        return (*started, *arrived, *by_task)
    if option.purchase is not None:
        return _buy_steps(option.purchase)
    settings = option.settings
    if not settings and option.fact is not None:
        settings = option.fact.environment
    steps = list(_setting_steps(settings, profile=profile))
    if option.fact is not None:
        told = tuple(f"{setting.name}={setting.value}" for setting in settings) if steps else ()
        steps += _fact_steps(option.fact, told=told, profile=profile)
    return tuple(steps)


def resolve_settings(
    settings: tuple[Setting, ...], *, profile: MachineProfile
) -> tuple[Setting, ...]:
    """Return settings with the machine's own numbers in place of placeholders.

    A setting whose number the probe could not find is left out.
    """
    resolved = []
    for setting in settings:
        if setting.value == PHYSICAL_CORES:
            cores = usable_cores(profile)
            if cores is not None:
                resolved.append(Setting(name=setting.name, value=str(cores)))
        else:
            resolved.append(setting)
    return tuple(resolved)


def usable_cores(profile: MachineProfile) -> int | None:
    """Return the physical cores that a process may use here: quota and affinity are honoured.

    None when the number of physical cores is unknown.
    """
    cpu = profile.cpu
    cores = cpu.n_physical_cores
    if cores is None:
        return None
    if cpu.usable_cpus is not None and cpu.usable_cpus < cpu.n_logical_cpus:
        cores = min(cores, cpu.usable_cpus)
    if cpu.quota_cpus is not None:
        cores = min(cores, max(1, int(cpu.quota_cpus)))
    return max(1, cores)


def _setting_steps(settings: tuple[Setting, ...], *, profile: MachineProfile) -> tuple[Step, ...]:
    fixed = [
        setting
        for setting in resolve_settings(settings, profile=profile)
        if _BOTH_VALUES not in setting.value
    ]
    if not fixed:
        return ()
    if profile.os.family is OsFamily.WINDOWS:
        lines = [f'$env:{setting.name} = "{setting.value}"' for setting in fixed]
        caption = "In PowerShell, before the program is started"
    else:
        lines = [f"export {setting.name}={shlex.quote(setting.value)}" for setting in fixed]
        caption = "In the shell, before the program is started"
    return (Step(kind="shell", caption=caption, content="\n".join(lines)),)


def _fact_steps(fact: OptionFact, *, told: tuple[str, ...], profile: MachineProfile) -> list[Step]:
    """Return the table's own instructions; settings that were told already are not repeated."""
    is_windows = profile.os.family is OsFamily.WINDOWS
    pieces = [
        piece
        for system, piece in map(of_system, pieces_of(fact.how))
        if system in (None, profile.os.family)
        and piece not in told
        and not (told and piece.startswith("export "))
    ]
    how = "\n".join(pieces)
    # What is removed is removed where it is.
    has_environment = _MAKES_ENVIRONMENT in how or _REMOVES in how
    needs_environment = _INSTALLS.search(how) and not has_environment
    steps = [_OWN_ENVIRONMENT] if needs_environment and not is_windows else []
    for piece in pieces:
        kind = kind_of(piece)
        content = typed(piece, family=profile.os.family) if kind == "shell" else piece
        steps.append(Step(kind=kind, caption=fact.title, content=content))
    if fact.source.startswith("http"):
        link = fact.source.split(";")[0].strip()
        steps.append(Step(kind="url", caption="Source", content=link))
    return steps


def _on_arrival(offer: Offer, *, is_spot: bool, job: RentedJob) -> tuple[Step, ...]:
    """First commands on the rented machine: see what it really is, install, start."""
    is_plain = offer.vendor in PLAIN_IMAGES
    prepare = [_NEEDED] if is_plain else []
    look = "lscpu" if offer.accelerator is None else "nvidia-smi"
    if offer.accelerator is not None and is_plain:
        # Ubuntu's driver for computing comes without nvidia-smi.
        look = f"cat /proc/driver/nvidia/version || ({_DRIVER})"
    lines = [
        *prepare,
        look,
        "python3 -m venv v",
        f"v/bin/pip install {pip_packages(offer, job)}",
        f"v/bin/python {job.program}",
    ]
    steps = [
        _COPY,
        Step(
            kind="shell",
            caption="On the rented machine: look, install, run",
            content="\n".join(lines),
        ),
    ]
    steps += program_steps(offer, job)
    if is_spot and job.phase is Phase.INFERENCE:
        steps.append(_SAVE_RESULTS)
    elif is_spot:
        steps.append(_SAVE_CHECKPOINTS if job.is_onnx else _SAVE_EPOCHS)
    return tuple(steps)


def _buy_steps(device: DeviceSpec) -> tuple[Step, ...]:
    power = "" if device.tdp_w is None else f" and {device.tdp_w:.0f} W more from the power supply"
    return (
        Step(
            kind="text",
            caption="Before ordering",
            content=(
                "A desktop with a free PCI Express x16 slot is needed, room for the card"
                f"{power}. A laptop cannot take it."
            ),
        ),
        Step(
            kind="text",
            caption="Price",
            content=_price_note(device),
        ),
    )


def _price_note(device: DeviceSpec) -> str:
    if device.launch_price_usd is None:
        return "No price is in the data: compare the asking price with the break-even price."
    year = "" if device.year is None else f" of {device.year}"
    return (
        f"USD {device.launch_price_usd:.0f} was the price at launch{year}; "
        "ask for the price of today, new and used."
    )
