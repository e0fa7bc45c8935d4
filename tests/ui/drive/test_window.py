"""The real window on a real (virtual) screen, driven by clicks alone, with real measurements."""

import json
import time

import psutil
import pypdf
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]
RUN_S = 240.0


def test_from_one_click_to_a_pdf(driver, close, tmp_path):
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


def test_closing_while_measuring_leaves_no_child(driver, close):
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


def test_stopping_gives_what_was_measured_until_then(driver, close, tmp_path):
    driver.click("Advise me")
    driver.wait_for("Stop measuring")
    time.sleep(6.0)
    driver.click("Stop measuring")
    began = time.monotonic()
    driver.read("Stopping", timeout_s=1.0)
    driver.wait_for("Advise me", timeout_s=6.0)
    assert time.monotonic() - began < 5.0
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
