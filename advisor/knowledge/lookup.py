"""Finding rows by names that machines and people use. A doubtful name finds nothing.

Leaves to others: reducing a name to its words (`advisor.knowledge.names`), the GPUs of a machine
(`advisor.knowledge.graphics`), what the rows mean.
"""

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from advisor.knowledge.names import Reading, Words, read_name
from advisor.knowledge.store import Knowledge
from advisor.model.machine import DeviceKind
from advisor.model.published import (
    Comparability,
    CpuIsaRow,
    DeviceSpec,
    PastSystem,
    PublishedResult,
    ResultPhase,
)

# Members of a family whose peaks differ by less are one product for our purpose: the slowest
# is taken. Beyond it the name is ambiguous. Graphics of one name come at several clocks; cards
# of one name are the same only when they differ in memory size alone.
LARGEST_PEAK_RATIO_IGPU = 1.35
LARGEST_PEAK_RATIO = 1.06

# Words of a row that a shorter spelling may leave out, and words of a spelling that add nothing.
_OPTIONAL = re.compile(r"\d+gb|pcie|sxm\d?|generation|instinct|quadro")
_OPTIONAL_IGPU = re.compile(r"\d+eu|g\d|mobile|embedded")
_OPTIONAL_APPLE = re.compile(r"\d+")
_OPTIONAL_BOARD = re.compile(r"model|b")
# A processor's class may be left out where its model is told: "ryzen 3600", "8845hs".
_OPTIONAL_CLASS = re.compile(r"ryzen|[3579]|i[3579]|celeron|pentium|xeon|ultra|threadripper|epyc")
_TELLING_MODEL = re.compile(r"\d{4,5}[a-z]+\d?[a-z]*|[a-z]\d{4,5}|e\d")
_EXTRA = re.compile(r"\d+gb|pcie|hbm\d?e?|model|b|le|oc")
_GIB = 2**30
# Vendors whose names betray them (`advisor.knowledge.names`).
_KNOWN_VENDORS = ("AMD", "Intel", "NVIDIA")
# Shader counts of one compute unit as OpenCL drivers report them.
_SHADERS_PER_UNIT = {"AMD": (64,), "Apple": (128,), "Intel": (8,), "NVIDIA": (64, 128, 192)}

# Flags that a CPU must show when its row of the table speaks of the extension.
_SIMD_FLAGS = (("AMX", "amx_tile"), ("AVX-512", "avx512f"), ("AVX2", "avx2"))


def find_device(
    knowledge: Knowledge,
    name: str,
    *,
    kind: DeviceKind | None = None,
    compute_units: int | None = None,
) -> DeviceSpec | None:
    """Return the specification of a device by any spelling of its name.

    Args:
        knowledge: facts to search.
        name: as a driver, the operating system or a person spells it.
        kind: what is looked for. None: a processor's name means its CPU, not its graphics.
        compute_units: as OpenCL reports them; tells members of a family apart.

    Returns:
        None when no row fits, or when several fit that differ too much.
    """
    if kind is not None:
        return _find_of_kind(knowledge.devices, name, kind, compute_units)
    cpu = _find_of_kind(knowledge.devices, name, DeviceKind.CPU, compute_units)
    if cpu is not None:
        return cpu
    others = [other for other in DeviceKind if other is not DeviceKind.CPU]
    found = [_find_of_kind(knowledge.devices, name, other, compute_units) for other in others]
    certain = [spec for spec in found if spec is not None]
    return certain[0] if len(certain) == 1 else None


def _find_of_kind(
    devices: Sequence[DeviceSpec], name: str, kind: DeviceKind, compute_units: int | None
) -> DeviceSpec | None:
    reading = read_name(name, kind)
    if not reading.words:
        return None
    exact: list[DeviceSpec] = []
    loose: list[DeviceSpec] = []
    for spec in _with_a_word(devices, reading, kind):
        if _is_of_other_vendor(reading, spec):
            continue
        match = _match(reading, spec)
        if match == "exact":
            exact.append(spec)
        elif match == "loose":
            loose.append(spec)
    if compute_units is not None:
        # What the driver counts says more than a name that people use for the usual form.
        for specs in (exact, loose):
            counted = [spec for spec in specs if has_units(spec, compute_units)]
            if counted:
                return _one(counted)
    return _one(exact or loose)


# The last rows that were searched, and where each word of a name stands among those of a kind.
_Places = Mapping[tuple[DeviceKind, str], Sequence[int]]
_last: tuple[Sequence[DeviceSpec], _Places] = ((), {})


def _with_a_word(
    devices: Sequence[DeviceSpec], reading: Reading, kind: DeviceKind
) -> Iterator[DeviceSpec]:
    """Yield the rows of a kind that share a word with a name, in order: no other can match."""
    global _last  # noqa: PLW0603 - thousands of names are looked up in the same rows
    searched, places = _last
    if searched is not devices:
        places = _places_of(devices)
        _last = (devices, places)
    words = frozenset().union(*reading.words)
    for place in sorted({place for word in words for place in places.get((kind, word), ())}):
        yield devices[place]


def _places_of(devices: Sequence[DeviceSpec]) -> _Places:
    places: dict[tuple[DeviceKind, str], list[int]] = {}
    for place, spec in enumerate(devices):
        spellings = (spec.device, *spec.aliases)
        known = [words for name in spellings for words in _row_words(name, spec.kind)]
        for word in frozenset().union(*known):
            places.setdefault((spec.kind, word), []).append(place)
    return places


def _is_of_other_vendor(reading: Reading, spec: DeviceSpec) -> bool:
    return (
        reading.vendor is not None
        and spec.vendor in _KNOWN_VENDORS
        and spec.vendor != reading.vendor
    )


def _match(reading: Reading, spec: DeviceSpec) -> str | None:
    is_loose = False
    for spelling in (spec.device, *spec.aliases):
        for words in _row_words(spelling, spec.kind):
            for asked in reading.words:
                if words == asked:
                    return "exact"
                is_loose = is_loose or _is_loose_match(asked, words, spec)
    return "loose" if is_loose else None


def _row_words(spelling: str, kind: DeviceKind) -> tuple[Words, ...]:
    """Return the words of a row; only of a CPU what stands in parentheses may be left out."""
    words = read_name(spelling, kind).words
    return words if kind is DeviceKind.CPU else words[:1]


def _is_loose_match(asked: Words, words: Words, spec: DeviceSpec) -> bool:
    """Tell whether the two differ only in words that do not tell products apart."""
    if not asked & words:
        return False
    is_told = spec.kind is DeviceKind.CPU and (
        "ryzen" in asked or any(_TELLING_MODEL.fullmatch(word) for word in asked & words)
    )
    for word in words - asked:
        is_class = is_told and _OPTIONAL_CLASS.fullmatch(word) is not None
        if not (is_class or _is_optional(word, spec)):
            return False
    return all(_is_extra(word, spec) for word in asked - words)


def _is_optional(word: str, spec: DeviceSpec) -> bool:
    if spec.kind is DeviceKind.CPU:
        pattern = _OPTIONAL_BOARD
    elif spec.kind is DeviceKind.IGPU:
        pattern = _OPTIONAL_APPLE if spec.vendor == "Apple" else _OPTIONAL_IGPU
    else:
        pattern = _OPTIONAL
    return pattern.fullmatch(word) is not None


def _is_extra(word: str, spec: DeviceSpec) -> bool:
    if not _EXTRA.fullmatch(word):
        return False
    if word.endswith("gb") and spec.memory_bytes is not None:
        return int(word.removesuffix("gb")) * _GIB == spec.memory_bytes
    return True


def _one(specs: Sequence[DeviceSpec]) -> DeviceSpec | None:
    """Return the only row, or the slowest of rows that hardly differ, or None."""
    if len(specs) < 2:
        return specs[0] if specs else None
    is_igpu = all(spec.kind is DeviceKind.IGPU for spec in specs)
    largest = LARGEST_PEAK_RATIO_IGPU if is_igpu else LARGEST_PEAK_RATIO
    for rate in (_peak, _bandwidth):
        known = [value for value in map(rate, specs) if value is not None]
        if known and max(known) > largest * min(known):
            return None
    if any(_peak(spec) is None for spec in specs):
        return None
    return min(specs, key=lambda spec: (_peak(spec) or 0.0, spec.device))


def _peak(spec: DeviceSpec) -> float | None:
    return spec.peak_fp32_flop_per_s


def _bandwidth(spec: DeviceSpec) -> float | None:
    return spec.memory_bandwidth_byte_per_s


def has_units(spec: DeviceSpec, compute_units: int) -> bool:
    """Whether a device has as many shaders as a driver's compute units make."""
    shaders = _SHADERS_PER_UNIT.get(spec.vendor, ())
    return any(spec.cores == per_unit * compute_units for per_unit in shaders)


def find_isa(
    knowledge: Knowledge,
    *,
    microarchitecture: str | None,
    isa_features: Iterable[str] = (),
) -> CpuIsaRow | None:
    """Return the row of a CPU microarchitecture.

    Args:
        knowledge: facts to search.
        microarchitecture: archspec's name ("zen3") or the table's own ("Zen 3"); None unknown.
        isa_features: flags that the CPU shows. They are the truth: a row that needs an
            extension which they lack is not returned. Empty: not known.
    """
    if microarchitecture is None:
        return None
    wanted = _squeeze(microarchitecture)
    flags = frozenset(isa_features)
    rows = [row for row in knowledge.cpu_isa if _is_called(row, wanted)]
    fitting = [row for row in rows if not flags or _shows(flags, row)]
    return fitting[0] if len(fitting) == 1 else None


@functools.lru_cache(maxsize=8192)
def _squeeze(name: str) -> str:
    return re.sub(r"[^a-z0-9+]", "", name.lower())


def _is_called(row: CpuIsaRow, squeezed: str) -> bool:
    own = (row.microarchitecture, *row.microarchitecture.split("/"))
    return squeezed in map(_squeeze, (*row.archspec_names, *own))


def _shows(flags: frozenset[str], row: CpuIsaRow) -> bool:
    if row.vendor not in ("AMD", "Intel"):
        return True
    simd = re.sub(r"\([^)]*\)", "", row.simd)
    for word, flag in _SIMD_FLAGS:
        if re.search(rf"(?<!no ){re.escape(word)}", simd):
            return flag in flags
    return True


def published_for(
    knowledge: Knowledge,
    *,
    workload: str | None = None,
    device: str | None = None,
    phase: ResultPhase | None = None,
    comparable_only: bool = True,
) -> tuple[PublishedResult, ...]:
    """Return the published rows of a workload, a device and a phase; None means any.

    Args:
        knowledge: facts to search.
        workload: bundled spelling of a network or kernel.
        device: canonical name (`DeviceSpec.device`) or a study's own spelling.
        phase: what was timed.
        comparable_only: leave out rows that did not do the work their name says, or of
            which that is not known.
    """
    return tuple(
        row
        for row in knowledge.published
        if (workload is None or row.workload == workload)
        and (device is None or row.device == device)
        and (phase is None or row.phase is phase)
        and (not comparable_only or row.comparability is Comparability.COMPARABLE)
    )


def find_past_system(knowledge: Knowledge, name: str) -> PastSystem | None:
    """Return what became of a system that old advice names, by name or alias."""
    wanted = _squeeze(name)
    for system in knowledge.past_systems:
        if wanted and wanted in map(_squeeze, (system.name, *system.aliases)):
            return system
    return None
