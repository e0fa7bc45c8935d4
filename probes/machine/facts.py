"""What each operating system's part of the probe hands to `collect`."""

from dataclasses import dataclass

from advisor.model.machine import (
    Chassis,
    Cpu,
    GraphicsDevice,
    Load,
    Memory,
    MissingFact,
    Npu,
    OperatingSystem,
    Power,
)

UNKNOWN_POWER = Power(on_battery=None, governor=None)
UNKNOWN_LOAD = Load(load_average_1m=None, busy_fraction=None, steal_fraction=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineFacts:
    """Facts that one operating system tells.

    `distribution` is the family of a Linux distribution, "" elsewhere.
    """

    os: OperatingSystem
    cpu: Cpu
    memory: Memory
    graphics: tuple[GraphicsDevice, ...]
    npus: tuple[Npu, ...]
    power: Power
    load: Load
    missing: tuple[MissingFact, ...] = ()
    distribution: str = ""
    chassis: Chassis | None = None
