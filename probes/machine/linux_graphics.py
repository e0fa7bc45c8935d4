"""Every GPU and NPU of a Linux machine, with or without a driver.

GPUs on the PCI bus are found by their class, those of ARM boards through the DRM devices. A
virtual display adapter or that of a server's management chip is no compute device: kind OTHER.
Leaves to others: what OpenCL offers (`opencl`) and what is missing for it (`missing`).
"""

import re
from dataclasses import dataclass

from advisor.model.machine import DeviceKind, GraphicsDevice, Npu
from probes.machine import text as parse
from probes.machine.amd_topology import TopologyNode, read_topology
from probes.machine.pci_names import read_pci_names
from probes.machine.reader import Reader
from probes.machine.tables import find_pci_device, find_pci_vendor, find_soc_gpu

_PCI_FOLDER = "/sys/bus/pci/devices"
_DRM_FOLDER = "/sys/class/drm"
_NVIDIA_FOLDER = "/proc/driver/nvidia/gpus"
_DISPLAY_CLASS = 0x03
_ACCELERATOR_CLASS = 0x12
_MAX_DEVICES = 64

# An AMD GPU that the table does not know and that has less memory of its own is taken for a part
# of the processor.
_SMALL_CARVE_OUT_BYTES = 1 << 30
_AMD, _INTEL, _NVIDIA = "1002", "8086", "10de"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Slot:
    """One function on the PCI bus."""

    address: str
    vendor_id: str
    device_id: str
    kind: DeviceKind
    driver: str | None

    @property
    def folder(self) -> str:
        return f"{_PCI_FOLDER}/{self.address}"


def collect_devices(
    reader: Reader, *, cpu_vendor: str | None
) -> tuple[tuple[GraphicsDevice, ...], tuple[Npu, ...]]:
    """Return the GPUs and the NPUs of the machine.

    Args:
        reader: the machine.
        cpu_vendor: short vendor name of the CPU; helps to tell an iGPU from a card.
    """
    slots = _read_slots(reader, cpu_vendor=cpu_vendor)
    names = read_pci_names(reader, ((slot.vendor_id, slot.device_id) for slot in slots))
    nodes = read_topology(reader)
    graphics: list[GraphicsDevice] = []
    npus: list[Npu] = []
    for slot in slots:
        system_name = names.get((slot.vendor_id, slot.device_id)) or _driver_name(reader, slot)
        name = _name(slot, system_name)
        if slot.kind is DeviceKind.NPU:
            vendor = find_pci_vendor(slot.vendor_id)
            number = f"npu{len(npus)}"
            npus.append(Npu(id=number, vendor=vendor, name=name, kernel_driver=slot.driver))
        else:
            number = f"gpu{len(graphics)}"
            graphics.append(_describe(reader, slot, name=name, number=number, nodes=nodes))
    graphics += _read_soc_gpus(reader, first_number=len(graphics))
    npus += _read_soc_npus(reader, first_number=len(npus))
    return tuple(graphics), tuple(npus)


def _read_slots(reader: Reader, *, cpu_vendor: str | None) -> tuple[_Slot, ...]:
    slots: list[_Slot] = []
    for address in reader.list_dir(_PCI_FOLDER):
        folder = f"{_PCI_FOLDER}/{address}"
        code = parse.parse_int(reader.read_text(f"{folder}/class"), base=16)
        vendor_id = parse.parse_hex_id(reader.read_text(f"{folder}/vendor"))
        device_id = parse.parse_hex_id(reader.read_text(f"{folder}/device"))
        if code is None or vendor_id is None or device_id is None:
            continue
        known = find_pci_device(vendor_id, device_id=device_id)
        is_npu = known is not None and known.kind is DeviceKind.NPU
        if code >> 16 not in (_DISPLAY_CLASS, _ACCELERATOR_CLASS) and not is_npu:
            continue
        kind = _classify(
            reader,
            address=address,
            identity=(vendor_id, device_id),
            pci_class=code >> 16,
            cpu_vendor=cpu_vendor,
        )
        driver = reader.link_name(f"{folder}/driver")
        slots.append(
            _Slot(
                address=address,
                vendor_id=vendor_id,
                device_id=device_id,
                kind=kind,
                driver=driver,
            )
        )
    return tuple(slots[:_MAX_DEVICES])


def _classify(
    reader: Reader,
    *,
    address: str,
    identity: tuple[str, str],
    pci_class: int,
    cpu_vendor: str | None,
) -> DeviceKind:
    vendor_id, device_id = identity
    known = find_pci_device(vendor_id, device_id=device_id)
    if known is not None:
        return known.kind
    if vendor_id == _NVIDIA:
        return DeviceKind.DGPU
    if vendor_id == _INTEL and pci_class == _DISPLAY_CLASS:
        # The processor's own GPU is always on the root bus; a card never is.
        return DeviceKind.IGPU if address.split(":")[1:2] == ["00"] else DeviceKind.DGPU
    if vendor_id == _AMD:
        return _classify_amd(reader, f"{_PCI_FOLDER}/{address}", cpu_vendor=cpu_vendor)
    return DeviceKind.OTHER


def _classify_amd(reader: Reader, folder: str, *, cpu_vendor: str | None) -> DeviceKind:
    """Tell an APU's GPU from a card where the identity is newer than the table."""
    maker = (reader.read_text(f"{folder}/mem_info_vram_vendor") or "").strip().lower()
    if maker not in ("", "unknown"):
        return DeviceKind.DGPU
    own_bytes = parse.parse_int(reader.read_text(f"{folder}/mem_info_vram_total"))
    is_small = own_bytes is not None and own_bytes <= _SMALL_CARVE_OUT_BYTES
    return DeviceKind.IGPU if is_small and cpu_vendor == "AMD" else DeviceKind.DGPU


def _driver_name(reader: Reader, slot: _Slot) -> str | None:
    """Return the product as NVIDIA's kernel driver calls it, None with any other driver."""
    text = reader.read_text(f"{_NVIDIA_FOLDER}/{slot.address}/information") or ""
    model = re.search(r"^Model:\s*(.+)$", text, re.MULTILINE)
    return parse.clean_name(model.group(1)) if model else None


def _name(slot: _Slot, system_name: str | None) -> str:
    known = find_pci_device(slot.vendor_id, device_id=slot.device_id)
    if system_name is not None:
        return system_name
    if known is not None and known.name is not None:
        return known.name
    vendor = find_pci_vendor(slot.vendor_id) or "unknown"
    return f"{vendor} device {slot.vendor_id}:{slot.device_id}"


def _describe(
    reader: Reader, slot: _Slot, *, name: str, number: str, nodes: tuple[TopologyNode, ...]
) -> GraphicsDevice:
    node = next((n for n in nodes if n.matches(slot.address, device_id=slot.device_id)), None)
    own = parse.parse_int(reader.read_text(f"{slot.folder}/mem_info_vram_total"))
    shared = parse.parse_int(reader.read_text(f"{slot.folder}/mem_info_gtt_total"))
    clock = _read_clock(reader, slot.folder)
    if clock is None and node is not None:
        clock = node.max_mhz
    return GraphicsDevice(
        id=number,
        kind=slot.kind,
        vendor=find_pci_vendor(slot.vendor_id),
        name=name,
        pci_vendor_id=slot.vendor_id,
        pci_device_id=slot.device_id,
        kernel_driver=slot.driver,
        carve_out_bytes=parse.positive_int(own),
        shared_limit_bytes=parse.positive_int(shared),
        compute_units=node.compute_units if node is not None else None,
        max_mhz=clock,
    )


def _read_clock(reader: Reader, folder: str) -> float | None:
    """Return the highest clock in MHz that amdgpu, i915 or xe tell."""
    levels = parse_clock_levels(reader.read_text(f"{folder}/pp_dpm_sclk"))
    if levels is not None:
        return levels
    cards = [name for name in reader.list_dir(f"{folder}/drm") if name.startswith("card")]
    paths = [f"{folder}/drm/{card}/gt_RP0_freq_mhz" for card in cards]
    paths += [f"{folder}/drm/{card}/gt_max_freq_mhz" for card in cards]
    paths.append(f"{folder}/tile0/gt0/freq0/rp0_freq")
    for path in paths:
        clock = parse.parse_float(reader.read_text(path))
        if clock is not None and 50 <= clock <= 6000:
            return clock
    return None


def parse_clock_levels(text: str | None) -> float | None:
    """Return the highest clock in MHz in a table of amdgpu ("1: 720Mhz *")."""
    clocks = []
    for line in (text or "").splitlines()[:64]:
        word = line.partition(":")[2].strip().split(" ")[0].lower()
        clock = parse.parse_float(word.removesuffix("mhz")) if word.endswith("mhz") else None
        if clock is not None and 50 <= clock <= 6000:
            clocks.append(clock)
    return max(clocks, default=None)


def _read_soc_gpus(reader: Reader, *, first_number: int) -> list[GraphicsDevice]:
    """Return the GPUs that are no PCI devices, each once however many DRM nodes it has."""
    found: dict[tuple[str, str], str | None] = {}
    for entry in reader.list_dir(_DRM_FOLDER)[:_MAX_DEVICES]:
        if not entry.startswith(("card", "renderD")) or "-" in entry:
            continue
        folder = f"{_DRM_FOLDER}/{entry}/device"
        text = reader.read_text(f"{folder}/of_node/compatible") or ""
        words = tuple(word for word in text.replace("\n", "\0").split("\0") if word)
        gpu = find_soc_gpu(words)
        if gpu is not None:
            found.setdefault(gpu, reader.link_name(f"{folder}/driver"))
    return [
        GraphicsDevice(
            id=f"gpu{first_number + index}",
            kind=DeviceKind.IGPU,
            vendor=vendor,
            name=name,
            pci_vendor_id=None,
            pci_device_id=None,
            kernel_driver=driver,
            carve_out_bytes=None,
            shared_limit_bytes=None,
            compute_units=None,
            max_mhz=None,
        )
        for index, ((vendor, name), driver) in enumerate(found.items())
    ]


def _read_soc_npus(reader: Reader, *, first_number: int) -> list[Npu]:
    """Return accelerators outside the PCI bus; those on it are already found by their identity."""
    npus: list[Npu] = []
    for entry in reader.list_dir("/sys/class/accel")[:_MAX_DEVICES]:
        folder = f"/sys/class/accel/{entry}/device"
        if reader.read_text(f"{folder}/class") is not None:
            continue
        text = reader.read_text(f"{folder}/of_node/compatible") or ""
        name = parse.clean_name(text.replace("\0", " ").replace("\n", " ")) or f"device {entry}"
        driver = reader.link_name(f"{folder}/driver")
        number = f"npu{first_number + len(npus)}"
        npus.append(Npu(id=number, vendor=None, name=name, kernel_driver=driver))
    return npus
