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
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import probes.workers
from advisor.model.machine import Cpu, OpenclDevice

# 1: first version.
FORMAT = 1
# Compiled kernels of all devices together; the longest unused go first.
MAX_BYTES = 200 * 1024 * 1024
_MAX_FILE_BYTES = 1024 * 1024
_CHOICES = "choices.json"
_COMPILED = "compiled"


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
    """

    def __init__(self, folder: Path, *, max_bytes: int = MAX_BYTES) -> None:
        self._folder = folder
        self._max_bytes = max_bytes

    def open(self, device: OpenclDevice, *, cpu: Cpu) -> "Tuning":
        """Return what is known of a device; room for what it will compile is made."""
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
        return Tuning(folder)

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
    """What is known of one device."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._choices = _read_choices(folder / _CHOICES)
        self._has_news = False

    @property
    def options(self) -> dict[str, Any]:
        """What the worker is told."""
        return {"choices": self._choices, "cache_folder": str(self._folder / _COMPILED)}

    @property
    def has_compiled(self) -> bool:
        """Whether kernels lie here that an earlier child has compiled."""
        return any(file.is_file() for file in (self._folder / _COMPILED).rglob("*"))

    def take(self, message: Mapping[str, Any]) -> None:
        """Take what a child tells of its choices."""
        learned = message.get("learned")
        if isinstance(learned, dict):
            self._choices.update(learned)
            self._has_news = True

    def forget_compiled(self) -> None:
        """Remove what was compiled: a driver may have died of it."""
        shutil.rmtree(self._folder / _COMPILED, ignore_errors=True)

    def save(self) -> None:
        """Write the choices, whole or not at all."""
        if not self._has_news:
            return
        text = json.dumps({"format": FORMAT, "choices": self._choices}, indent=1, sort_keys=True)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=self._folder, prefix=_CHOICES)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text + "\n")
            Path(name).replace(self._folder / _CHOICES)
        except OSError:
            return
        self._has_news = False


def _read_choices(file: Path) -> dict[str, Any]:
    """Return the choices in a file; none from one that is not ours. The worker checks each."""
    try:
        if file.stat().st_size > _MAX_FILE_BYTES:
            return {}
        found = json.loads(file.read_text(encoding="utf-8"), parse_constant=_refuse)
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        return {}
    choices = found.get("choices")
    return choices if isinstance(choices, dict) else {}


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is not a number")
