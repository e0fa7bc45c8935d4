"""Regions of the clouds: which part of the world each is in.

Every vendor spells its own: "eu-west-1", "europe-west4", "germanywestcentral". Who asks for Europe
means all of them.
Leaves to others: offers and their prices (`advisor.knowledge.cloud`).
"""

import re
from enum import StrEnum


class Continent(StrEnum):
    """A part of the world where machines are rented, as people write it among regions."""

    EUROPE = "europe"
    NORTH_AMERICA = "north-america"
    SOUTH_AMERICA = "south-america"
    ASIA_PACIFIC = "asia-pacific"
    MIDDLE_EAST_AFRICA = "middle-east-africa"


_SPELLINGS = {
    Continent.EUROPE: re.compile(
        r"^(eu|uk|france|germany|northeurope|westeurope|norway|sweden|switzerland|italy|spain"
        r"|poland|austria|belgium|denmark|finland|fsn\d|nbg\d|hel\d|ams\d|fra\d|lon\d)"
    ),
    Continent.NORTH_AMERICA: re.compile(
        r"^(us-|ca-|mx-|northamerica|canada|mexico|nyc\d|sfo\d|tor\d|(east|west)( coast|$))|us\d?$"
    ),
    Continent.SOUTH_AMERICA: re.compile(r"^(sa-|southamerica|brazil|chile)"),
    Continent.ASIA_PACIFIC: re.compile(
        r"^(ap-|asia|australia|newzealand|japan|korea|malaysia|indonesia|taiwan|eastasia"
        r"|southeastasia|sgp\d|blr\d)|india"
    ),
    Continent.MIDDLE_EAST_AFRICA: re.compile(r"^(me-|il-|af-|africa|uae|qatar|israel|southafrica)"),
}


def continent_of(region: str) -> Continent | None:
    """Return the part of the world that a region is in; None when its name does not tell."""
    lowered = region.lower()
    return next((place for place, told in _SPELLINGS.items() if told.search(lowered)), None)


def is_in_regions(region: str, *, wanted: tuple[str, ...]) -> bool:
    """Return whether a region is among the user's.

    Args:
        region: of an offer.
        wanted: parts of the world, whole names, or their beginnings ("eu-"); none: any region.
    """
    if not wanted:
        return True
    lowered = region.lower()
    return any(_is_meant(lowered, entry.strip().lower()) for entry in wanted)


def _is_meant(region: str, wanted: str) -> bool:
    if wanted in {place.value for place in Continent}:
        return continent_of(region) is Continent(wanted)
    return region.startswith(wanted)
