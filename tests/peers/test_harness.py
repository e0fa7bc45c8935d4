"""Drivers are found one by one, programs run or are missing plainly, the exit code says which."""

import dataclasses
import json
import sys

import pytest

from advisor.model.machine import DeviceKind, OpenclDevice
from tests.peers import __main__ as command
from tests.peers import drivers, programs
from tests.peers.contests import best_of, clpeak_figures, leaders
from tests.peers.duel import Contest, PeerFailed, PeerMissing
from tests.peers.parsing import COMPUTE, ClpeakDevice

DEVICE = OpenclDevice(
    id="opencl:0:0", kind=DeviceKind.CPU, name="Chip", vendor="V", platform="Maker",
    platform_version="1", device_version="1", driver_version="1", compute_units=1, max_mhz=None,
    global_mem_bytes=1, max_alloc_bytes=1, local_mem_bytes=1, max_work_group_size=1,
    has_unified_memory=True, has_fp16=False, has_fp64=False, is_bundled_driver=False,
)  # fmt: skip


def at(place, *, bundled=False):
    return dataclasses.replace(DEVICE, id=f"opencl:{place}:0", is_bundled_driver=bundled)


def test_each_library_is_a_driver_once(tmp_path, monkeypatch):
    system, extra = tmp_path / "vendors", tmp_path / "libextra.so"
    system.mkdir()
    extra.touch()
    (system / "one.icd").write_text("libone.so.1\n", encoding="utf-8")
    (system / "two.icd").write_text("libone.so.1\n", encoding="utf-8")
    (system / "beside.icd").write_text("libbeside.so\n", encoding="utf-8")
    (system / "libbeside.so").touch()
    monkeypatch.setattr(drivers, "SYSTEM_FOLDER", system)
    monkeypatch.setattr(drivers, "bundled_file", lambda: None)
    found = drivers.find_drivers(tmp_path / "work", extra=(extra, system / "one.icd"))
    texts = {d.name: (d.folder / "driver.icd").read_text(encoding="utf-8").strip() for d in found}
    assert texts == {
        "libextra": str(extra), "one": "libone.so.1", "beside": str(system / "libbeside.so")
    }  # fmt: skip
    assert found[0].variables == {"OCL_ICD_VENDORS": str(found[0].folder)}


def test_the_bundled_driver_that_our_loader_adds_is_left_out():
    own, added = at(0), at(1, bundled=True)
    assert drivers.own_devices([own, added], is_bundled=False) == (own,)
    # A driver that does not load leaves the added one alone.
    assert drivers.own_devices([at(0, bundled=True)], is_bundled=False) == ()
    assert drivers.own_devices([at(0, bundled=True)], is_bundled=True) == (at(0, bundled=True),)
    # Two PoCLs: both platforms look bundled, only the last one is the added.
    both = [at(0, bundled=True), at(1, bundled=True)]
    assert drivers.own_devices(both, is_bundled=False) == (both[0],)
    assert drivers.own_devices(both, is_bundled=True) == (both[0],)
    assert drivers.own_devices([], is_bundled=False) == ()


def test_a_program_that_is_not_there():
    with pytest.raises(PeerMissing, match="Debian package clpeak"):
        programs.find_program("no-such-program-xyz", package="Debian package clpeak")


def test_a_program_that_takes_too_long():
    sleeper = [sys.executable, "-c", "import time; time.sleep(30)"]
    with pytest.raises(PeerFailed, match="timed out"):
        programs.run_program(sleeper, settings={}, timeout_s=0.2)


def test_a_program_gets_its_settings_and_little_else(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    code = "import os; print(os.environ.get('OMP_NUM_THREADS'), os.environ['OCL_ICD_VENDORS'])"
    text = programs.run_program([sys.executable, "-c", code], settings={"OCL_ICD_VENDORS": "/x"})
    assert text.split() == ["None", "/x"]


def test_the_plainest_product_of_numpy():
    figures = programs.run_script("cpu_gemm.py", ["numpy", "64"])
    assert set(figures) == {"gemm 64"}
    assert figures["gemm 64"] > 0.0


def test_a_library_that_is_not_there(monkeypatch):
    answer = '{"missing": "torch is not installed"}'
    monkeypatch.setattr(programs, "run_program", lambda *_args, **_kwargs: "chatter\n" + answer)
    with pytest.raises(PeerMissing, match="torch is not installed"):
        programs.run_script("cpu_gemm.py", ["torch", "64"])


def test_onednn_is_missing_plainly(tmp_path):
    nothing = tmp_path / "libdnnl.so"
    nothing.write_bytes(b"no library")
    with pytest.raises(PeerMissing, match="onednn is not installed"):
        programs.run_script("cpu_gemm.py", [f"onednn={nothing}", "64"])


def test_the_best_library_of_each_size():
    figures = {"numpy gemm 512": 3.0, "onednn gemm 512": 4.0, "numpy gemm 1024": 5.0}
    assert best_of(figures) == {"best gemm 512": 4.0, "best gemm 1024": 5.0}
    assert leaders(figures) == ["gemm 512: onednn, 4 GFLOP/s", "gemm 1024: numpy, 5 GFLOP/s"]


def test_a_script_without_figures():
    with pytest.raises(PeerFailed, match=r"cpu_gemm\.py fortran 64"):
        programs.run_script("cpu_gemm.py", ["fortran", "64"])


def test_clpeak_must_see_the_same_device():
    seen = ClpeakDevice(platform="Maker", name="Chip", figures=((COMPUTE, "float", 3.0),))
    assert clpeak_figures([seen], device=DEVICE) == {"compute": 3.0}
    other = dataclasses.replace(seen, name="Other")
    with pytest.raises(PeerFailed, match="sees Maker: Other, not Maker: Chip"):
        clpeak_figures([other], device=DEVICE)
    with pytest.raises(PeerFailed, match="no device"):
        clpeak_figures([], device=DEVICE)
    silent = dataclasses.replace(seen, figures=(), complaints=("Build failed",))
    with pytest.raises(PeerFailed, match="Build failed"):
        clpeak_figures([silent], device=DEVICE)


def raising(error):
    def measure():
        raise error

    return measure


@pytest.mark.parametrize(
    ("theirs", "code"),
    [
        (lambda: {"other": 2.0}, 0),
        (raising(PeerMissing("clpeak is not installed: Debian package clpeak")), 3),
        (raising(PeerFailed("crashed")), 1),
        (dict, 1),
    ],
)
def test_exit_codes(theirs, code, monkeypatch, tmp_path, capsys):
    contest = Contest(
        device="D", peer="P", ours=lambda: {"mine": 1.0}, theirs=theirs,
        pairs=(("mine", "other", "GB/s"),),
    )  # fmt: skip
    monkeypatch.setattr(command, "planned", lambda _options, _folder: iter([contest]))
    file = tmp_path / "out.json"
    assert command.main(["--rounds", "2", "--json", str(file)]) == code
    document = json.loads(file.read_text(encoding="utf-8"))
    assert [row["ratio"] for row in document["rows"]] == ([0.5] if code == 0 else [])
    printed = capsys.readouterr()
    assert ("0.50" in printed.out) is (code == 0)
    assert ("not installed" in printed.err) is (code == 3)
