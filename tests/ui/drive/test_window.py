"""The real window on a real (virtual) screen, driven by clicks alone, with real measurements."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pypdf
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]
LAUNCHER = Path(__file__).with_name("window.py")
TOOLS = ("Xvfb", "xdotool")
RUN_S = 240.0


@pytest.fixture(scope="module")
def display():
    """Start a virtual screen and give its name."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)} (packages xvfb and xdotool)")
    reader, writer = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1280x900x24", "-nolisten", "tcp"],
        pass_fds=[writer], stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(writer)
    with os.fdopen(reader) as stream:
        number = stream.readline().strip()
    name = f":{number}"
    code = "from PySide6.QtGui import QGuiApplication; QGuiApplication([])"
    opened = subprocess.run(
        [sys.executable, "-c", code], env=environment(name), capture_output=True, check=False
    )
    try:
        if opened.returncode:
            pytest.skip("Qt cannot open a window here; `python3 start.py` names what is missing")
        yield name
    finally:
        server.terminate()
        server.wait(10)


def environment(display, **more):
    kept = {name: value for name, value in os.environ.items() if name != "QT_QPA_PLATFORM"}
    root = str(Path(__file__).resolve().parents[3])
    return {**kept, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "PYTHONPATH": root, **more}


class Driver:
    """Finds buttons by their text and clicks them where they stand."""

    def __init__(self, app, *, positions, display):
        self.app = app
        self._positions = positions
        self._environment = environment(display)

    def find(self, text):
        try:
            known = json.loads(self._positions.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return next((b for b in known if b["text"] == text and b["is_enabled"]), None)

    def wait_for(self, text, *, timeout_s=15.0):
        until = time.monotonic() + timeout_s
        while time.monotonic() < until:
            assert self.app.poll() is None, "the app has ended"
            button = self.find(text)
            if button is not None:
                return button
            time.sleep(0.1)
        pytest.fail(f"no button {text!r} could be pressed within {timeout_s:g} s")

    def click(self, text, *, timeout_s=15.0):
        button = self.wait_for(text, timeout_s=timeout_s)
        # The window may still be on its way to its place: look twice.
        time.sleep(0.5)
        button = self.find(text) or button
        words = ["mousemove", "--sync", str(button["x"]), str(button["y"]), "click", "1"]
        subprocess.run(["xdotool", *words], env=self._environment, check=True)


@pytest.fixture
def driver(display, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    positions = tmp_path / "buttons.json"
    app = subprocess.Popen(
        [sys.executable, "-P", str(LAUNCHER), str(positions)],
        env=environment(display, HOME=str(home)), cwd=tmp_path,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    children = psutil.Process(app.pid)
    yield Driver(app, positions=positions, display=display)
    left = children.children(recursive=True) if app.poll() is None else []
    if app.poll() is None:
        app.kill()
    app.communicate(timeout=10)
    for child in left:
        child.kill()


def close(app):
    """Close the window as Ctrl-C in its terminal does; return the seconds until it has gone."""
    began = time.monotonic()
    app.send_signal(signal.SIGINT)
    app.wait(20)
    return time.monotonic() - began


def test_from_one_click_to_a_pdf(driver, tmp_path):
    driver.click("Advise me")
    driver.wait_for("Stop measuring")
    driver.wait_for("Advise me", timeout_s=RUN_S)
    driver.click("All options and the report")
    driver.click("Export PDF…")
    driver.click("Save")
    home = tmp_path / "home"
    until = time.monotonic() + 20.0
    while not list(home.glob("*.pdf")) and time.monotonic() < until:
        time.sleep(0.1)
    (pdf,) = home.glob("dl-advisor-*.pdf")
    text = "".join(page.extract_text() for page in pypdf.PdfReader(pdf).pages)
    assert "The answer" in text
    assert "Measured here" in text
    assert close(driver.app) < 5.0
    assert driver.app.returncode == 0


def is_worker(process):
    try:
        return any(word.endswith("main.py") for word in process.cmdline())
    except psutil.Error:
        return False


def test_closing_while_measuring_leaves_no_child(driver):
    driver.click("Advise me")
    driver.wait_for("Stop measuring")
    seen = {}
    until = time.monotonic() + 30.0
    while not any(is_worker(child) for child in seen.values()) and time.monotonic() < until:
        found = psutil.Process(driver.app.pid).children(recursive=True)
        seen.update({child.pid: child for child in found})
        time.sleep(0.02)
    assert seen
    assert close(driver.app) < 8.0
    assert driver.app.returncode == 0
    _gone, alive = psutil.wait_procs(seen.values(), timeout=2.0)
    assert alive == []


def test_stopping_gives_what_was_measured_until_then(driver, tmp_path):
    driver.click("Advise me")
    driver.wait_for("Stop measuring")
    time.sleep(6.0)
    driver.click("Stop measuring")
    driver.wait_for("Advise me", timeout_s=20.0)
    driver.click("All options and the report")
    driver.click("Save as JSON…")
    driver.click("Save")
    until = time.monotonic() + 10.0
    home = tmp_path / "home"
    while not list(home.glob("*.json")) and time.monotonic() < until:
        time.sleep(0.1)
    (file,) = home.glob("*.json")
    assert json.loads(file.read_text(encoding="utf-8"))["kind"] == "Recommendation"
    assert close(driver.app) < 5.0
