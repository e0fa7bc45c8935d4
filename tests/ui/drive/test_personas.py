"""One journey for each kind of user, by the pointer and the keyboard, from a saved file.

Their hardware is not ours: a recorded machine is probed, an advice for it is computed by the
command line and saved, and the real window opens that file.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pypdf
import pytest

from advisor.model.codec import dump_document
from probes.machine.collect import collect_profile
from probes.machine.recording import RecordedReader
from ui.files import write_bytes

pytestmark = [pytest.mark.slow, pytest.mark.timeout(200)]
ROOT = Path(__file__).resolve().parents[3]
MACHINES = ROOT / "tests/data/machines"


@pytest.fixture
def saved(tmp_path):
    """Return a function that saves the advice for a recorded machine and gives its file."""

    def save(machine, *words):
        profile = collect_profile(
            RecordedReader(MACHINES / machine), today="2026-11-20", list_opencl=None
        )
        place, target = tmp_path / "profile.json", tmp_path / f"{machine}.json"
        write_bytes(place, dump_document(profile).encode())
        command = [sys.executable, "-P", "-m", "ui", "recommend", *words]
        done = subprocess.run(
            [*command, "--profile", str(place), "--json", str(target)],
            env={**os.environ, "PYTHONPATH": str(ROOT)}, cwd=tmp_path, capture_output=True,
            text=True, timeout=100, check=False,
        )  # fmt: skip
        assert target.is_file(), done.stderr
        return target

    return save


def moved(driver, began):
    """Tell whether the first slider stands elsewhere than it began."""
    return driver.wait_until(
        lambda seen: seen["sliders"] and seen["sliders"][0]["at"] != began["at"],
        what="another number of epochs",
    )


def test_a_student_with_an_apu_sees_what_is_free_and_what_renting_costs(open_window, close, saved):
    file = saved("ryzen-5600g", "cifar10-deep-cnn", "--epochs", "30")
    driver = open_window(str(file))
    driver.page("advice")
    driver.read("USD")
    driver.wait_until(lambda seen: seen["sliders"], what="the sliders")
    # The window may still be on its way to its place.
    time.sleep(0.8)
    began = driver.look()["sliders"][0]
    driver.click_at(began["x"], began["y"])
    driver.press("Page_Up", "Page_Up")
    assert moved(driver, began)
    first = driver.look()["texts"]
    driver.press("Tab", "Tab", "Tab")
    for _ in range(12):
        if driver.look()["focus"] == "Options":
            break
        driver.press("Tab")
        time.sleep(0.25)
    driver.press("Down", "Down")
    driver.wait_until(lambda now: now["texts"] != first, what="the answer of another row")
    driver.click("Time and money")
    driver.click("Avoid")
    assert close(driver.app) < 5.0
    assert driver.app.returncode == 0


def test_an_engineer_with_many_cores_goes_through_the_settings_by_keyboard(
    open_window, close, saved
):
    file = saved("dual-socket-xeon", "resnet-56", "--no-cloud", "--no-buy")
    driver = open_window(str(file))
    driver.page("advice")
    driver.press("ctrl+2")
    driver.page("machine")
    driver.read("Xeon")
    driver.press("ctrl+6")
    driver.page("advice")
    driver.wait_for("Avoid")
    seen = set()
    for _ in range(40):
        driver.press("Tab")
        time.sleep(0.25)
        seen.add(driver.look()["focus"])
        if "Options" in seen:
            break
    assert "Options" in seen, seen
    driver.press("alt+v")
    driver.read("Do not compile Keras models with XLA on the CPU")
    driver.read("Do not change the Keras backend to JAX on a CPU")
    driver.press("alt+y")
    driver.wait_until(
        lambda now: any("threads" in text for text in now["texts"]), what="threads to be tried"
    )
    assert close(driver.app) < 5.0


def test_a_hobbyist_with_a_raspberry_pi_asks_for_inference(open_window, close, saved):
    file = saved("raspberry-pi-5", "mobilenetv2", "--phase", "inference", "--batch-size", "1")
    driver = open_window(str(file))
    driver.page("advice")
    driver.press("ctrl+2")
    driver.page("machine")
    driver.read("Cortex-A76")
    driver.press("ctrl+1")
    driver.page("start")
    driver.read("The last advice", "MobileNet V2", "inference")
    driver.click("All options and the report")
    driver.page("advice")
    driver.click("Full report")
    driver.read("inference")
    driver.click("Copy as text")
    assert close(driver.app) < 5.0


def test_a_lab_lead_opens_a_saved_file_and_hands_a_pdf_to_the_purchaser(open_window, close, saved):
    file = saved("intel-iris-xe-laptop", "resnet-50", "--epochs", "90", "--samples", "100000")
    driver = open_window()
    driver.page("start")
    driver.press("ctrl+7")
    driver.page("history")
    driver.press("alt+o")
    driver.wait_for("Cancel")
    # The dialog gets the keyboard a moment after it is seen.
    time.sleep(1.0)
    driver.type(str(file))
    driver.press("Return")
    driver.click("Show as the advice")
    driver.page("advice")
    driver.press("alt+p")
    driver.wait_for("Save")
    driver.press("Return")
    until = time.monotonic() + 20.0
    while not list(driver.home.glob("*.pdf")) and time.monotonic() < until:
        time.sleep(0.1)
    (pdf,) = driver.home.glob("dl-advisor-*.pdf")
    pages = [page.extract_text() for page in pypdf.PdfReader(pdf).pages]
    assert len(pages) >= 2
    assert "USD" in pages[0] + pages[1]
    assert " h" in pages[0] + pages[1]
    assert json.loads(file.read_text(encoding="utf-8"))["kind"] == "Recommendation"
    assert close(driver.app) < 5.0
