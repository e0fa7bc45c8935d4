"""The GPUs of a machine among the rows: by their identity on the bus, their names, their processor.

Leaves to others: devices by a name (`advisor.knowledge.lookup`), what the rows mean.
"""

import re
from collections.abc import Iterator

from advisor.knowledge.lookup import find_device, has_units
from advisor.knowledge.store import Knowledge
from advisor.model.machine import DeviceKind, GraphicsDevice
from advisor.model.published import DeviceSpec, GpuFamily

# Products that share a name of the bus are told apart by their units; where those are not known
# the slowest stands for all whose peaks differ by no more than this.
_LARGEST_PEAK_RATIO = 1.5


def find_gpu(
    knowledge: Knowledge,
    gpu: GraphicsDevice,
    *,
    cpu_brand: str,
    compute_units: int | None = None,
) -> DeviceSpec | None:
    """Return the specification of a machine's GPU.

    The bus often gives one name to several products: "Navi 31 [Radeon RX 7900 XT/7900 XTX]". An
    integrated GPU is found by the processor that it sits in, too: "... w/ Radeon 8060S".

    Args:
        knowledge: facts to search.
        gpu: of the machine.
        cpu_brand: of its processor.
        compute_units: as OpenCL reports them, where the bus does not.
    """
    names = [gpu.name]
    if gpu.kind is DeviceKind.IGPU:
        names.append(cpu_brand.partition("@")[0])
    units = gpu.compute_units or compute_units
    for name in names:
        spec = find_device(knowledge, name, kind=gpu.kind, compute_units=units)
        if spec is not None:
            return spec
    return _one_of_several(knowledge, gpu, units)


def _one_of_several(
    knowledge: Knowledge, gpu: GraphicsDevice, units: int | None
) -> DeviceSpec | None:
    named = (
        find_device(knowledge, name, kind=gpu.kind, compute_units=units)
        for name in _products(gpu.name)
    )
    found = [spec for spec in named if spec is not None and spec.peak_fp32_flop_per_s]
    if units is not None:
        found = [spec for spec in found if has_units(spec, units)] or found
    peaks = [spec.peak_fp32_flop_per_s or 0.0 for spec in found]
    if not peaks or max(peaks) > _LARGEST_PEAK_RATIO * min(peaks):
        return None
    return min(found, key=lambda spec: (spec.peak_fp32_flop_per_s or 0.0, spec.device))


def _products(name: str) -> Iterator[str]:
    """Yield the names that stand in brackets with a stroke between, each with its series."""
    for listed in re.findall(r"\[([^\]]*/[^\]]*)\]", name):
        series = ""
        for part in re.split(r"\s*/\s*", listed):
            words = re.match(r"\D*", part)
            if words and words.group().strip():
                series = words.group()
                yield part
            else:
                yield series + part


def find_gpu_family(
    knowledge: Knowledge,
    *,
    pci_vendor_id: str | None,
    pci_device_id: str | None,
    name: str | None,
) -> GpuFamily | None:
    """Return the family of a GPU by its PCI identity, else by its name.

    Args:
        knowledge: facts to search.
        pci_vendor_id: four hex digits, None unknown; a family of another vendor never matches.
        pci_device_id: four hex digits, None unknown.
        name: of the device, None unknown.
    """
    families = [
        family
        for family in knowledge.gpu_families
        if pci_vendor_id is None
        or family.pci_vendor_id is None
        or family.pci_vendor_id.lower() == pci_vendor_id.lower()
    ]
    if pci_vendor_id is not None and pci_device_id is not None:
        for family in families:
            if family.pci_vendor_id is not None and _has_id(family, int(pci_device_id, 16)):
                return family
    if name is None:
        return None
    plain = " ".join(re.sub(r"\((?:r|tm)\)|[®™]", " ", name, flags=re.IGNORECASE).split())
    spaced = re.sub(r"\b(gtx|rtx|rx|hd|uhd)(?=\d)", r"\1 ", plain, flags=re.IGNORECASE)
    spellings = tuple(dict.fromkeys((name, plain, spaced)))
    for family in families:
        for spelling in spellings:
            if re.search(family.name_pattern, spelling, flags=re.IGNORECASE):
                return family
    return None


def _has_id(family: GpuFamily, device_id: int) -> bool:
    return any(_is_within(entry, device_id) for entry in family.pci_device_ids)


def _is_within(ids: str, device_id: int) -> bool:
    first, _, last = ids.partition("-")
    return int(first, 16) <= device_id <= int(last or first, 16)


def rocm_target(family: GpuFamily, *, pci_device_id: str | None) -> str | None:
    """Return AMD's name of a chip ("gfx1100"), as its packages are called; None: not known.

    Args:
        family: of the GPU.
        pci_device_id: four hex digits, None unknown.
    """
    if pci_device_id is None:
        return None
    for entry in family.rocm_targets:
        target, _, ids = entry.partition(":")
        if _is_within(ids, int(pci_device_id, 16)):
            return target
    return None
