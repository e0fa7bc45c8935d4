"""The listing is parsed with distrust; the child is a real one."""

import dataclasses
import logging
import platform
import sys
from pathlib import Path

import pytest

import probes.workers
from advisor.errors import FormatError
from advisor.model.machine import DeviceKind, GraphicsDevice, MissingFact, OpenclDevice
from probes.bench.commands import WorkerCommand
from probes.bench.protocol import PROTOCOL_VERSION
from probes.machine.opencl import (
    find_vendor,
    list_doubtful_facts,
    list_opencl_devices,
    name_by_driver,
    parse_failures,
    parse_opencl_listing,
)

ENTRY = {
    "platform_index": 1,
    "device_index": 0,
    "platform": "rusticl",
    "platform_version": "OpenCL 3.0",
    "name": "AMD Radeon Graphics (radeonsi, renoir)",
    "vendor": "AMD",
    "device_version": "OpenCL 3.0",
    "driver_version": "24.2.0",
    "type": "gpu",
    "compute_units": 7,
    "max_mhz": 1900,
    "global_mem_bytes": 8 << 30,
    "max_alloc_bytes": 2 << 30,
    "local_mem_bytes": 65536,
    "max_work_group_size": 1024,
    "has_unified_memory": True,
    "extensions": ["cl_khr_fp16", "cl_khr_fp64"],
    "is_bundled_driver": False,
}


def parse_one(**changes):
    (device,) = parse_opencl_listing([{**ENTRY, **changes}])
    return device


def test_a_device():
    device = parse_one()
    assert (device.id, device.kind, device.max_mhz) == ("opencl:1:0", DeviceKind.IGPU, 1900.0)
    assert device.has_fp16
    assert device.has_fp64
    assert not device.is_bundled_driver


@pytest.mark.parametrize(
    ("type_", "is_unified", "kind"),
    [
        ("gpu", True, DeviceKind.IGPU),
        ("gpu", False, DeviceKind.DGPU),
        ("cpu", True, DeviceKind.CPU),
        ("accelerator", False, DeviceKind.NPU),
        ("other", False, DeviceKind.OTHER),
        (None, False, DeviceKind.OTHER),
    ],
)
def test_kinds(type_, is_unified, kind):
    assert parse_one(type=type_, has_unified_memory=is_unified).kind is kind


def _gpu(name, **changes):
    nothing = {field.name: None for field in dataclasses.fields(GraphicsDevice)}
    known = {"id": "gpu0", "kind": DeviceKind.IGPU, "vendor": "AMD", "name": name}
    return GraphicsDevice(**{**nothing, **known, **changes})


@pytest.mark.parametrize(
    ("graphics", "names", "expected"),
    [
        (["AMD device 1002:15bf"], ["AMD Radeon 780M Graphics"], ["AMD Radeon 780M Graphics"]),
        (["AMD Phoenix1"], ["AMD Radeon 780M Graphics"], ["AMD Phoenix1"]),
        (["AMD device 1002:15bf"], ["gfx1103"], ["AMD device 1002:15bf"]),
        (["AMD device 1002:15bf"], ["AMD Radeon A", "AMD Radeon B"], ["AMD device 1002:15bf"]),
        (["AMD device 1002:15bf"], [], ["AMD device 1002:15bf"]),
        (
            ["AMD device 1002:15bf", "AMD device 1002:15c0"],
            ["AMD Radeon A"],
            ["AMD device 1002:15bf", "AMD device 1002:15c0"],
        ),
    ],
)
def test_a_gpu_known_by_its_number_alone_takes_the_name_of_its_driver(graphics, names, expected):
    found = name_by_driver(
        tuple(_gpu(name) for name in graphics),
        opencl=tuple(parse_one(name=name, device_index=at) for at, name in enumerate(names)),
    )
    assert [gpu.name for gpu in found] == expected


def test_a_gpu_of_another_kind_does_not_give_its_name():
    card = _gpu("AMD device 1002:15bf", kind=DeviceKind.DGPU)
    assert name_by_driver((card,), opencl=(parse_one(),)) == (card,)


@pytest.mark.parametrize("clock", [0, -1, 42949672, 4294967295, None, "fast", float("nan")])
def test_a_clock_that_cannot_be_is_unknown_and_told(clock):
    device = parse_one(max_mhz=clock)
    assert device.max_mhz is None
    (fact,) = list_doubtful_facts((device,))
    assert fact.fact == "opencl.opencl:1:0.max_mhz"
    assert list_doubtful_facts((parse_one(),)) == ()


@pytest.mark.parametrize(
    "changes",
    [
        {"name": ""},
        {"global_mem_bytes": 0},
        {"compute_units": 0},
        {"max_alloc_bytes": None},
        {"local_mem_bytes": -1},
        {"device_index": None},
    ],
)
def test_a_device_without_sense_is_left_out_and_logged(changes, caplog):
    with caplog.at_level(logging.WARNING):
        devices = parse_opencl_listing([ENTRY, {**ENTRY, "platform_index": 2, **changes}])
    assert [device.id for device in devices] == ["opencl:1:0"]
    assert "left out" in caplog.text


@pytest.mark.parametrize("data", [None, {}, "x", [1], [{}]])
def test_a_listing_without_any_sense_is_refused(data):
    with pytest.raises(FormatError, match="OpenCL"):
        parse_opencl_listing(data)


def test_no_devices_is_an_answer():
    assert parse_opencl_listing([]) == ()


@pytest.mark.parametrize(
    ("text", "vendor"),
    [
        ("Advanced Micro Devices, Inc.", "AMD"),
        ("Intel(R) Corporation", "Intel"),
        ("NVIDIA Corporation", "NVIDIA"),
        ("GenuineIntel", "Intel"),
        ("Mesa/X.org", None),
    ],
)
def test_vendors(text, vendor):
    assert find_vendor(text) == vendor


def worker(tmp_path, body):
    script = tmp_path / "worker.py"
    hello = f'say({{"type": "hello", "protocol": {PROTOCOL_VERSION}}})'
    lines = [
        "import json, os, sys, time",
        "def say(m): print(json.dumps(m), flush=True)",
        "REQUEST = json.loads(sys.stdin.readline())",
        hello,
        body,
    ]
    script.write_text("\n".join(lines), encoding="utf-8")
    return WorkerCommand(argv=(sys.executable, str(script)))


def test_devices_come_from_a_child(tmp_path):
    body = f'say({{"type": "result", "devices": [{ENTRY!r}]}})'
    devices = list_opencl_devices(worker(tmp_path, body), timeout_s=20)
    assert isinstance(devices, tuple)
    assert [device.id for device in devices] == ["opencl:1:0"]


def test_a_platform_that_fails_beside_a_good_one_is_told(tmp_path):
    failed = {"platform_index": 2, "platform": "Old Driver", "message": "out of host memory"}
    body = f'say({{"type": "result", "devices": [{ENTRY!r}], "failed": [{failed!r}]}})'
    answer = list_opencl_devices(worker(tmp_path, body), timeout_s=20)
    assert isinstance(answer, tuple)
    device, fact = answer
    assert device.id == "opencl:1:0"
    assert isinstance(fact, MissingFact)
    assert (fact.fact, fact.reason) == ("opencl.platform:2", "Old Driver: out of host memory")


def test_without_a_loader_nothing_is_known(tmp_path):
    failed = {"platform_index": None, "platform": None, "message": "No module named 'pyopencl'"}
    body = f'say({{"type": "result", "devices": [], "failed": [{failed!r}]}})'
    answer = list_opencl_devices(worker(tmp_path, body), timeout_s=20)
    expected = MissingFact(fact="opencl", reason="No module named 'pyopencl'", remedy=None)
    assert answer == expected


@pytest.mark.parametrize("data", [None, 5, "x", [1], {"platform": 3, "message": None}])
def test_damaged_failures_do_no_harm(data):
    assert all(isinstance(fact, MissingFact) for fact in parse_failures(data))


@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64",
    reason="the app brings an OpenCL device along for Linux on x86-64 only",
)
def test_the_devices_of_this_machine_are_listed_for_real(tmp_path):
    script = tmp_path / "entry.py"
    folder = Path(probes.workers.__path__[0])
    lines = [
        "import platform, sys",
        f"sys.path.insert(0, {str(folder)!r})",
        "import opencl_list, worker_protocol",
        "channel = worker_protocol.open_channel()",
        "channel.send('hello', protocol=worker_protocol.PROTOCOL_VERSION)",
        "channel.send('result', **opencl_list.run(channel.wait_for_run(), channel))",
    ]
    script.write_text("\n".join(lines), encoding="utf-8")
    answer = list_opencl_devices(WorkerCommand(argv=(sys.executable, str(script))), timeout_s=20)
    assert isinstance(answer, tuple), answer
    known = [device for device in answer if isinstance(device, OpenclDevice)]
    assert known
    assert all(device.global_mem_bytes > 1 << 20 for device in known)


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ('say({"type": "error", "message": "no OpenCL loader"})', "no OpenCL loader"),
        ('say({"type": "result", "devices": 5})', "not a list"),
        ("raise SystemExit(3)", ""),
    ],
)
def test_a_child_that_fails_is_a_missing_fact(tmp_path, body, word):
    answer = list_opencl_devices(worker(tmp_path, body), timeout_s=20)
    assert isinstance(answer, MissingFact)
    assert word in answer.reason


@pytest.mark.skipif(sys.platform == "win32", reason="signals are of POSIX systems")
def test_a_driver_that_crashes_is_told_with_a_remedy(tmp_path):
    answer = list_opencl_devices(worker(tmp_path, "os.kill(os.getpid(), 11)"), timeout_s=20)
    assert isinstance(answer, MissingFact)
    assert "crashed" in (answer.remedy or "")


def test_a_driver_that_hangs_is_told_with_a_remedy(tmp_path):
    answer = list_opencl_devices(worker(tmp_path, "time.sleep(60)"), timeout_s=1.0)
    assert isinstance(answer, MissingFact)
    assert "hung" in (answer.remedy or "")


def test_an_interpreter_that_is_not_there_is_a_missing_fact():
    answer = list_opencl_devices(WorkerCommand(argv=("/no/such/python",)), timeout_s=5)
    assert isinstance(answer, MissingFact)


# Ends like a driver that crashes unless the good driver alone is asked for.
ONE_BREAKS_ALL = f"""
if "good" not in str(REQUEST.get("driver")):
    os.kill(os.getpid(), 6)
say({{"type": "result", "devices": [{ENTRY!r}]}})
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are of POSIX systems")
class TestADriverThatEndsTheLoader:
    def ask(self, tmp_path, drivers, *, body=ONE_BREAKS_ALL):
        command = worker(tmp_path, body)
        return list_opencl_devices(command, timeout_s=20, list_drivers=lambda: drivers)

    def test_costs_its_own_devices_only(self, tmp_path):
        drivers = ("/v/good-a.icd", "/v/bad.icd", "/v/good-b.icd")
        answer = self.ask(tmp_path, drivers)
        assert isinstance(answer, tuple)
        devices = [entry for entry in answer if isinstance(entry, OpenclDevice)]
        # Places are those among all drivers, so that no two devices share an id.
        assert [device.id for device in devices] == ["opencl:1:0", "opencl:3:0"]
        assert [device.driver for device in devices] == ["/v/good-a.icd", "/v/good-b.icd"]
        (fact,) = [entry for entry in answer if isinstance(entry, MissingFact)]
        assert fact.fact == "opencl.driver:/v/bad.icd"
        assert "/v/bad.icd" in fact.reason
        assert "SIGABRT" in fact.reason
        assert "bad.icd" in (fact.remedy or "")

    def test_drivers_that_fail_together_only_are_loaded_one_by_one(self, tmp_path):
        drivers = ("/v/good-a.icd", "/v/good-b.icd")
        answer = self.ask(tmp_path, drivers)
        assert isinstance(answer, tuple)
        assert [entry.driver for entry in answer if isinstance(entry, OpenclDevice)] == [*drivers]
        assert not [entry for entry in answer if isinstance(entry, MissingFact)]

    def test_where_every_driver_fails_alone_there_is_one_fact(self, tmp_path):
        answer = self.ask(tmp_path, ("/v/bad.icd", "/v/worse.icd"))
        assert isinstance(answer, MissingFact)
        assert answer.fact == "opencl"

    def test_a_single_driver_is_not_asked_again(self, tmp_path):
        answer = self.ask(tmp_path, ("/v/good.icd",))
        assert isinstance(answer, MissingFact)
        assert answer.fact == "opencl"


def test_a_whole_list_loads_all_drivers_together(tmp_path):
    body = f'say({{"type": "result", "devices": [{ENTRY!r}]}})'
    answer = list_opencl_devices(worker(tmp_path, body), timeout_s=20)
    assert isinstance(answer, tuple)
    (device,) = answer
    assert isinstance(device, OpenclDevice)
    assert device.driver is None
