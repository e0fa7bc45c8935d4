"""Tables of names: ARM cores, x86 models, PCI devices, GPUs of boards, OpenCL packages.

The facts are CSV files in `probes/machine/data`, each row with its source; this module finds
rows. Leaves to others: what the machine says (`linux`, `windows`, `macos`).
"""

import csv
import functools
from dataclasses import dataclass
from importlib import resources

from advisor.model.machine import DeviceKind


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmCore:
    """Name of an ARM core and its microarchitecture, None where nobody names one."""

    core: str
    microarchitecture: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PciDevice:
    """What a PCI identity is; `family` and `name` are None for a range of mixed products."""

    kind: DeviceKind
    family: str | None
    name: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenclDriver:
    """How to install an OpenCL driver; `environment` is a setting that it needs, or None."""

    command: str
    environment: str | None


@functools.cache
def _rows(name: str) -> tuple[dict[str, str], ...]:
    text = resources.files("probes.machine").joinpath("data", name).read_text(encoding="utf-8")
    return tuple(csv.DictReader(text.splitlines()))


@functools.cache
def _arm_cores() -> dict[tuple[int, int], ArmCore]:
    return {
        (int(row["implementer"], 16), int(row["part"], 16)): ArmCore(
            core=row["core"], microarchitecture=row["microarchitecture"] or None
        )
        for row in _rows("arm_cores.csv")
    }


@functools.cache
def _pci_devices() -> tuple[tuple[str, int, int, PciDevice], ...]:
    found = [
        (
            row["vendor_id"],
            int(row["device_first"], 16),
            int(row["device_last"], 16),
            PciDevice(
                kind=DeviceKind(row["kind"]),
                family=row["family"] or None,
                name=row["name"] or None,
            ),
        )
        for row in _rows("pci_devices.csv")
    ]
    # The narrowest range that holds an identity tells most about it.
    return tuple(sorted(found, key=lambda entry: entry[2] - entry[1]))


def find_arm_core(implementer: int, *, part: int) -> ArmCore | None:
    """Return the core with these numbers of /proc/cpuinfo, None when it is not in the table."""
    return _arm_cores().get((implementer, part))


def find_x86_model(vendor: str, *, family: int, model: int, flags: frozenset[str]) -> str | None:
    """Return the microarchitecture of an x86 CPU, None when it is not in the table.

    Where several steppings share one model number, the flags decide.
    """
    for row in _rows("x86_models.csv"):
        same = row["vendor"] == vendor and int(row["family"]) == family
        if not same or not int(row["model_first"]) <= model <= int(row["model_last"]):
            continue
        if not row["requires_flag"] or row["requires_flag"] in flags:
            return row["microarchitecture"]
    return None


def named_microarchitectures() -> frozenset[str]:
    """Return the names of microarchitectures in all tables."""
    rows = [*_rows("arm_cores.csv"), *_rows("x86_models.csv"), *_rows("x86_flags.csv")]
    return frozenset(row["microarchitecture"] for row in rows) - {""}


def other_microarchitecture_names() -> dict[str, str]:
    """Return what people also call a microarchitecture, with the name that it has here."""
    return {row["name"]: row["microarchitecture"] for row in _rows("architecture_names.csv")}


def find_x86_by_flag(vendor: str | None, *, named: str | None, flags: frozenset[str]) -> str | None:
    """Return the oldest microarchitecture that has a telling flag, None where nothing is amiss.

    A hypervisor may show the model number of one processor with the flags of another.

    Args:
        vendor: "GenuineIntel", ...
        named: what family and model stand for, None for nothing.
        flags: of the processor as Linux spells them.
    """
    for row in _rows("x86_flags.csv"):
        if row["vendor"] == vendor and row["flag"] in flags:
            fits = named in (row["microarchitecture"], *row["also"].split(";"))
            return None if fits else row["microarchitecture"]
    return None


def find_pci_device(vendor_id: str | None, *, device_id: str | None) -> PciDevice | None:
    """Return what is known of a PCI identity (four hex digits each)."""
    if vendor_id is None or device_id is None:
        return None
    number = int(device_id, 16)
    for vendor, first, last, device in _pci_devices():
        if vendor == vendor_id and first <= number <= last:
            return device
    return None


def find_pci_vendor(vendor_id: str | None) -> str | None:
    """Return the short name of a PCI vendor: "AMD"."""
    for row in _rows("pci_vendors.csv"):
        if row["vendor_id"] == vendor_id:
            return row["vendor"]
    return None


def find_soc_gpu(compatible: tuple[str, ...]) -> tuple[str, str] | None:
    """Return vendor and name of a GPU outside the PCI bus, by its device tree words."""
    rows = {row["compatible"]: row for row in _rows("soc_gpus.csv")}
    for word in compatible:
        row = rows.get(word)
        if row is not None:
            return row["vendor"], row["name"]
    return None


def find_hypervisor(text: str) -> str | None:
    """Return the hypervisor that a text of the firmware (DMI) names."""
    lowered = text.lower()
    for row in _rows("hypervisors.csv"):
        if row["text"] in lowered:
            return row["hypervisor"]
    return None


def find_opencl_driver(vendor: str, *, system: str, distribution: str) -> OpenclDriver | None:
    """Return how to install an OpenCL driver.

    Args:
        vendor: short vendor name of the GPU.
        system: "linux" or "windows".
        distribution: family of the distribution ("debian", "fedora", "arch", "suse") or "".
    """
    for wanted in (distribution, ""):
        for row in _rows("opencl_drivers.csv"):
            key = (row["vendor"], row["system"], row["distribution"])
            if key == (vendor, system, wanted):
                return OpenclDriver(command=row["command"], environment=row["environment"] or None)
    return None
