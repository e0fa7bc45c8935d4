"""How the probe touches a machine: files, links, short commands, a few words of the platform.

Every fact of `probes.machine` comes through a `Reader`, so that a recorded machine
(`probes.machine.recording`) gives the same facts as the real one. A reader never raises:
what cannot be read is None or an empty tuple. Leaves to others: the meaning of what was read.
"""

import contextlib
import logging
import os
import platform
import stat
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import psutil

_LOGGER = logging.getLogger(__name__)

# /proc/cpuinfo of a machine with 512 logical CPUs is below 1 MiB, pci.ids is 1.4 MiB.
MAX_READ_BYTES = 4 * 1024 * 1024
MAX_COMMAND_BYTES = 8 * 1024 * 1024
MAX_DIR_ENTRIES = 20_000

# IsProcessorFeaturePresent of winnt.h: number -> flag as Linux spells it.
_WINDOWS_FEATURES = {
    6: "pni",
    10: "sse2",
    36: "ssse3",
    37: "sse4_1",
    38: "sse4_2",
    39: "avx",
    40: "avx2",
    41: "avx512f",
    30: "aes",
    31: "crc32",
    34: "atomics",
    43: "asimddp",
}


class Reader(Protocol):
    """A machine as the probe sees it.

    Attributes:
        system: "Linux", "Windows", "Darwin" or another word of the platform.
        machine: "x86_64", "aarch64", "armv7l", ... ; release: kernel release.
        logical_cpus: hardware threads seen by the operating system, at least 1.
        affinity: logical CPUs that this process may run on; None when not known.
        environ: environment variables of this process.
        python: interpreter of this process with its symlink kept; a packaged app is its own.
        cpu_flags: instruction set flags that the platform itself tells; empty on Linux, where
            /proc/cpuinfo tells them.
    """

    system: str
    machine: str
    release: str
    logical_cpus: int
    affinity: int | None
    environ: Mapping[str, str]
    python: str | None
    cpu_flags: tuple[str, ...]

    def read_text(self, path: str) -> str | None:
        """Return the text of a regular file (at most `MAX_READ_BYTES`), or None."""

    def list_dir(self, path: str) -> tuple[str, ...]:
        """Return the sorted names in a folder; empty when it cannot be read."""

    def link_name(self, path: str) -> str | None:
        """Return the last part of what a symbolic link points to, or None."""

    def exists(self, path: str) -> bool:
        """Tell whether the path leads to something."""

    def real_path(self, path: str) -> str:
        """Return the path without symbolic links, or the path itself."""

    def can_use(self, path: str) -> bool | None:
        """Tell whether this user may read and write a device node; None when it is not there."""

    def run(self, argv: tuple[str, ...], *, timeout_s: float) -> str | None:
        """Return what a command printed, or None when it failed or took too long."""

    def pause(self, seconds: float) -> None:
        """Wait between two readings of a counter."""


class SystemReader:
    """The machine this process runs on."""

    def __init__(self) -> None:
        self.system = platform.system()
        self.machine = platform.machine()
        self.release = platform.release()
        self.logical_cpus = os.cpu_count() or 1
        self.affinity = _read_affinity()
        self.environ: Mapping[str, str] = dict(os.environ)
        self.python = sys.executable or None
        self.cpu_flags = _read_windows_flags() if self.system == "Windows" else ()

    def read_text(self, path: str) -> str | None:
        """Return the text of a regular file; device nodes and pipes are never opened."""
        try:
            if not stat.S_ISREG(Path(path).stat().st_mode):
                return None
            with Path(path).open("rb") as stream:
                data = stream.read(MAX_READ_BYTES)
        except (OSError, ValueError):
            return None
        return data.decode("utf-8", errors="replace")

    def list_dir(self, path: str) -> tuple[str, ...]:
        """Return the sorted names in a folder, at most `MAX_DIR_ENTRIES`."""
        names: list[str] = []
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    names.append(entry.name)
                    if len(names) >= MAX_DIR_ENTRIES:
                        break
        except (OSError, ValueError):
            return ()
        return tuple(sorted(names))

    def link_name(self, path: str) -> str | None:
        """Return the last part of the target of a symbolic link."""
        try:
            return Path(path).readlink().name or None
        except (OSError, ValueError):
            return None

    def exists(self, path: str) -> bool:
        """Tell whether the path leads to something this user can see."""
        try:
            return Path(path).exists()
        except (OSError, ValueError):
            return False

    def real_path(self, path: str) -> str:
        """Return the path without symbolic links."""
        try:
            return os.path.realpath(path)
        except (OSError, ValueError):
            return path

    def can_use(self, path: str) -> bool | None:
        """Tell whether this user may open a device node for reading and writing."""
        if not self.exists(path):
            return None
        return os.access(path, os.R_OK | os.W_OK)

    def run(self, argv: tuple[str, ...], *, timeout_s: float) -> str | None:
        """Return the standard output of a command that ended well within its time."""
        if not argv:
            return None
        environment = {**self.environ, "LC_ALL": "C"}
        flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)
        try:
            with subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
                creationflags=flags,
                start_new_session=os.name == "posix",
            ) as child:
                return _collect_output(child, timeout_s=timeout_s)
        except (OSError, ValueError) as error:
            _LOGGER.debug("%s could not be run: %s", argv[0], error)
            return None

    def pause(self, seconds: float) -> None:
        """Sleep."""
        time.sleep(seconds)


def _collect_output(child: "subprocess.Popen[bytes]", *, timeout_s: float) -> str | None:
    try:
        output, _ = child.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        _kill_group(child)
        # A grandchild may hold the pipe: do not wait for the end of its output.
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.communicate(timeout=1.0)
        return None
    if child.returncode != 0:
        return None
    return output[:MAX_COMMAND_BYTES].decode("utf-8", errors="replace")


def _kill_group(child: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(OSError):
        if sys.platform != "win32":
            os.killpg(child.pid, 9)
        else:
            child.kill()


def _read_affinity() -> int | None:
    if hasattr(os, "sched_getaffinity"):
        with contextlib.suppress(OSError):
            return len(os.sched_getaffinity(0))
    elif sys.platform == "win32":
        with contextlib.suppress(OSError, psutil.Error):
            return len(psutil.Process().cpu_affinity())
    return None


def _read_windows_flags() -> tuple[str, ...]:
    """Return the flags that the kernel of Windows tells about the CPU."""
    import ctypes

    kernel32 = getattr(ctypes, "windll", None)
    if kernel32 is None:
        return ()
    present = kernel32.kernel32.IsProcessorFeaturePresent
    return tuple(sorted(flag for number, flag in _WINDOWS_FEATURES.items() if present(number)))
