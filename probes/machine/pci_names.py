"""Product names of PCI devices from the system's own pci.ids, where one is installed.

Leaves to others: what kind of device it is (`tables`, `linux_graphics`).
"""

from collections.abc import Iterable

from probes.machine import text as parse
from probes.machine.reader import Reader

_PLACES = (
    "/usr/share/misc/pci.ids",
    "/usr/share/hwdata/pci.ids",
    "/usr/share/pci.ids",
    "/var/lib/pciutils/pci.ids",
)


def read_pci_names(reader: Reader, wanted: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return the names of the wanted (vendor, device) identities that the system knows.

    Args:
        reader: the machine.
        wanted: pairs of four lower-case hex digits; nothing is read when there are none.
    """
    pairs = frozenset(wanted)
    if not pairs:
        return {}
    for place in _PLACES:
        text = reader.read_text(place)
        if text:
            return parse_pci_ids(text, wanted=pairs)
    return {}


def parse_pci_ids(text: str, *, wanted: frozenset[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return the names of the wanted identities in a text of pci.ids."""
    names: dict[tuple[str, str], str] = {}
    vendors = {vendor for vendor, _ in wanted}
    vendor = ""
    for line in text.splitlines():
        if not line or line[0] == "#":
            continue
        if line[0] != "\t":
            if line.startswith("C "):
                break
            vendor = line[:4] if line[:4] in vendors else ""
        elif vendor and line[1:2] != "\t" and (vendor, line[1:5]) in wanted:
            name = parse.clean_name(line[5:])
            if name is not None:
                names[vendor, line[1:5]] = name
    return names
