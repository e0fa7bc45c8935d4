"""The recording of a live run: one packed JSON file that grows unit by unit."""

import dataclasses
import gzip
import json
from pathlib import Path
from typing import Any

from advisor.model.codec import decode, encode
from advisor.model.machine import MachineProfile
from advisor.model.measurement import MeasurementSet

FORMAT = 1


def anonymous(profile: MachineProfile) -> MachineProfile:
    """Return a profile without what tells nothing about its speed: folders, build of the kernel."""
    environments = tuple(
        dataclasses.replace(environment, python="python") for environment in profile.environments
    )
    system = dataclasses.replace(profile.os, kernel=None)
    return dataclasses.replace(profile, environments=environments, os=system)


class Recording:
    """What was recorded, by unit.

    Args:
        path: of the file, which need not exist; ".gz" at its end packs it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.data: dict[str, Any] = {"format": FORMAT, "units": {}}
        if path.exists():
            raw = path.read_bytes()
            text = gzip.decompress(raw) if path.suffix == ".gz" else raw
            self.data = json.loads(text)
            if self.data.get("format") != FORMAT:
                raise ValueError(f"{path.name}: format {self.data.get('format')!r} is not known")

    @property
    def units(self) -> dict[str, Any]:
        """What was done, by the name of the unit."""
        units: dict[str, Any] = self.data["units"]
        return units

    @property
    def profile(self) -> MachineProfile:
        """The machine."""
        profile: MachineProfile = decode(self.data["profile"], MachineProfile)
        return profile

    def begin(self, profile: MachineProfile, versions: dict[str, str]) -> None:
        """Note the machine and the software unless they are there, but not whose they are."""
        self.data.setdefault("profile", encode(anonymous(profile)))
        self.data.setdefault("versions", versions)

    def forget_busy(self, share: float) -> None:
        """Forget the units during which others used more than a share of the CPUs."""
        busy = [n for n, unit in self.units.items() if (unit["load"].get("others") or 0) > share]
        for name in busy:
            del self.units[name]

    def put(self, name: str, unit: dict[str, Any]) -> None:
        """Add a unit and write the file, whole or not at all."""
        self.units[name] = unit
        text = (json.dumps(self.data, separators=(",", ":")) + "\n").encode("utf-8")
        data = gzip.compress(text, mtime=0) if self.path.suffix == ".gz" else text
        self.path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self.path.with_name(self.path.name + ".part")
        fresh.write_bytes(data)
        fresh.replace(self.path)

    def measurements(self, name: str) -> MeasurementSet | None:
        """Return the measurements of a unit, None when it was not recorded."""
        unit = self.units.get(name)
        if unit is None:
            return None
        found: MeasurementSet = decode(unit["measurements"], MeasurementSet)
        return found
