"""Every recorded machine gives the profile that is written beside it."""

import dataclasses
import json
import time
from enum import Enum
from pathlib import Path

import pytest

from advisor.model.codec import dump_document, load_document
from advisor.model.machine import DeviceKind, MachineProfile, MissingFact, OpenclDevice, OsFamily
from probes.machine.collect import collect_profile
from probes.machine.reader import SystemReader
from probes.machine.recording import RecordedReader

MACHINES = Path(__file__).parents[2] / "data" / "machines"
NAMES = sorted(entry.name for entry in MACHINES.iterdir() if entry.is_dir())
TODAY = "2026-11-21"


def collect(name: str, answer: tuple[OpenclDevice, ...] | MissingFact = ()) -> MachineProfile:
    reader = RecordedReader(MACHINES / name)
    return collect_profile(reader, today=TODAY, list_opencl=lambda: answer)


def value_at(profile: MachineProfile, path: str) -> object:
    """Return the value at a dotted path; an entry that is not there is None."""
    value: object = profile
    for part in path.split("."):
        if isinstance(value, tuple):
            value = value[int(part)] if int(part) < len(value) else None
        elif value is not None:
            value = getattr(value, part)
    if isinstance(value, Enum):
        return value.value
    return list(value) if isinstance(value, tuple) else value


def opencl_device(**changes: object) -> OpenclDevice:
    device = OpenclDevice(
        id="opencl:0:0",
        kind=DeviceKind.DGPU,
        name="AMD Radeon Graphics (radeonsi, kaveri)",
        vendor="AMD",
        platform="rusticl",
        platform_version="OpenCL 3.0",
        device_version="OpenCL 3.0",
        driver_version="24.0.0",
        compute_units=8,
        max_mhz=720.0,
        global_mem_bytes=1 << 30,
        max_alloc_bytes=1 << 28,
        local_mem_bytes=1 << 15,
        max_work_group_size=1024,
        has_unified_memory=False,
        has_fp16=False,
        has_fp64=True,
        is_bundled_driver=False,
    )
    return dataclasses.replace(device, **changes)


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_machine_gives_its_profile(name):
    expected = json.loads((MACHINES / name / "expected.json").read_text(encoding="utf-8"))
    missing = expected.pop("missing")
    profile = collect(name)
    found = {path: value_at(profile, path) for path in expected}
    assert found == expected
    assert [fact.fact for fact in profile.missing] == missing
    assert load_document(dump_document(profile), MachineProfile) == profile


def test_the_ready_profile_of_the_a10_is_what_the_probe_finds():
    text = (MACHINES / "a10-7850k" / "profile.json").read_text(encoding="utf-8")
    assert load_document(text, MachineProfile) == collect("a10-7850k")


def test_the_a10_has_avx_and_fma4_and_no_avx2():
    flags = collect("a10-7850k").cpu.isa_features
    assert {"avx", "fma4", "fma", "f16c", "xop"} <= set(flags)
    assert "avx2" not in flags


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a10-7850k", ("sudo apt install mesa-opencl-icd", "RUSTICL_ENABLE=radeonsi")),
        ("intel-iris-xe-laptop", ("sudo apt install intel-opencl-icd",)),
        ("ryzen-5600g", ("sudo dnf install mesa-libOpenCL", "RUSTICL_ENABLE=radeonsi")),
        ("windows-laptop", ("graphics driver from AMD",)),
    ],
)
def test_an_igpu_without_opencl_is_told_with_the_line_to_type(name, words):
    facts = {fact.fact: fact for fact in collect(name).missing}
    fact = facts["graphics.gpu0.opencl"]
    assert fact.reason.startswith("your iGPU (")
    assert fact.reason.endswith(") has no OpenCL driver")
    assert all(word in (fact.remedy or "") for word in words)


def test_a_gpu_without_a_kernel_driver_is_told_how_to_load_it():
    facts = {fact.fact: fact for fact in collect("a10-7850k-no-driver").missing}
    assert "amdgpu.cik_support=1" in (facts["graphics.gpu0.kernel_driver"].remedy or "")


def test_a_closed_render_node_names_the_group():
    facts = {fact.fact: fact for fact in collect("intel-iris-xe-laptop").missing}
    assert "render" in (facts["access:/dev/dri/renderD128"].remedy or "")


def test_opencl_takes_the_kind_of_the_only_gpu_on_the_bus():
    profile = collect("a10-7850k", (opencl_device(),))
    assert profile.opencl[0].kind is DeviceKind.IGPU
    assert profile.missing == ()


def test_opencl_of_another_vendor_does_not_serve_the_igpu():
    cpu = opencl_device(kind=DeviceKind.CPU, name="cpu", vendor="AuthenticAMD", max_mhz=None)
    facts = [fact.fact for fact in collect("a10-7850k", (cpu,)).missing]
    assert facts == ["graphics.gpu0.opencl", "opencl.opencl:0:0.max_mhz"]


def test_a_failed_listing_is_a_fact_and_blames_no_driver():
    failure = MissingFact(fact="opencl", reason="the worker crashed")
    profile = collect("a10-7850k", failure)
    assert profile.opencl == ()
    assert profile.missing == (failure,)


def test_without_a_listing_nothing_is_said_about_opencl():
    reader = RecordedReader(MACHINES / "a10-7850k")
    profile = collect_profile(reader, today=TODAY, list_opencl=None)
    assert profile.missing == ()


def test_an_empty_machine_gives_a_profile_of_unknowns(make_machine):
    profile = collect_profile(make_machine({}), today=TODAY, list_opencl=None)
    assert profile.os.family is OsFamily.LINUX
    assert profile.cpu.n_logical_cpus == 1
    assert profile.cpu.quota_cpus is None
    assert {"cpu.n_physical_cores", "memory.total_bytes"} <= {f.fact for f in profile.missing}


@pytest.mark.parametrize("system", ["Windows", "Darwin", "FreeBSD"])
def test_a_silent_machine_of_any_system_gives_a_profile(make_machine, system):
    reader = make_machine({}, system=system, machine="x86_64")
    profile = collect_profile(reader, today=TODAY, list_opencl=lambda: ())
    assert profile.cpu.brand
    assert profile.memory.total_bytes is None
    assert profile.missing


def test_this_machine_is_probed_quickly():
    start = time.process_time()
    profile = collect_profile(SystemReader(), today=TODAY, list_opencl=None)
    assert time.process_time() - start < 1.5
    assert profile.cpu.n_logical_cpus >= 1
    assert load_document(dump_document(profile), MachineProfile) == profile
