"""The environment of a child."""

import sys

from advisor.model.measurement import Setting
from probes.bench.environment import child_environment, restored_library_path, temporary_place


def test_only_what_is_allowed_passes_and_settings_win():
    inherited = {
        "PATH": "/bin",
        "LC_ALL": "C",
        "OMP_NUM_THREADS": "1",
        "TF_ENABLE_ONEDNN_OPTS": "0",
        "PYTHONPATH": "/x",
        "KERAS_BACKEND": "jax",
        "SystemRoot": "C:/Windows",
    }
    settings = (Setting(name="OMP_NUM_THREADS", value="4"), Setting(name="PATH", value="/y"))
    assert child_environment(inherited, settings=settings) == {
        "PATH": "/y",
        "LC_ALL": "C",
        "SystemRoot": "C:/Windows",
        "OMP_NUM_THREADS": "4",
    }


def test_the_library_path_of_before_the_app_comes_back(monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    assert restored_library_path({"PATH": "/bin"}) == ()
    frozen = {"LD_LIBRARY_PATH": "/app", "LD_LIBRARY_PATH_ORIG": "/opt/lib"}
    assert restored_library_path(frozen) == (Setting(name="LD_LIBRARY_PATH", value="/opt/lib"),)
    without = restored_library_path({"LD_LIBRARY_PATH": "/app"})
    assert without == (Setting(name="LD_LIBRARY_PATH", value=""),)
    monkeypatch.setattr(sys, "platform", "darwin")
    assert restored_library_path(frozen) == ()


def test_temporary_files_lie_in_the_folder_of_the_worker(monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    place = temporary_place("/tmp/dl-advisor-1-x")
    assert child_environment({"TMPDIR": "/of/the/user", **place}) == place
    assert set(place) == {"TMPDIR", "TEMP", "TMP"}
    monkeypatch.setattr(sys, "platform", "darwin")
    assert temporary_place("/x") == {}
