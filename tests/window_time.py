"""How long the window takes to come, and what it weighs: `python -m tests.window_time`.

Starts the real program on a virtual screen, several times, and prints for each start the seconds
from its start until its window is on the screen, until something is painted in it, and what the
process holds in memory five seconds later. `--cold` empties the cache of the disk before each
start, which only root may do. Needs Xvfb and libX11; Linux only.
"""

import argparse
import ctypes
import ctypes.util
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from tests.ui.screen import ROOT, environment, virtual_screen

MAP_NOTIFY, SUBSTRUCTURE_NOTIFY, Z_PIXMAP = 19, 1 << 19, 2
GIVE_UP_S = 30.0
SETTLED_S = 5.0
MIB = 2**20


class MapEvent(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int),
        ("serial", ctypes.c_ulong),
        ("send_event", ctypes.c_int),
        ("display", ctypes.c_void_p),
        ("event", ctypes.c_ulong),
        ("window", ctypes.c_ulong),
        ("room", ctypes.c_byte * 256),
    ]


class Screen:
    """Asks an X server which windows are mapped and what is painted in them."""

    def __init__(self, name: str) -> None:
        x11 = ctypes.CDLL(ctypes.util.find_library("X11") or "libX11.so.6")
        for function in ("XOpenDisplay", "XGetImage"):
            getattr(x11, function).restype = ctypes.c_void_p
        x11.XDefaultRootWindow.restype = ctypes.c_ulong
        x11.XGetPixel.restype = ctypes.c_ulong
        self._x11 = x11
        self._display = ctypes.c_void_p(x11.XOpenDisplay(name.encode()))
        self._root = ctypes.c_ulong(x11.XDefaultRootWindow(self._display))
        x11.XSelectInput(self._display, self._root, SUBSTRUCTURE_NOTIFY)
        x11.XSync(self._display, 0)

    def close(self) -> None:
        self._x11.XCloseDisplay(self._display)

    def wait_mapped(self, until: float) -> None:
        """Wait for a window of the root to be mapped."""
        event = MapEvent()
        while time.perf_counter() < until:
            while self._x11.XPending(self._display):
                self._x11.XNextEvent(self._display, ctypes.byref(event))
                if event.type == MAP_NOTIFY:
                    return
            time.sleep(0.001)
        raise TimeoutError("no window came")

    def wait_painted(self, until: float) -> None:
        """Wait for pixels of more than one colour on a line through the screen."""
        while time.perf_counter() < until:
            if len(self._colours()) > 2:
                return
            time.sleep(0.004)
        raise TimeoutError("nothing was painted")

    def _colours(self) -> set[int]:
        area = (0, 100, 1000, 1)
        planes = ctypes.c_ulong(0xFFFFFF)
        image = ctypes.c_void_p(
            self._x11.XGetImage(self._display, self._root, *area, planes, Z_PIXMAP)
        )
        colours = {self._x11.XGetPixel(image, x, 0) for x in range(0, 1000, 5)}
        self._x11.XDestroyImage(image)
        return colours


def memory_mib(pid: int) -> tuple[float, float]:
    """Return the resident and the proportional set of a process, in MiB."""
    full = psutil.Process(pid).memory_full_info()
    return full.rss / MIB, full.pss / MIB


def one_start(command: list[str], *, display: str, home: str) -> dict[str, float]:
    """Start the program once and return what it took."""
    screen = Screen(display)
    folders = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
    own = environment(display, HOME=home, **{name: f"{home}/{name}" for name in folders})
    began = time.perf_counter()
    app = subprocess.Popen(command, env=own, cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        screen.wait_mapped(began + GIVE_UP_S)
        mapped_s = time.perf_counter() - began
        screen.wait_painted(began + GIVE_UP_S)
        painted_s = time.perf_counter() - began
        time.sleep(SETTLED_S)
        rss, pss = memory_mib(app.pid)
    finally:
        app.terminate()
        app.wait(10)
        screen.close()
    return {"mapped, s": mapped_s, "painted, s": painted_s, "RSS, MiB": rss, "PSS, MiB": pss}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=5, help="number of starts")
    parser.add_argument("--cold", action="store_true", help="empty the disk's cache before each")
    parser.add_argument("--page", default="start", help="the page that is opened")
    asked = parser.parse_args()
    command = [sys.executable, "-P", "-m", "ui", "--page", asked.page]
    rows = []
    with virtual_screen() as display:
        for _ in range(asked.n + (not asked.cold)):
            if asked.cold:
                os.sync()
                Path("/proc/sys/vm/drop_caches").write_text("3", encoding="ascii")
            with tempfile.TemporaryDirectory() as home:
                rows.append(one_start(command, display=display, home=home))
    # The first of the warm starts may have been a cold one.
    rows = rows[not asked.cold :]
    for name in rows[0]:
        values = [row[name] for row in rows]
        middle = statistics.median(values)
        print(f"{name:<11} median {middle:7.2f}  of {min(values):.2f} to {max(values):.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
