"""What is known of machines apart from their price: a list of prices is joined to it.

Price lists say little or wrong things of a machine (a GPU's memory in the wrong unit, a
machine's memory in the place of the GPU's, no processor at all), the bundled table is checked.
Leaves to others: reading the lists (`parse_skypilot`, `parse_azure`).
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from advisor.model.offer import AcceleratorName, Offer

GIB = 1024**3

_SIZE = re.compile(r"[-_ ]?(\d+)gi?b\b", re.IGNORECASE)
_FORM = {"aws": re.compile(r"[^.]+"), "gcp": re.compile(r"[^-]+")}
_ARCHITECTURES = {"amd64": "x86_64", "aarch64": "arm64", "arm64": "arm64", "x86_64": "x86_64"}
# A driver reports a little less than the nominal size.
_LEAST_SHARE, _MOST_SHARE = 0.85, 1.05


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineFacts:
    """What an offer says of its machine, see `Offer`."""

    family: str | None
    architecture: str | None
    vcpus: float | None
    memory_bytes: int | None
    accelerator: str | None = None
    n_accelerators: float | None = None
    accelerator_memory_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Identities:
    """Known machines by name. Make it with `identities`.

    Attributes:
        machines: by vendor and instance type.
        families: architecture (None when it differs) by vendor and family, of those without
            accelerators.
        spellings: our spelling by that of others, reduced by `plain`.
        sizes: known memory sizes of an accelerator, bytes.
    """

    machines: Mapping[tuple[str, str], MachineFacts]
    families: Mapping[tuple[str, str], str | None]
    spellings: Mapping[str, str]
    sizes: Mapping[str, tuple[int, ...]]

    def spelling(self, name: str) -> str | None:
        """Return our spelling of an accelerator, None when we do not know it."""
        return self.spellings.get(plain(name))

    def memory_bytes(self, name: str, *, reported_gib: float | None) -> int | None:
        """Return the memory of one accelerator, None when it is not sure.

        Args:
            name: the list's spelling, in which a size may stand.
            reported_gib: what the list says, trusted only to choose between known sizes.
        """
        known = self.sizes.get(self.spelling(name) or "", ())
        named = _SIZE.search(name)
        gib = float(named.group(1)) if named else reported_gib
        fits = [
            size
            for size in known
            if gib is not None and _LEAST_SHARE * size <= gib * GIB <= _MOST_SHARE * size
        ]
        if len(fits) == 1:
            return fits[0]
        return known[0] if len(known) == 1 else None


def identities(offers: Iterable[Offer], accelerators: Iterable[AcceleratorName]) -> Identities:
    """Return what the bundled offers and accelerator names tell of machines."""
    machines: dict[tuple[str, str], MachineFacts] = {}
    families: dict[tuple[str, str], str | None] = {}
    spellings = {plain(row.accelerator): row.accelerator for row in accelerators}
    sizes: dict[str, set[int]] = {}
    for offer in offers:
        machines.setdefault((offer.vendor, offer.instance_type), _facts(offer))
        if offer.family is not None and offer.accelerator is None:
            key = (offer.vendor, offer.family)
            seen = families.setdefault(key, offer.architecture)
            families[key] = seen if seen == offer.architecture else None
        size = offer.accelerator_memory_bytes
        # A share of a GPU says nothing about the size of the whole.
        if offer.accelerator is not None and size and (offer.n_accelerators or 1.0) >= 1.0:
            sizes.setdefault(offer.accelerator, set()).add(size)
    return Identities(
        machines=machines,
        families=families,
        spellings=spellings,
        sizes={name: tuple(sorted(known)) for name, known in sizes.items()},
    )


def _facts(offer: Offer) -> MachineFacts:
    return MachineFacts(
        family=offer.family,
        architecture=offer.architecture,
        vcpus=offer.vcpus,
        memory_bytes=offer.memory_bytes,
        accelerator=offer.accelerator,
        n_accelerators=offer.n_accelerators,
        accelerator_memory_bytes=offer.accelerator_memory_bytes,
    )


def family_of(vendor: str, instance_type: str) -> str | None:
    """Return the family that a vendor's name begins with, None where names do not tell."""
    form = _FORM.get(vendor)
    found = form.match(instance_type) if form else None
    return found.group(0) if found else None


def architecture(word: str) -> str | None:
    """Return our name of an architecture, None for an empty or unknown word."""
    return _ARCHITECTURES.get(word.strip().lower())


def plain(name: str) -> str:
    """Return an accelerator's name without maker, size and signs: "A100-80GB-SXM" is "a100sxm"."""
    lowered = _SIZE.sub("", name.lower()).replace("nvidia", "").replace("tesla", "")
    return re.sub(r"[^a-z0-9]", "", lowered)
