import pytest

from advisor.model.machine import Chassis
from probes.machine.collect import collect_profile
from probes.machine.surroundings import (
    collect_os,
    find_container,
    find_distribution,
    find_running_hypervisor,
    read_chassis,
)

GUEST = "flags : fpu sse2 hypervisor\n"
BARE = "flags : fpu sse2\n"
DMI = "/sys/class/dmi/id"
CLOCK = "/sys/devices/system/clocksource/clocksource0/available_clocksource"


@pytest.mark.parametrize(
    ("files", "hypervisor"),
    [
        ({"/proc/cpuinfo": BARE, f"{DMI}/sys_vendor": "LENOVO"}, ""),
        ({"/proc/cpuinfo": GUEST, f"{DMI}/sys_vendor": "QEMU"}, "qemu"),
        ({"/proc/cpuinfo": GUEST, f"{DMI}/sys_vendor": "VMware, Inc."}, "vmware"),
        ({"/proc/cpuinfo": GUEST, f"{DMI}/product_name": "VirtualBox"}, "virtualbox"),
        ({"/proc/cpuinfo": GUEST, f"{DMI}/sys_vendor": "Amazon EC2"}, "kvm"),
        (
            {
                "/proc/cpuinfo": GUEST,
                f"{DMI}/sys_vendor": "Amazon EC2",
                f"{DMI}/product_name": "c5.metal\n",
            },
            "",
        ),
        (
            {
                "/proc/cpuinfo": GUEST,
                f"{DMI}/sys_vendor": "Microsoft Corporation",
                f"{DMI}/product_name": "Virtual Machine",
            },
            "hyperv",
        ),
        ({"/proc/cpuinfo": BARE, f"{DMI}/sys_vendor": "Oracle Corporation"}, ""),
        ({"/proc/cpuinfo": BARE, "/sys/hypervisor/type": "xen\n"}, "xen"),
        ({"/proc/cpuinfo": GUEST, CLOCK: "kvm-clock tsc\n"}, "kvm"),
        ({"/proc/cpuinfo": GUEST, CLOCK: "hyperv_clocksource_tsc_page\n"}, "hyperv"),
        ({"/proc/cpuinfo": GUEST}, "vm-other"),
        ({"/proc/device-tree/hypervisor/compatible": "xen,xen-4.11\0"}, "xen"),
        ({"/proc/device-tree/hypervisor/compatible": "new\0"}, "vm-other"),
        ({"/proc/device-tree/model": "linux,dummy-virt\0"}, "kvm"),
        ({"/proc/device-tree/model": "Raspberry Pi 5\0"}, ""),
        ({}, None),
    ],
)
def test_hypervisors(make_machine, files, hypervisor):
    assert find_running_hypervisor(make_machine(files)) == hypervisor


def test_windows_subsystem(make_machine):
    reader = make_machine({"/proc/cpuinfo": GUEST}, release="5.15.90-microsoft-standard-WSL2")
    assert find_running_hypervisor(reader) == "wsl"


@pytest.mark.parametrize(
    ("files", "environ", "container"),
    [
        ({"/.dockerenv": "", "/proc/1/cgroup": "0::/\n"}, {}, "docker"),
        ({"/run/.containerenv": "", "/proc/1/cgroup": "0::/\n"}, {}, "podman"),
        ({"/proc/1/cgroup": "1:cpu:/docker/0123\n"}, {}, "docker"),
        ({"/proc/1/cgroup": "0::/kubepods.slice/x\n"}, {}, "kubernetes"),
        ({"/proc/1/cgroup": "0::/\n"}, {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, "kubernetes"),
        ({"/proc/1/cgroup": "0::/\n"}, {"container": "lxc"}, "lxc"),
        ({"/run/systemd/container": "systemd-nspawn\n"}, {}, "systemd-nspawn"),
        ({"/proc/1/cgroup": "0::/init.scope\n"}, {}, ""),
        (
            {"/proc/1/cgroup": "0::/init.scope\n", "/proc/self/cgroup": "0::/docker.service\n"},
            {},
            "",
        ),
        ({}, {}, None),
    ],
)
def test_containers(make_machine, files, environ, container):
    assert find_container(make_machine(files, environ=environ)) == container


def test_a_container_in_a_virtual_machine_is_told_as_both(make_machine):
    files = {"/proc/cpuinfo": GUEST, CLOCK: "kvm-clock", "/.dockerenv": "", "/proc/1/cgroup": ""}
    system = collect_os(make_machine(files))
    assert (system.hypervisor, system.container) == ("kvm", "docker")


@pytest.mark.parametrize(
    ("release", "family"),
    [
        ({"ID": "ubuntu", "ID_LIKE": "debian"}, "debian"),
        ({"ID": "linuxmint", "ID_LIKE": "ubuntu debian"}, "debian"),
        ({"ID": "rocky", "ID_LIKE": "rhel centos fedora"}, "fedora"),
        ({"ID": "manjaro", "ID_LIKE": "arch"}, "arch"),
        ({"ID": "opensuse-tumbleweed", "ID_LIKE": "opensuse suse"}, "suse"),
        ({"ID": "nixos"}, ""),
        ({}, ""),
    ],
)
def test_distributions(release, family):
    assert find_distribution(release) == family


@pytest.mark.parametrize(
    ("text", "chassis"),
    [
        ("3\n", Chassis.DESKTOP),
        ("10\n", Chassis.PORTABLE),
        ("35\n", Chassis.COMPACT),
        ("23\n", Chassis.SERVER),
        ("2\n", None),  # "unknown" in the firmware's own words
        ("999\n", None),
        ("tower\n", None),
        (None, None),
    ],
)
def test_the_firmware_tells_the_case(make_machine, text, chassis):
    files = {} if text is None else {f"{DMI}/chassis_type": text}
    assert read_chassis(make_machine(files)) is chassis


@pytest.mark.parametrize(("flags", "chassis"), [(BARE, Chassis.COMPACT), (GUEST, None)])
def test_a_guest_has_no_case(make_machine, flags, chassis):
    reader = make_machine({"/proc/cpuinfo": flags, f"{DMI}/chassis_type": "35\n"})
    profile = collect_profile(reader, today="2026-11-24", list_opencl=None)
    assert profile.chassis is chassis
