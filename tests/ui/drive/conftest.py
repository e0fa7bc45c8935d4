"""A virtual screen, and the real program on it, driven by the pointer and the keyboard."""

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.ui.screen import environment, virtual_screen

LAUNCHER = Path(__file__).with_name("window.py")
TOOLS = ("Xvfb", "xdotool", "openbox")


@pytest.fixture(scope="module")
def display():
    """Start a virtual screen with a window manager and give its name."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)} (packages xvfb, xdotool and openbox)")
    code = "from PySide6.QtGui import QGuiApplication; QGuiApplication([])"
    with virtual_screen() as name:
        opened = subprocess.run(
            [sys.executable, "-c", code], env=environment(name), capture_output=True, check=False
        )
        if opened.returncode:
            pytest.skip("Qt cannot open a window here; `python3 start.py` names what is missing")
        # Gives the keyboard to the window, as on every desktop.
        manager = subprocess.Popen(
            ["openbox"], env=environment(name), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            yield name
        finally:
            manager.terminate()
            manager.wait(10)


class Driver:
    """Sees what is written on the screen, clicks where it stands, presses keys."""

    def __init__(self, app, *, seen, display, home):
        self.app, self.home = app, home
        self._seen = seen
        self._environment = environment(display)

    def look(self):
        """Return what stands on the screen now; nothing before the window has come."""
        try:
            return json.loads(self._seen.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {"buttons": [], "texts": [], "page": "", "focus": "", "sliders": []}

    def wait_until(self, found, *, what, timeout_s=15.0):
        """Look until `found` gives something; return it."""
        until = time.monotonic() + timeout_s
        while time.monotonic() < until:
            assert self.app.poll() is None, f"the app has ended: {self.app.stderr.read()}"
            answer = found(self.look())
            if answer:
                return answer
            time.sleep(0.1)
        pytest.fail(f"{what} did not come within {timeout_s:g} s: {self.look()}")

    def find(self, text):
        known = self.look()["buttons"]
        return next((b for b in known if b["text"] == text and b["is_enabled"]), None)

    def wait_for(self, text, *, timeout_s=15.0):
        return self.wait_until(
            lambda _seen: self.find(text), what=f"button {text!r}", timeout_s=timeout_s
        )

    def read(self, *words, timeout_s=15.0):
        """Wait for a text that holds all the words; return it."""

        def found(seen):
            texts = seen["texts"]
            return next((t for t in texts if all(word in t for word in words)), None)

        return self.wait_until(found, what=f"a text with {words}", timeout_s=timeout_s)

    def click(self, text, *, timeout_s=15.0):
        button = self.wait_for(text, timeout_s=timeout_s)
        # The window may still be on its way to its place: look twice.
        time.sleep(0.5)
        button = self.find(text) or button
        self.click_at(button["x"], button["y"])

    def click_at(self, x, y):
        self._run("mousemove", "--sync", str(x), str(y), "click", "1")

    def press(self, *keys):
        self._run("key", "--delay", "60", *keys)

    def type(self, text):
        self._run("type", "--delay", "8", text)

    def page(self, name):
        self.wait_until(lambda seen: seen["page"] == name, what=f"page {name}")

    def _run(self, *words):
        subprocess.run(["xdotool", *words], env=self._environment, check=True, timeout=60)


@pytest.fixture
def open_window(display, tmp_path):
    """Return a function that opens the real window and gives its driver."""
    home = tmp_path / "home"
    home.mkdir()
    opened = []

    def start(*words):
        seen = tmp_path / f"seen-{len(opened)}.json"
        app = subprocess.Popen(
            [sys.executable, "-P", str(LAUNCHER), str(seen), *words],
            env=environment(display, HOME=str(home)), cwd=tmp_path,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        opened.append((app, psutil.Process(app.pid)))
        return Driver(app, seen=seen, display=display, home=home)

    yield start
    for app, process in opened:
        left = process.children(recursive=True) if app.poll() is None else []
        if app.poll() is None:
            app.kill()
        app.communicate(timeout=10)
        for child in left:
            child.kill()


@pytest.fixture
def driver(open_window):
    return open_window()


@pytest.fixture
def close():
    """Return a function that closes an app as Ctrl-C does and gives the seconds it took."""

    def close_app(app):
        began = time.monotonic()
        app.send_signal(signal.SIGINT)
        app.wait(20)
        return time.monotonic() - began

    return close_app
