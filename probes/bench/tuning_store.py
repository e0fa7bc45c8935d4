"""What measuring an OpenCL device taught: the fastest variants, and compiled kernels.

Kept in a folder for each device with its driver, processor and version of our kernels; nothing
of it is needed: a file that is damaged, foreign or too new is ignored, a disk that is full costs
the time once more. Only the parent writes choices, the child reports them.
Leaves to others: choosing and compiling (`probes.workers.opencl_*`).
"""

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import probes.workers
from advisor.model.machine import Cpu, OpenclDevice
from advisor.model.measurement import Outcome
from probes.bench.load import LoadMeter
from probes.bench.stability import warnings_of_load

# 1: first version.
FORMAT = 1
# Compiled kernels of all devices together; the longest unused go first.
MAX_BYTES = 200 * 1024 * 1024
_MAX_FILE_BYTES = 1024 * 1024
_CHOICES = "choices.json"
_COMPILED = "compiled"
# Ends of a kernel and of a child that a damaged cache may have brought about.
_DOUBTFUL = frozenset({Outcome.FAILED, Outcome.WRONG_RESULT})
_RUINED = frozenset(
    {Outcome.CRASHED, Outcome.TIMED_OUT, Outcome.OUT_OF_MEMORY, Outcome.UNSUPPORTED, Outcome.FAILED}
)


def sources_digest() -> str:
    """Return what tells this version of our OpenCL kernels and their variants from others."""
    folder = Path(next(iter(probes.workers.__path__)))
    digest = hashlib.sha256()
    for file in sorted([*folder.glob("opencl_*.py"), *folder.glob("kernels/*.cl")]):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


class TuningStore:
    """A folder in which all that was learned lies.

    Args:
        folder: made when it is needed.
        max_bytes: of compiled kernels.
        make_meter: makes what tells how busy others keep the machine.
    """

    def __init__(
        self,
        folder: Path,
        *,
        max_bytes: int = MAX_BYTES,
        make_meter: Callable[[], LoadMeter] = LoadMeter,
    ) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._make_meter = make_meter

    def open(self, device: OpenclDevice, *, cpu: Cpu, on_battery: bool = False) -> "Tuning":
        """Return what is known of a device; room for what it will compile is made.

        Args:
            device: the device.
            cpu: of the machine.
            on_battery: whether the machine runs from its battery: then nothing is learned.
        """
        identity = (
            device.platform, device.platform_version, device.name, device.driver_version,
            cpu.brand, *sorted(cpu.isa_features), sources_digest(),
        )  # fmt: skip
        name = hashlib.sha256("\0".join(map(str, identity)).encode()).hexdigest()[:32]
        folder = self._folder / name
        self._prune(keep=folder)
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            os.utime(folder)
        return Tuning(folder, meter=self._make_meter(), on_battery=on_battery)

    def _prune(self, *, keep: Path) -> None:
        """Remove the longest unused folders until the rest is small enough."""
        try:
            folders = [path for path in self._folder.iterdir() if path.is_dir()]
            folders.sort(key=lambda path: (path == keep, path.stat().st_mtime), reverse=True)
        except OSError:
            return
        total = 0
        for folder in folders:
            total += _size_bytes(folder)
            if total > self._max_bytes:
                shutil.rmtree(folder / _COMPILED if folder == keep else folder, ignore_errors=True)


def _size_bytes(folder: Path) -> int:
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_size  # noqa: PTH118 - thousands
    return total


class Tuning:
    """What is known of one device.

    Args:
        folder: where that lies.
        meter: tells how busy others have kept the machine since it was opened.
        on_battery: whether the machine runs from its battery.
    """

    def __init__(self, folder: Path, *, meter: LoadMeter, on_battery: bool = False) -> None:
        self._folder = folder
        self._meter = meter
        self._on_battery = on_battery
        found = _read(folder / _CHOICES)
        choices, failing = found.get("choices"), found.get("failing")
        self._choices: dict[str, Any] = choices if isinstance(choices, dict) else {}
        # Ids of kernels that fail without anything compiled before, too.
        self._failing = set(map(str, failing)) if isinstance(failing, list) else set()
        self._learned: dict[str, Any] = {}
        self._has_news = False
        self._may_be_broken = self.has_compiled
        self._is_suspected = False

    @property
    def options(self) -> dict[str, Any]:
        """What the worker is told."""
        return {"choices": self._choices, "cache_folder": str(self._folder / _COMPILED)}

    @property
    def has_compiled(self) -> bool:
        """Whether kernels lie here that a child has compiled."""
        return any(file.is_file() for file in (self._folder / _COMPILED).rglob("*"))

    def take(self, message: Mapping[str, Any]) -> bool:
        """Take what a child tells of its choices; False: it is not to be believed."""
        learned = message.get("learned")
        if isinstance(learned, dict):
            self._learned.update(learned)
        if message.get("type") != "kernel_failed" or message.get("outcome") not in _DOUBTFUL:
            return True
        name = str(message.get("id"))
        if self._may_be_broken and name not in self._failing:
            self._is_suspected = True
            return False
        self._has_news |= name not in self._failing
        self._failing.add(name)
        return True

    def end_child(self, outcome: Outcome, *, at: str | None = None) -> bool:
        """Keep what a child taught; True: what an earlier run compiled was perhaps its ruin.

        Then that was removed, and what it has not answered is to be asked once more.

        Args:
            outcome: how the child ended.
            at: id of the kernel that it was at; one that ruins children by itself is remembered.
        """
        is_ruined = outcome in _RUINED and at not in self._failing
        is_blamed = self._may_be_broken and (self._is_suspected or is_ruined)
        if is_ruined and at is not None and not self._may_be_broken:
            self._failing.add(at)
            self._has_news = True
        self.save()
        if is_blamed:
            self.forget_compiled()
            self._may_be_broken = self._is_suspected = False
        return is_blamed

    def forget_compiled(self) -> None:
        """Remove what was compiled."""
        shutil.rmtree(self._folder / _COMPILED, ignore_errors=True)

    def _keep_learned(self) -> None:
        """Take over what children told; what was timed on a machine that was busy is not kept."""
        for name, entry in self._learned.items():
            if entry is None:
                # It gave a wrong result: that is so on a busy machine, too.
                self._has_news |= self._choices.pop(name, None) is not None
            elif self._is_steady() and self._choices.get(name) != entry:
                self._choices[name] = entry
                self._has_news = True

    def _is_steady(self) -> bool:
        return not self._on_battery and not warnings_of_load(self._meter.share())

    def save(self) -> None:
        """Write what was learned, whole or not at all."""
        self._keep_learned()
        if not self._has_news:
            return
        kept = {"format": FORMAT, "choices": self._choices, "failing": sorted(self._failing)}
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=self._folder, prefix=_CHOICES)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(json.dumps(kept, indent=1, sort_keys=True) + "\n")
            Path(name).replace(self._folder / _CHOICES)
        except OSError:
            return
        self._has_news = False


def _read(file: Path) -> dict[str, Any]:
    """Return what lies in a file; nothing from one that is not ours. The worker checks choices."""
    try:
        if file.stat().st_size > _MAX_FILE_BYTES:
            return {}
        found = json.loads(file.read_text(encoding="utf-8"), parse_constant=_refuse)
    except (OSError, ValueError, RecursionError):
        return {}
    is_ours = isinstance(found, dict) and found.get("format") == FORMAT
    return found if is_ours else {}


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is not a number")
