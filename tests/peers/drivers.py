"""OpenCL drivers, one at a time for us and for the peers alike.

Our Python package carries a loader of its own that always adds the bundled PoCL; the peers use
the system's loader. A folder with one driver's file, named in OCL_ICD_VENDORS, makes both see the
same driver as their first platform.
"""

import importlib.util
from dataclasses import dataclass
from pathlib import Path

from advisor.model.machine import OpenclDevice
from advisor.model.measurement import Setting
from probes.bench.commands import worker_command
from probes.machine.opencl import list_opencl_devices

SYSTEM_FOLDER = Path("/etc/OpenCL/vendors")
BUNDLED = "bundled pocl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """A folder with the file of one driver."""

    name: str
    folder: Path

    @property
    def setting(self) -> Setting:
        """What makes a loader see this driver."""
        return Setting(name="OCL_ICD_VENDORS", value=str(self.folder))

    @property
    def variables(self) -> dict[str, str]:
        """The same for a program."""
        return {self.setting.name: self.setting.value}


def _library(file: Path) -> str:
    """Return the library that a driver's file names; one beside the file by its whole path."""
    name = file.read_text(encoding="utf-8").strip()
    beside = file.parent / name
    return str(beside) if not Path(name).is_absolute() and beside.is_file() else name


def bundled_file() -> Path | None:
    """Return the file of the PoCL that comes with our packages, None without one."""
    found = importlib.util.find_spec("pyopencl")
    for place in found.submodule_search_locations or () if found else ():
        for file in sorted(Path(place).glob("**/pocl*.icd")):
            return file
    return None


def find_drivers(folder: Path, *, extra: tuple[Path, ...] = ()) -> tuple[Driver, ...]:
    """Return every driver: those asked for, the system's, the bundled one.

    Args:
        folder: an empty one, for the folders of the drivers.
        extra: libraries (`.so`), files (`.icd`) or folders of such files.
    """
    files: list[tuple[str, str]] = []
    for path in (*extra, SYSTEM_FOLDER):
        if path.is_dir():
            files += [(file.stem, _library(file)) for file in sorted(path.glob("*.icd"))]
        elif path.is_file():
            is_file = path.suffix == ".icd"
            files.append((path.stem, _library(path) if is_file else str(path.resolve())))
    bundled = bundled_file()
    if bundled is not None:
        files.append((BUNDLED, _library(bundled)))
    drivers = []
    for number, (name, library) in enumerate(once_each(files)):
        own = folder / str(number)
        own.mkdir(parents=True)
        (own / "driver.icd").write_text(library + "\n", encoding="utf-8")
        drivers.append(Driver(name=name, folder=own))
    return tuple(drivers)


def once_each(files: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return name and library, each library once, by the first name it has."""
    seen: dict[str, str] = {}
    for name, library in files:
        seen.setdefault(library, name)
    return [(name, library) for library, name in seen.items()]


def devices_of(driver: Driver) -> tuple[OpenclDevice, ...]:
    """Return the devices of a driver's own platforms, not those that our loader adds."""
    command = worker_command("opencl_list", settings=(driver.setting,))
    answer = list_opencl_devices(command)
    devices = (
        [d for d in answer if isinstance(d, OpenclDevice)] if isinstance(answer, tuple) else []
    )
    return own_devices(devices, is_bundled=driver.name == BUNDLED)


def own_devices(devices: list[OpenclDevice], *, is_bundled: bool) -> tuple[OpenclDevice, ...]:
    """Return the devices of the first platforms, without those of the PoCL that is added last."""
    places = sorted({_place(device) for device in devices})
    if is_bundled:
        kept = set(places[:1])
    else:
        added = {_place(d) for d in devices if d.is_bundled_driver and _place(d) == places[-1]}
        kept = set(places) - added
    return tuple(device for device in devices if _place(device) in kept)


def _place(device: OpenclDevice) -> int:
    return int(device.id.split(":")[1])
