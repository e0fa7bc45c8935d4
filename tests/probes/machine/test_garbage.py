"""No text that a machine may hold makes the probe raise."""

import dataclasses
import json
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.errors import FormatError
from advisor.model.codec import dump_document, load_document
from advisor.model.machine import MachineProfile
from probes.environments import parse_packages
from probes.machine import cgroup, macos, power, windows
from probes.machine.amd_topology import parse_node
from probes.machine.collect import collect_profile
from probes.machine.cpuinfo import parse_cpuinfo
from probes.machine.linux_graphics import parse_clock_levels
from probes.machine.opencl import parse_opencl_listing
from probes.machine.pci_names import parse_pci_ids
from probes.machine.text import parse_cpu_list, parse_hex_id, parse_json_object, parse_size

LINES = [
    "processor\t: 0",
    "vendor_id : AuthenticAMD",
    "cpu family\t: 99999999999999999999",
    "model : -1",
    "flags : fpu avx ",
    "CPU implementer : 0x41",
    "CPU part : 0xd03",
    "cpu MHz : 1e999",
    "isa : rv64imafdcv_zicsr",
    "max 100000",
    "150000 0",
    "0::/../../etc",
    "4:memory:/a/b",
    "cpu  1 2 3 4 5 6 7 8",
    "simd_count 4",
    "simd_per_cu 0",
    "device_id 4879",
    "1002  AMD",
    "\t130f  Kaveri",
    "1: 720Mhz *",
    "E:MEMORY_DEVICE_0_SIZE=1",
    "0-3,9999999999",
    "0x1002",
    "hw.memsize: 99999999999999999999999",
    "{ nan inf }",
    '{"processor": [{"NumberOfCores": "x", "Name": 5}], "video": {"Name": "A"}}',
    "page size of 16384 bytes",
    "Pages free: -5.",
    "128K",
]
texts = st.one_of(
    st.text(max_size=200),
    st.lists(st.one_of(st.sampled_from(LINES), st.text(max_size=30)), max_size=12).map("\n".join),
)
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=12), inner, max_size=4)
    ),
    max_leaves=20,
)
PARSERS = [
    parse_cpuinfo,
    parse_node,
    parse_clock_levels,
    parse_size,
    parse_cpu_list,
    parse_hex_id,
    parse_json_object,
    cgroup.parse_groups,
    cgroup.parse_cpu_max,
    power.parse_cpu_ticks,
    power.parse_memory_modules,
    macos.parse_sysctl,
    macos.parse_free_pages,
    macos.parse_power,
    lambda text: parse_pci_ids(text, wanted=frozenset({("1002", "130f")})),
    lambda text: parse_packages(text.splitlines()),
    lambda text: macos.parse_cpu(macos.parse_sysctl(text), logical_cpus=1, machine="arm64"),
]


@pytest.mark.parametrize("parser", PARSERS)
@given(text=texts)
@settings(max_examples=60, deadline=None)
def test_a_parser_takes_any_text(parser, text):
    parser(text)


@given(value=json_values)
@settings(max_examples=150, deadline=None)
def test_cim_answers_of_any_shape_are_taken(value):
    windows.parse_processors(value, confirmed_flags=("avx",), logical_cpus=1, machine="AMD64")
    windows.parse_memory(value, system=value)
    windows.parse_video(value, memory=value)
    windows.parse_npus(value)
    if isinstance(value, dict):
        macos.parse_displays({"SPDisplaysDataType": value})
        windows.parse_hypervisor(value)


@given(value=json_values)
@settings(max_examples=150, deadline=None)
def test_an_opencl_listing_of_any_shape_gives_devices_or_a_format_error(value):
    try:
        devices = parse_opencl_listing(value)
    except FormatError:
        return
    assert all(device.compute_units > 0 for device in devices)


@dataclasses.dataclass
class GarbageReader:
    """A machine where every file, listing and command gives the same garbage."""

    garbage: str
    system: str
    machine: str = "x86_64"
    release: str = "\x00"
    logical_cpus: int = 1
    affinity: int | None = None
    environ: Mapping[str, str] = dataclasses.field(default_factory=dict)
    python: str | None = "python"
    cpu_flags: tuple[str, ...] = ("avx2",)

    def read_text(self, path):
        return self.garbage

    def list_dir(self, path):
        return ("card0", "cpu0", "index0", "policy0", "renderD128", *self.garbage.split()[:3])

    def link_name(self, path):
        return self.garbage or None

    def exists(self, path):
        return True

    def real_path(self, path):
        return path

    def can_use(self, path):
        return False

    def run(self, argv, *, timeout_s):
        return self.garbage

    def pause(self, seconds):
        return None


@pytest.mark.parametrize("system", ["Linux", "Windows", "Darwin"])
@given(garbage=texts)
@settings(max_examples=40, deadline=None)
def test_a_machine_of_garbage_gives_a_profile_that_can_be_saved(system, garbage):
    reader = GarbageReader(garbage, system)
    reader.environ = {"HOME": garbage, "PATH": garbage, "VIRTUAL_ENV": garbage}
    profile = collect_profile(reader, today="2026-11-21", list_opencl=lambda: ())
    text = dump_document(profile)
    json.loads(text)
    assert load_document(text, MachineProfile) == profile
