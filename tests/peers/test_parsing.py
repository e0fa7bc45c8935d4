"""Recorded outputs of the peers are read, of runs that went well and of runs that did not."""

from pathlib import Path

import pytest

from tests.peers.parsing import BANDWIDTH, COMPUTE, parse_clblast, parse_clpeak

RECORDED = Path(__file__).parents[1] / "data" / "peers"


def recorded(name):
    return (RECORDED / name).read_text(encoding="utf-8")


def test_clpeak():
    (device,) = parse_clpeak(recorded("clpeak-1.1.2-intel-cpu.txt"))
    assert (device.platform, device.name) == ("Intel(R) OpenCL", "AMD EPYC")
    assert device.best(COMPUTE) == 44.94
    assert device.best(BANDWIDTH) == 19.94
    assert device.best("Integer compute (GIOPS)") is None
    assert len(device.figures) == 10
    assert device.complaints == ()


def test_clpeak_whose_programs_do_not_build():
    (device,) = parse_clpeak(recorded("clpeak-1.1.2-pocl-fails.txt"))
    assert device.name == "pthread-AMD EPYC"
    assert device.figures == ()
    assert "unknown target CPU" in device.complaints[0]


def test_clpeak_of_two_devices():
    text = recorded("clpeak-1.1.2-intel-cpu.txt") + recorded("clpeak-1.1.2-pocl-fails.txt")
    first, second = parse_clpeak(text)
    assert (first.platform, second.platform) == (
        "Intel(R) OpenCL", "Portable Computing Language"
    )  # fmt: skip
    assert first.best(COMPUTE) == 44.94
    assert second.best(COMPUTE) is None


@pytest.mark.parametrize("text", ["", "no platforms found\n", "    float : 3\n"])
def test_clpeak_without_devices(text):
    assert parse_clpeak(text) == ()


def test_clblast():
    found = parse_clblast(recorded("clblast-1.5.3-intel-cpu.txt"))
    assert set(found) == {(512, 512, 512), (1024, 1024, 1024)}
    assert found[1024, 1024, 1024] == 74.0


def test_clblast_that_aborts():
    assert parse_clblast(recorded("clblast-1.5.3-pocl-fails.txt")) == {}


def test_clblast_without_abbreviations_and_with_garbage():
    table = "m; n; k; GFLOPS_1\n 1024; 1024; 1024; 18.4\n a; b; c; d\n 1; 2\n"
    assert parse_clblast(table) == {(1024, 1024, 1024): 18.4}
