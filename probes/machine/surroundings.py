"""Operating system of a Linux machine, and what it runs in: virtual machine, container, both.

Follows the order of systemd-detect-virt. Leaves to others: the container's limits (`cgroup`).
"""

from advisor.model.machine import Chassis, OperatingSystem, OsFamily
from probes.machine import text as parse
from probes.machine.reader import Reader
from probes.machine.tables import find_hypervisor

_DMI = "/sys/class/dmi/id"
_DMI_FILES = ("product_name", "sys_vendor", "board_vendor", "bios_vendor", "product_version")
# Types of enclosures by their numbers (SMBIOS 3.7, table 17): towers, racks, what is carried about,
# and what has no room for a card.
_CHASSIS = {
    **dict.fromkeys((3, 4, 5, 6, 7), Chassis.DESKTOP),
    **dict.fromkeys((8, 9, 10, 11, 14, 30, 31, 32), Chassis.PORTABLE),
    **dict.fromkeys((13, 15, 16, 24, 33, 34, 35, 36), Chassis.COMPACT),
    **dict.fromkeys((17, 23, 25, 28, 29), Chassis.SERVER),
}
_CONTAINER_WORDS = (
    ("kubepods", "kubernetes"),
    ("docker", "docker"),
    ("libpod", "podman"),
    ("containerd", "containerd"),
    ("lxc", "lxc"),
    ("garden", "garden"),
    ("machine.slice/systemd-nspawn", "systemd-nspawn"),
)
_FAMILIES = ("debian", "fedora", "arch", "suse")
_FAMILY_OF = {"ubuntu": "debian", "rhel": "fedora", "centos": "fedora", "opensuse": "suse"}


def collect_os(reader: Reader) -> OperatingSystem:
    """Return the operating system of a Linux machine."""
    release = read_os_release(reader)
    is_linux = reader.system == "Linux"
    name = parse.clean_name(release.get("NAME")) or reader.system or "unknown"
    return OperatingSystem(
        family=OsFamily.LINUX if is_linux else OsFamily.OTHER,
        name=name,
        version=parse.clean_name(release.get("VERSION_ID")),
        kernel=parse.clean_name(reader.release),
        architecture=reader.machine,
        hypervisor=find_running_hypervisor(reader),
        container=find_container(reader),
    )


def read_chassis(reader: Reader) -> Chassis | None:
    """Return what the firmware says that the machine is built into, None for anything else."""
    number = parse.parse_int(reader.read_text(f"{_DMI}/chassis_type"))
    return None if number is None else _CHASSIS.get(number)


def read_os_release(reader: Reader) -> dict[str, str]:
    """Return the pairs of os-release; empty when there is none."""
    text = reader.read_text("/etc/os-release") or reader.read_text("/usr/lib/os-release")
    return parse.parse_key_values(text)


def find_distribution(release: dict[str, str]) -> str:
    """Return the family of the distribution: "debian", "fedora", "arch", "suse" or ""."""
    words = f"{release.get('ID', '')} {release.get('ID_LIKE', '')}".lower().split()
    for word in words:
        short = word.split("-")[0]
        family = _FAMILY_OF.get(short, short)
        if family in _FAMILIES:
            return family
    return ""


def find_running_hypervisor(reader: Reader) -> str | None:
    """Return the hypervisor's name, "" on bare metal, None when the system does not tell."""
    if "microsoft" in reader.release.lower():
        return "wsl"
    flags = _cpu_flags(reader)
    if (reader.read_text(f"{_DMI}/product_name") or "").strip().endswith(".metal"):
        return ""
    named = _find_in_firmware(reader)
    # DMI of a bare machine may name a maker of hypervisors; the flag of the CPU decides on x86.
    if named is not None and ("hypervisor" in flags or "fpu" not in flags):
        return named
    kind = (reader.read_text("/sys/hypervisor/type") or "").strip()
    if kind:
        return kind
    if "hypervisor" in flags:
        return _find_by_clock(reader) or "vm-other"
    if flags & {"fpu", "sse2"}:
        return ""
    return _find_in_device_tree(reader)


def _cpu_flags(reader: Reader) -> frozenset[str]:
    for line in (reader.read_text("/proc/cpuinfo") or "").splitlines():
        if line.startswith("flags"):
            return frozenset(line.partition(":")[2].split())
    return frozenset()


def _find_in_firmware(reader: Reader) -> str | None:
    texts = {name: reader.read_text(f"{_DMI}/{name}") or "" for name in _DMI_FILES}
    if "microsoft" in texts["sys_vendor"].lower() and "virtual" in texts["product_name"].lower():
        return "hyperv"
    for name in _DMI_FILES:
        found = find_hypervisor(texts[name])
        if found is not None:
            return found
    return None


def _find_by_clock(reader: Reader) -> str | None:
    path = "/sys/devices/system/clocksource/clocksource0/available_clocksource"
    clocks = reader.read_text(path) or ""
    for word, hypervisor in (("kvm-clock", "kvm"), ("hyperv", "hyperv"), ("xen", "xen")):
        if word in clocks:
            return hypervisor
    return None


def _find_in_device_tree(reader: Reader) -> str | None:
    compatible = reader.read_text("/proc/device-tree/hypervisor/compatible")
    if compatible is not None:
        for word in ("kvm", "xen", "vmware"):
            if word in compatible:
                return word
        return "vm-other"
    model = reader.read_text("/proc/device-tree/model")
    if model is not None:
        return find_hypervisor(model) or ("kvm" if "linux,dummy-virt" in model else "")
    return "" if reader.exists(_DMI) else None


def find_container(reader: Reader) -> str | None:
    """Return the container's name, "" outside of one, None when the system does not tell."""
    if reader.environ.get("KUBERNETES_SERVICE_HOST"):
        return "kubernetes"
    if reader.exists("/run/.containerenv"):
        return "podman"
    groups = reader.read_text("/proc/1/cgroup")
    own_groups = reader.read_text("/proc/self/cgroup") or ""
    for word, container in _CONTAINER_WORDS:
        # A user's own container service is a group too: only the first process tells for sure.
        if word in (groups or "") or (word == "kubepods" and word in own_groups):
            return container
    told = parse.clean_name(reader.read_text("/run/systemd/container"))
    named = told or parse.clean_name(reader.environ.get("container"))
    if named is not None:
        return named
    if reader.exists("/.dockerenv"):
        return "docker"
    return "" if groups is not None else None
