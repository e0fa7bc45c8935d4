"""Name of a CPU's microarchitecture from what it says about itself.

Family and model decide where the table knows them, because a virtual machine hides flags; unless
a flag shows that the model number is another processor's, which virtual machines have, too. Else
the newest microarchitecture whose flags the CPU all has (archspec) is taken as a hint. Names are
archspec's, with underscores; GCC's `-march` names where archspec tells less apart.
Leaves to others: the flags themselves, which are the only truth on what code may run.
"""

import difflib
import functools
import re
from collections.abc import Iterable

import archspec.cpu

from probes.machine.tables import (
    find_x86_by_flag,
    find_x86_model,
    named_microarchitectures,
    other_microarchitecture_names,
)

_X86_WORDS = ("x86_64", "amd64", "i686", "i386")
_VENDORS = {"AuthenticAMD": "AMD", "HygonGenuine": "Hygon", "GenuineIntel": "Intel"}
_APPLE_CHIP = re.compile(r"m[1-9]\d?")
# How many names are offered for one that is not known, and how much of it they must share.
_MOST_CLOSE = 3
_CLOSE = 0.5


def name_vendor(vendor_id: str | None) -> str | None:
    """Return the short vendor name of an x86 identity ("GenuineIntel" -> "Intel")."""
    if vendor_id is None:
        return None
    return _VENDORS.get(vendor_id, vendor_id)


def find_x86_microarchitecture(
    vendor_id: str | None, *, family: int | None, model: int | None, flags: Iterable[str]
) -> str | None:
    """Return the microarchitecture of an x86 CPU, None when nothing fits.

    Args:
        vendor_id: "GenuineIntel", "AuthenticAMD", ...
        family: number of CPUID with its extended part added, as Linux prints it.
        model: likewise.
        flags: instruction set flags as Linux spells them.
    """
    present = frozenset(flags)
    if vendor_id is not None and family is not None and model is not None:
        named = find_x86_model(vendor_id, family=family, model=model, flags=present)
        told = find_x86_by_flag(vendor_id, named=named, flags=present)
        if told is not None or named is not None:
            return told or named
    return find_x86_by_flag(vendor_id, named=None, flags=present) or _find_by_flags(
        vendor_id, present
    )


def _find_by_flags(vendor_id: str | None, flags: frozenset[str]) -> str | None:
    # archspec counts sse3 under its CPUID name; Linux prints it as "pni".
    known = flags | {"sse3"} if "pni" in flags else flags
    fitting = [
        target
        for target in archspec.cpu.TARGETS.values()
        if str(target.family) == "x86_64"
        and target.vendor in (vendor_id, "generic")
        and target.features <= known
        and target.features
    ]
    if not fitting:
        return None
    best = max(fitting, key=lambda t: (t.vendor != "generic", len(t.ancestors), len(t.features)))
    return str(best.name)


def list_expected_flags(microarchitecture: str | None) -> frozenset[str]:
    """Return the flags that CPUs of a microarchitecture usually have; empty when not known."""
    target = archspec.cpu.TARGETS.get(microarchitecture or "")
    return frozenset(target.features) if target is not None else frozenset()


@functools.cache
def known_microarchitectures() -> frozenset[str]:
    """Return every name that a processor may have here."""
    return frozenset(archspec.cpu.TARGETS) | named_microarchitectures()


def find_microarchitecture(text: str) -> str | None:
    """Return the name that a text means, "zen3" for "Zen 3"; None when none is known."""
    if _APPLE_CHIP.fullmatch(text.lower()):
        return text.lower()  # one newer than archspec's list, too
    return _by_letters().get(_letters(text))


def close_microarchitectures(text: str) -> tuple[str, ...]:
    """Return the names that are spelled most alike, the closest first; empty where none is."""
    found = difflib.get_close_matches(_letters(text), _by_letters(), n=_MOST_CLOSE, cutoff=_CLOSE)
    return tuple(dict.fromkeys(_by_letters()[letters] for letters in found))


def _letters(text: str) -> str:
    return "".join(character for character in text.lower() if character.isalnum())


@functools.cache
def _by_letters() -> dict[str, str]:
    names = {_letters(name): name for name in sorted(known_microarchitectures())}
    return {**other_microarchitecture_names(), **names}


def is_x86(machine: str) -> bool:
    """Tell whether a machine word of the platform means x86."""
    return machine.lower() in _X86_WORDS
