"""Libraries that a packaged app takes from the system, and the Debian package of each.

Read from the files themselves, so that nothing is forgotten when a dependency changes.
"""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

# What a C program may expect of any system: libc6 and its parts.
_LIBC = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1"}
_LIBC |= {"ld-linux-x86-64.so.2", "libresolv.so.2", "libcrypt.so.1"}
PACKAGES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libGLX.so.0": "libglx0",
    "libOpenGL.so.0": "libopengl0",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libX11.so.6": "libx11-6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libdrm.so.2": "libdrm2",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libgbm.so.1": "libgbm1",
    "libgcc_s.so.1": "libgcc-s1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libgssapi_krb5.so.2": "libgssapi-krb5-2",
    "libstdc++.so.6": "libstdc++6",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
    "libxcb-glx.so.0": "libxcb-glx0",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb.so.1": "libxcb1",
}
_NEEDED = re.compile(r"\(NEEDED\)[^\[]*\[([^\]]+)\]")
_GLIBC = re.compile(rb"GLIBC_2\.(\d+)\0")


def list_programs(folder: Path) -> Iterator[Path]:
    """Yield the ELF files below a folder."""
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_file():
            continue
        with path.open("rb") as stream:
            if stream.read(4) == b"\x7fELF":
                yield path


def needed_from_system(folder: Path) -> set[str]:
    """Return the names of libraries that are needed and not in the folder."""
    files = list(list_programs(folder))
    read = subprocess.run(
        ["readelf", "-d", *map(str, files)],  # noqa: S607 - the one of the building system
        capture_output=True,
        text=True,
        check=True,
    )
    there = {path.name for path in folder.rglob("*.so*")}
    return set(_NEEDED.findall(read.stdout)) - there


def depends(folder: Path) -> list[str]:
    """Return the packages that a packaged app depends on.

    Raises:
        LookupError: for a library that no package is known for: it must be bundled or listed.
    """
    missing = needed_from_system(folder) - _LIBC
    unknown = sorted(missing - PACKAGES.keys())
    if unknown:
        raise LookupError(f"no package is known for {', '.join(unknown)}")
    minor = max(
        int(found) for path in list_programs(folder) for found in _GLIBC.findall(path.read_bytes())
    )
    return [f"libc6 (>= 2.{minor})", *sorted({PACKAGES[name] for name in missing})]
