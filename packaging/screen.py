"""A display of its own, and the hands and eyes of somebody who sits before it.

Part of `prove.py`. Windows are found by their class, icons by their colour, as a layout may
change; what is pressed are the keys that the window underlines. Needs Xvfb,
openbox, xdotool and ImageMagick.
"""

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from PIL import Image

SIZE = "1280x800"
_WAIT_S = 40.0
_POLL_S = 0.1
_END_S = 10.0
# The ground of our icon, how near a colour must be, and how many pixels of it are an icon.
ICON_COLOUR = (0x2F, 0x6D, 0xB5)
_NEAR = 8
_MIN_PIXELS = 300


class Screen:
    """One display of Xvfb, for as long as the block lasts."""

    def __init__(self, folder: Path) -> None:
        """Name the folder for its pictures."""
        self._folder = folder
        self.display = ""
        self._children: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> "Screen":
        """Start it on a number that is free."""
        reading, writing = os.pipe()
        command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", f"{SIZE}x24"]
        self._server = subprocess.Popen(
            command, pass_fds=[writing], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        os.close(writing)
        with os.fdopen(reading) as told:
            self.display = f":{told.readline().strip()}"
        if self.display == ":":
            raise OSError("Xvfb did not start")
        self.start("openbox")
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """Stop it, and with it what is drawn on it."""
        self._server.terminate()
        for child in (self._server, *self._children):
            try:
                child.wait(_END_S)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()

    def start(self, *command: str) -> None:
        """Start a program that draws on it and ends with it."""
        quiet = subprocess.DEVNULL
        child = subprocess.Popen(command, stdout=quiet, stderr=quiet, env=self.environment)
        self._children.append(child)

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a program that draws on it."""
        return {**os.environ, "DISPLAY": self.display}

    def _tool(self, *command: str) -> str:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=30, check=False, env=self.environment
        )
        return done.stdout.strip()

    def picture(self, name: str) -> Path:
        """Keep a picture of the screen."""
        path = self._folder / f"{name}.png"
        self._tool("import", "-window", "root", str(path))
        return path

    def windows(self, kind: str) -> list[str]:
        """Return the windows that are to be seen, of a class."""
        return self._tool("xdotool", "search", "--onlyvisible", "--class", kind).split()

    def wait_for_window(self, kind: str) -> str:
        """Return the window of a class as soon as it is seen."""
        self.wait(lambda: bool(self.windows(kind)), f"a window of {kind}")
        return self.windows(kind)[-1]

    def wait(self, is_there: Callable[[], bool], what: str, *, limit_s: float = _WAIT_S) -> float:
        """Wait until something is there; return the seconds.

        Raises:
            OSError: when it does not come; there is a picture then.
        """
        began = time.monotonic()
        while not is_there():
            if time.monotonic() - began > limit_s:
                self.picture("failed")
                raise OSError(f"{what} did not come within {limit_s:.0f} s; see failed.png")
            time.sleep(_POLL_S)
        return time.monotonic() - began

    def settle(self, *, limit_s: float = 8.0) -> None:
        """Wait until the screen stays as it is."""
        before, began = b"", time.monotonic()
        while time.monotonic() - began < limit_s:
            time.sleep(0.5)
            now = Image.open(self.picture("now")).convert("RGB").tobytes()
            if now == before:
                break
            before = now
        (self._folder / "now.png").unlink(missing_ok=True)

    def double_click_icon(self) -> None:
        """Double-click on our icon, wherever a file manager shows it."""
        place: list[tuple[int, int]] = []

        def is_seen() -> bool:
            found = icon_place(self.picture("now"))
            place[:] = [found] if found else []
            return bool(found)

        self.wait(is_seen, "our icon")
        x, y = place[0]
        click = ("click", "--repeat", "2", "--delay", "90", "1")
        self._tool("xdotool", "mousemove", str(x), str(y), "sleep", "0.3", *click)

    def key(self, *keys: str) -> None:
        """Press keys in whatever has the keyboard."""
        self._tool("xdotool", "key", "--clearmodifiers", "--delay", "60", *keys)

    def write(self, text: str) -> None:
        """Type a text in the place of what is selected, and press Return."""
        self.key("ctrl+a")
        self._tool("xdotool", "type", "--delay", "20", text)
        self.key("Return")


def icon_place(picture: Path) -> tuple[int, int] | None:
    """Return the middle of our icon in a picture; None where it is not to be seen."""
    image = Image.open(picture).convert("RGB")
    data = image.tobytes()
    spots = [
        (at // 3 % image.width, at // 3 // image.width)
        for at in range(0, len(data), 3)
        if all(abs(data[at + part] - ICON_COLOUR[part]) <= _NEAR for part in range(3))
    ]
    if len(spots) < _MIN_PIXELS:
        return None
    across, down = zip(*spots, strict=True)
    return (min(across) + max(across)) // 2, (min(down) + max(down)) // 2
