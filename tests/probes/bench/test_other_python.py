"""Finding and measuring the frameworks of another interpreter."""

import json
import sys
from pathlib import Path

import pytest

from advisor.errors import InputError
from advisor.model.machine import Environment, InstalledFramework
from advisor.model.measurement import Outcome, Setting
from probes.bench.other_python import (
    BUDGET_S,
    find_environment,
    interpreter_of,
    list_devices,
    measure_environment,
)
from probes.bench.plan_builder import Budget
from probes.bench.plan_environment import FrameworkDevice
from probes.bench.process import CancelToken, WorkerCommand
from probes.machine.reader import SystemReader

DEVICES = Path(__file__).parents[2] / "data" / "workers" / "devices.py"
posix = pytest.mark.skipif(sys.platform == "win32", reason="an environment as POSIX has it")


@pytest.fixture
def reader():
    return SystemReader()


@pytest.fixture
def venv(tmp_path):
    """A virtual environment whose interpreter is ours, without our packages."""

    def make(*packages):
        root = tmp_path / "env"
        (root / "bin").mkdir(parents=True)
        (root / "bin" / "python3").symlink_to(sys.executable)
        (root / "pyvenv.cfg").write_text(
            f"home = {Path(sys.base_prefix) / 'bin'}\nversion = 3.11.7\n"
        )
        site = root / "lib" / "python3.11" / "site-packages"
        site.mkdir(parents=True)
        for package in packages:
            (site / f"{package}.dist-info").mkdir()
        return root

    return make


@posix
def test_an_environment_is_found_by_its_interpreter_or_its_folder(venv, reader):
    root = venv("torch-2.9.0", "keras-3.5.0")
    python = root / "bin" / "python3"
    for named in (python, root):
        found = find_environment(str(named), reader=reader)
        assert {f.name: f.version for f in found.frameworks} == {"torch": "2.9.0", "keras": "3.5.0"}
        assert Path(interpreter_of(found, named=str(named))) == python


def test_our_own_environment_is_found(reader):
    assert find_environment(sys.executable, reader=reader).frameworks


@posix
def test_what_is_no_environment_with_a_framework_is_refused(venv, reader, tmp_path):
    with pytest.raises(InputError, match="no such interpreter"):
        find_environment(str(tmp_path / "nothing"), reader=reader)
    with pytest.raises(InputError, match="no deep-learning framework"):
        find_environment(str(venv("requests-2.0")), reader=reader)


@posix
def test_each_kind_of_a_wrong_interpreter_has_its_own_reason(venv, reader, tmp_path):
    gone = tmp_path / "gone" / "python3"
    gone.parent.mkdir()
    gone.symlink_to(tmp_path / "removed" / "python3")
    other = tmp_path / "tool"
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    locked = venv("torch-2.9.0") / "bin" / "python3.11"
    locked.write_text("")
    reasons = {
        gone: "the link leads nowhere",
        gone.parent: "no deep-learning framework",
        other: "not a Python interpreter",
        other.parent: "no Python interpreter in this folder",
        locked: "its file is not executable",
    }
    for place, reason in reasons.items():
        with pytest.raises(InputError, match=reason):
            find_environment(str(place), reader=reader)


def environment(*names):
    frameworks = tuple(InstalledFramework(name=name, version="2.0") for name in names)
    return Environment(python="/x/python", version=None, kind="venv", frameworks=frameworks)


def answering(**answers):
    asked = []

    def command(name, *, python=None, settings=()):
        asked.append((name, python))
        said = Setting(name="DL_DEVICES", value=json.dumps(answers))
        return WorkerCommand(argv=(sys.executable, "-S", str(DEVICES)), environment=(said,))

    return command, asked


def test_each_framework_is_asked_and_one_that_fails_has_no_devices():
    command, asked = answering(
        torch=[{"id": "torch:xpu:0", "name": "Arc"}, {"id": "cuda:0"}, 7], openvino="nonsense"
    )
    found = list_devices(
        environment("torch", "jax", "openvino", "tensorflow"), python="/y", command=command
    )
    assert found == (FrameworkDevice(id="torch:xpu:0", name="Arc"),)
    assert asked == [("framework_list", "/y")] * 3


def test_a_framework_whose_turn_does_not_come_in_time_has_no_devices():
    command, asked = answering(torch=[{"id": "torch:xpu:0", "name": "Arc"}])
    found = list_devices(environment("torch", "jax"), python="/y", command=command, limit_s=0.0)
    assert (found, asked) == ((), [])


def test_a_quick_look_at_another_python_takes_a_minute_at_most():
    assert BUDGET_S[Budget.QUICK] < 60.0
    assert BUDGET_S[Budget.THOROUGH] < 600.0


def test_nobody_is_asked_after_cancelling():
    token = CancelToken()
    token.cancel()
    command, asked = answering()
    assert list_devices(environment("torch"), python="/y", cancel=token, command=command) == ()
    assert asked == []


@posix
def test_a_framework_that_does_not_load_is_told_for_each_kernel(venv, reader, profile):
    # The folder of the package's description is there, the package is not.
    root = venv("torch-2.9.0")
    plans = []
    found = measure_environment(str(root), profile, reader=reader, on_plan=plans.append)
    assert len(found.results) == len(plans[0]) > 5
    assert {f.outcome for f in found.failed} == {Outcome.UNSUPPORTED}
    assert "has no package 'torch'" in found.failed[0].message


def test_a_device_that_the_frameworks_do_not_see_is_refused(reader, profile):
    with pytest.raises(InputError, match="opencl:0:0"):
        measure_environment(sys.executable, profile, reader=reader, device_ids=["opencl:0:0"])
