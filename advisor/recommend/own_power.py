"""Watts that one's own machine draws while it computes: data sheets, else a usual figure.

A processor counts as often as the machine has it, and the rest of the machine on top. Where no
data sheet is known the kind of machine decides; each such figure is told as assumed.
Leaves to others: what the electricity costs (`advisor.recommend.cost`).
"""

from dataclasses import dataclass

from advisor.knowledge.lookup import find_device
from advisor.knowledge.store import Knowledge
from advisor.model.machine import Chassis, DeviceKind, MachineProfile, OsFamily
from advisor.model.option import Option

# A desktop's processor and its rest: board, memory, disk and losses of the power supply. Of the
# processors in `devices/specs.csv`: the usual limit up to 8 cores, the median of those with more.
DEFAULT_CPU_W = 65.0
LARGE_DESKTOP_CPU_W = 125.0
REST_OF_MACHINE_W = 60.0
# The median of those of laptops, also for small cases, which are built of the same parts.
SMALL_CPU_W = 28.0
SMALL_REST_W = 15.0
# The median of those of servers (Xeon, EPYC); the rest of a server grows with their number.
SERVER_CPU_W = 155.0
# A single-board computer as a whole: a Raspberry Pi 4 under load takes 6.3 W from the socket
# (https://chipwired.com/raspberry-pi-power-use/), later ones and those of 8 cores more.
BOARD_W = 8.0
# A card of which nothing is known.
DEFAULT_CARD_W = 3 * DEFAULT_CPU_W

_BOARD_CORES = 8
_USUAL_DESKTOP_CORES = 8
# No processor for desktops has more.
_MOST_DESKTOP_CORES = 24
_BOARD_ARCHITECTURES = ("arm", "aarch64", "riscv")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Usual:
    """What a kind of machine usually takes: each processor, and the rest beside each of them."""

    cpu_w: float
    rest_w: float


_BOARD = _Usual(cpu_w=BOARD_W, rest_w=0.0)
_SMALL = _Usual(cpu_w=SMALL_CPU_W, rest_w=SMALL_REST_W)
_DESKTOP = _Usual(cpu_w=DEFAULT_CPU_W, rest_w=REST_OF_MACHINE_W)
_LARGE_DESKTOP = _Usual(cpu_w=LARGE_DESKTOP_CPU_W, rest_w=REST_OF_MACHINE_W)
_SERVER = _Usual(cpu_w=SERVER_CPU_W, rest_w=REST_OF_MACHINE_W)


def power_w(
    option: Option, *, profile: MachineProfile | None, knowledge: Knowledge
) -> tuple[float, bool]:
    """Return the watts that computing takes under an option, and whether they were assumed.

    Args:
        option: on this machine, or with a card that is bought.
        profile: this machine; None takes a usual desktop.
        knowledge: data sheets.
    """
    if option.purchase is not None:
        card = option.purchase.tdp_w
        return (card or DEFAULT_CARD_W) + REST_OF_MACHINE_W, card is None
    if profile is None:
        return DEFAULT_CPU_W + REST_OF_MACHINE_W, True
    n_packages = _n_packages(profile)
    usual = _usual(profile, n_packages=n_packages)
    gpu = next((g for g in profile.graphics if g.id == option.device_id), None)
    if gpu is not None and gpu.kind is DeviceKind.DGPU:
        spec = find_device(knowledge, gpu.name, kind=DeviceKind.DGPU)
        card = None if spec is None else spec.tdp_w
        return (card or DEFAULT_CARD_W) + n_packages * usual.rest_w, card is None
    spec = find_device(knowledge, profile.cpu.brand, kind=DeviceKind.CPU)
    told_w = None if spec is None else spec.tdp_w
    return n_packages * ((told_w or usual.cpu_w) + usual.rest_w), told_w is None


def _n_packages(profile: MachineProfile) -> int:
    """Return how many processors compute; a virtual machine may show each core as one."""
    return 1 if profile.os.hypervisor else max(1, profile.cpu.n_packages or 1)


def _usual(profile: MachineProfile, *, n_packages: int) -> _Usual:
    cores = (profile.cpu.n_physical_cores or profile.cpu.n_logical_cpus) / n_packages
    is_small = profile.chassis in (Chassis.COMPACT, Chassis.PORTABLE)
    if profile.chassis is None:
        is_small = profile.power.has_battery is True
    if is_small and n_packages == 1:
        return _SMALL
    if profile.chassis is Chassis.SERVER or n_packages > 1 or cores > _MOST_DESKTOP_CORES:
        return _SERVER
    if profile.chassis is None and profile.os.architecture.lower().startswith(_BOARD_ARCHITECTURES):
        # Others than boards are computers with the parts of a laptop.
        is_bare_linux = profile.os.family is OsFamily.LINUX and not profile.os.hypervisor
        return _BOARD if is_bare_linux and cores <= _BOARD_CORES else _SMALL
    return _DESKTOP if cores <= _USUAL_DESKTOP_CORES else _LARGE_DESKTOP
