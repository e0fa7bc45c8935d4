"""Which drivers the loader takes in. The loader is a real one, in a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import opencl_drivers
import pytest

import probes.workers

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="description files are Linux's"
)

ASK = """
import json, sys
sys.path.insert(0, sys.argv[1])
import opencl_drivers, opencl_list
driver = sys.argv[2] if len(sys.argv) > 2 else None
found = opencl_list.list_devices(driver=driver)
print(json.dumps([row["is_bundled_driver"] for row in found["devices"]]))
"""


def devices_with(folder, *driver, **environment):
    """Return for each device whether its driver is the bundled one."""
    done = subprocess.run(
        [sys.executable, "-c", ASK, str(Path(next(iter(probes.workers.__path__)))), *driver],
        cwd=folder,
        env={**os.environ, "POCL_CACHE_DIR": str(folder), **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(name="bundled")
def _bundled():
    files = [file for file in opencl_drivers.list_files() if "/.libs/" in file]
    if not files:
        pytest.skip("the app brings an OpenCL device along for Linux on x86-64 only")
    return files[0]


def test_files_of_the_folder_that_the_environment_names(tmp_path, monkeypatch):
    for name in ("b.icd", "a.icd", "notes.txt"):
        (tmp_path / name).write_text("libnothing.so\n", encoding="utf-8")
    monkeypatch.setenv("OCL_ICD_VENDORS", str(tmp_path))
    found = opencl_drivers.list_files()
    assert found[:2] == [str(tmp_path / "a.icd"), str(tmp_path / "b.icd")]
    monkeypatch.setenv("OCL_ICD_VENDORS", str(tmp_path / "b.icd"))
    assert opencl_drivers.list_files() == [str(tmp_path / "b.icd")]


def test_the_bundled_driver_alone(bundled, tmp_path):
    assert devices_with(tmp_path, bundled) == [True]


def test_another_driver_alone_is_without_the_bundled_one(bundled, tmp_path):
    other = tmp_path / "other.icd"
    other.write_text("libnothing-at-all.so\n", encoding="utf-8")
    assert devices_with(tmp_path, str(other)) == []
    assert devices_with(tmp_path, OCL_ICD_VENDORS=str(other)) == []
    assert devices_with(tmp_path, OCL_ICD_VENDORS=str(tmp_path)) == [True]


def test_a_description_file_that_has_gone_is_an_os_error(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OSError, match="gone"):
        opencl_drivers.load(str(tmp_path / "gone.icd"))
