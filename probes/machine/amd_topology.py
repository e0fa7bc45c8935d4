"""Compute units and clocks of AMD GPUs from the topology that the amdkfd driver publishes.

Leaves to others: which device on the bus a node belongs to (`linux_graphics`).
"""

from dataclasses import dataclass

from probes.machine import text as parse
from probes.machine.reader import Reader

_FOLDER = "/sys/class/kfd/kfd/topology/nodes"
_MAX_NODES = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class TopologyNode:
    """One GPU of the topology; `location` is the PCI bus/device/function number."""

    device_id: str
    location: int | None
    compute_units: int | None
    max_mhz: float | None

    def matches(self, address: str, *, device_id: str) -> bool:
        """Tell whether this node is the device at a PCI address ("0000:00:01.0")."""
        if device_id != self.device_id:
            return False
        place = _parse_address(address)
        return place is None or self.location in (None, place)


def read_topology(reader: Reader) -> tuple[TopologyNode, ...]:
    """Return the GPU nodes; empty without the driver."""
    nodes = []
    for name in reader.list_dir(_FOLDER)[:_MAX_NODES]:
        node = parse_node(reader.read_text(f"{_FOLDER}/{name}/properties"))
        if node is not None:
            nodes.append(node)
    return tuple(nodes)


def parse_node(text: str | None) -> TopologyNode | None:
    """Return the GPU that a text of `properties` describes, None for a CPU or garbage."""
    values = {
        key: parse.parse_int(value)
        for key, value in parse.parse_key_values(text, separator=" ").items()
    }
    device_id = values.get("device_id")
    if not device_id or not 0 < device_id <= 0xFFFF:
        return None
    simds = parse.positive_int(values.get("simd_count"))
    per_unit = parse.positive_int(values.get("simd_per_cu"))
    units = simds // per_unit if simds is not None and per_unit is not None else None
    clock = values.get("max_engine_clk_fcompute")
    return TopologyNode(
        device_id=f"{device_id:04x}",
        location=values.get("location_id"),
        compute_units=parse.positive_int(units),
        max_mhz=float(clock) if clock is not None and 50 <= clock <= 6000 else None,
    )


def _parse_address(address: str) -> int | None:
    """Return bus, device and function of a PCI address as one number."""
    parts = address.replace(".", ":").split(":")
    numbers = [parse.parse_int(part, base=16) for part in parts]
    if len(numbers) != 4 or any(number is None or number < 0 for number in numbers):
        return None
    _, bus, device, function = (number or 0 for number in numbers)
    return bus << 8 | device << 3 | function
