"""What a name of an architecture means: "zen3", "Skylake", "rdna2", "Ampere", "gfx1030".

It is looked for among the architectures of the devices, the rows of processors and the families of
GPUs. A part of a name is enough where what is left out is no number: "ada" is Ada Lovelace, "zen"
is not Zen 3.
Leaves to others: names of products and of software (`advisor.compare.explain`).
"""

import re
from collections.abc import Iterable, Iterator

from advisor.knowledge.graphics import find_gpu_family
from advisor.knowledge.store import Knowledge
from advisor.model.explanation import DeviceFacts
from advisor.model.machine import DeviceKind
from advisor.model.published import CpuIsaRow, DeviceSpec, GpuFamily
from advisor.predict.hardware import isa_row

# Words of the tables that name no architecture by themselves.
_NO_NAMES = frozenset((
    "and", "with", "without", "in", "on", "of", "the", "newer", "older", "not", "family", "client",
    "core", "cores", "apu", "gpu", "cpu", "cu", "bit", "npu", "tpu", "igpu", "lake", "bridge",
    "rapids", "cove", "well", "sea", "southern", "islands", "edge", "neural", "accelerators",
    "intel", "amd", "arm", "apple", "nvidia", "macs", "mac", "metal", "pro", "radeon", "mobile",
    "gen", "sm", "xmx", "mtl", "little", "wildcat", "p", "sp", "x", "hybrid",
))  # fmt: skip
# What several names in one row end in: "Kaby / Coffee / Comet Lake".
_SHARED = ("Lake", "Bridge", "Rapids")
_FAMILY_KINDS = {"igpu": DeviceKind.IGPU, "dgpu": DeviceKind.DGPU, "npu": DeviceKind.NPU}

_Words = tuple[str, ...]


def architectures_of(name: str, *, knowledge: Knowledge) -> tuple[DeviceFacts, ...]:
    """Return what is known of an architecture of processors or GPUs, one for each row; () if none.

    Args:
        name: in any spelling.
        knowledge: the facts.
    """
    wanted = _words(name)
    if all(word in _NO_NAMES for word in wanted):
        return ()
    return (*_processors(wanted, knowledge), *_graphics(wanted, knowledge))


def architecture_names(knowledge: Knowledge) -> tuple[str, ...]:
    """Return the architectures that can be asked for, each as most rows spell it."""
    names = [spec.architecture for spec in knowledge.devices if spec.architecture]
    names += [" ".join(part) for row in knowledge.cpu_isa for part in _parts_of(row)]
    known: dict[str, str] = {}
    for name in names:
        words = _words(name)
        if not all(word in _NO_NAMES for word in words):
            known.setdefault("".join(words), name)
    return tuple(sorted(known.values(), key=str.lower))


def _words(text: str) -> _Words:
    """Return the words and numbers of a name: "RDNA 2.0" and "rdna2" are the same two."""
    words = re.findall(r"[a-z]+\+?|\d+(?:\.\d+)?\+?", text.lower().replace("generation", "gen"))
    return tuple(word.removesuffix(".0") for word in words)


def _is_named(wanted: _Words, known: str) -> bool:
    """Whether a name holds the words that are wanted and beside them no number."""
    words, joined = _words(known), "".join(wanted)
    for first in range(len(words)):
        for last in range(first + 1, len(words) + 1):
            left = (*words[:first], *words[last:])
            if "".join(words[first:last]) == joined:
                return not any(word[0].isdigit() for word in left)
    return False


def _parts_of(row: CpuIsaRow) -> Iterator[_Words]:
    """Yield the names in a row's own one: "Skylake / Kaby / Comet Lake client" are three."""
    for name in re.findall(r"\(([^)]*)\)", row.microarchitecture):
        yield from (tuple(each.split()) for each in name.split(","))
    plain = re.sub(r"\(.*?\)|\bclient\b|\bP-core\b", "", row.microarchitecture)
    parts = [part.split() for part in plain.split("/")]
    family = parts[-1][-1] if len(parts[-1]) > 1 else ""
    for part in parts:
        if len(part) > 1 or part == parts[0] == parts[-1]:
            yield tuple(part)
        elif re.fullmatch(r"[A-Z]\d*", part[0]):
            # "Cortex-A53 / A55", "Apple M1 / M2", "Skylake-SP/X"
            yield (re.sub(r"[A-Z]+\d*$", part[0], " ".join(parts[0])),)
        elif family in _SHARED and not part[0].lower().endswith(family.lower()):
            yield (part[0], family)
        else:
            yield tuple(part)


def _is_row(wanted: _Words, row: CpuIsaRow) -> bool:
    names = (*row.archspec_names, *(" ".join(part) for part in _parts_of(row)))
    return any(_is_named(wanted, name) for name in names)


def _processors(wanted: _Words, knowledge: Knowledge) -> Iterator[DeviceFacts]:
    members: dict[str, list[str]] = {}
    rows = {row.microarchitecture: row for row in knowledge.cpu_isa if _is_row(wanted, row)}
    for spec in _specs(wanted, knowledge):
        if spec.kind is DeviceKind.CPU and spec.architecture:
            row = _row_of(spec, rows.values(), knowledge)
            name = spec.architecture if row is None else row.microarchitecture
            members.setdefault(name, []).append(spec.device)
            if row is not None:
                rows.setdefault(name, row)
    for name in dict.fromkeys((*rows, *members)):
        yield DeviceFacts(
            name=name, kind=DeviceKind.CPU, spec=None, isa=rows.get(name), family=None,
            members=tuple(members.get(name, ())), is_architecture=True,
        )  # fmt: skip


def _row_of(spec: DeviceSpec, rows: Iterable[CpuIsaRow], knowledge: Knowledge) -> CpuIsaRow | None:
    """Return the row of a processor; servers and desktops of one name differ by their rate."""
    row = isa_row(knowledge, microarchitecture=spec.architecture)
    rate = spec.fp32_flop_per_cycle_per_core
    if row is None or rate not in (None, row.fp32_flop_per_cycle_per_core):
        alike = [each for each in rows if rate in (None, each.fp32_flop_per_cycle_per_core)]
        return alike[0] if len(alike) == 1 else row
    return row


def _graphics(wanted: _Words, knowledge: Knowledge) -> Iterator[DeviceFacts]:
    members: dict[str, list[DeviceSpec]] = {}
    families: dict[str, GpuFamily] = {
        family.id: family for family in knowledge.gpu_families if _is_family(wanted, family)
    }
    for spec in _specs(wanted, knowledge):
        if spec.kind is not DeviceKind.CPU and spec.architecture:
            family = find_gpu_family(
                knowledge, pci_vendor_id=None, pci_device_id=None, name=spec.device
            )
            members.setdefault(spec.architecture if family is None else family.id, []).append(spec)
            if family is not None:
                families.setdefault(family.id, family)
    for key in dict.fromkeys((*families, *members)):
        specs, family = members.get(key, []), families.get(key)
        kinds = {spec.kind for spec in specs}
        kind = kinds.pop() if len(kinds) == 1 else DeviceKind.OTHER
        if family is not None:
            kind = _FAMILY_KINDS.get(family.kind, kind)
        yield DeviceFacts(
            name=key if family is None else family.architecture, kind=kind, spec=None, isa=None,
            family=family, members=tuple(spec.device for spec in specs), is_architecture=True,
        )  # fmt: skip


def _specs(wanted: _Words, knowledge: Knowledge) -> Iterator[DeviceSpec]:
    for spec in knowledge.devices:
        if spec.architecture and _is_named(wanted, spec.architecture):
            yield spec


def _is_family(wanted: _Words, family: GpuFamily) -> bool:
    parts = re.split(r"[,/()]|\band\b", family.architecture)
    return any(_is_named(wanted, part) for part in parts)
