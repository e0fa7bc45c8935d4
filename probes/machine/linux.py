"""Facts of a Linux machine, put together. Leaves to others: each single fact."""

from probes.machine.facts import MachineFacts
from probes.machine.linux_cpu import collect_cpu
from probes.machine.linux_graphics import collect_devices
from probes.machine.missing import list_closed_nodes
from probes.machine.power import collect_load, collect_memory, collect_power
from probes.machine.reader import Reader
from probes.machine.surroundings import (
    collect_os,
    find_distribution,
    read_chassis,
    read_os_release,
)


def collect_linux(reader: Reader) -> MachineFacts:
    """Return the facts of a Linux machine."""
    cpu, system = collect_cpu(reader), collect_os(reader)
    graphics, npus = collect_devices(reader, cpu_vendor=cpu.vendor)
    return MachineFacts(
        os=system,
        cpu=cpu,
        memory=collect_memory(reader),
        graphics=graphics,
        npus=npus,
        power=collect_power(reader),
        load=collect_load(reader),
        missing=list_closed_nodes(reader),
        distribution=find_distribution(read_os_release(reader)),
        chassis=None if system.hypervisor else read_chassis(reader),
    )
