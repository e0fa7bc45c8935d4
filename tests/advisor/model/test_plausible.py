import pytest

from advisor.errors import InputError
from advisor.model.machine import Cache, Load, Memory
from advisor.model.plausible import check_machine, check_value
from tests.advisor.recommend.builders import a_cpu, a_profile, an_opencl


def test_a_usual_machine_passes():
    check_machine(a_profile(opencl=(an_opencl(),)))


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"cpu": a_cpu(base_mhz=-5.0)}, "cpu.base_mhz"),
        ({"cpu": a_cpu(max_mhz=1e308)}, "cpu.max_mhz"),
        ({"cpu": a_cpu(n_physical_cores=10**400)}, "cpu.n_physical_cores"),
        ({"cpu": a_cpu(usable_cpus=0)}, "cpu.usable_cpus"),
        ({"cpu": a_cpu(quota_cpus=0.0)}, "cpu.quota_cpus"),
        (
            {"memory": Memory(total_bytes=10**400, available_bytes=None, limit_bytes=None)},
            "memory.total_bytes",
        ),
        ({"opencl": (an_opencl(global_mem_bytes=-1),)}, "opencl.opencl0.global_mem_bytes"),
        (
            {"load": Load(load_average_1m=None, busy_fraction=-3.0, steal_fraction=None)},
            "load.busy_fraction",
        ),
        ({"cpu": a_cpu(n_physical_cores=64)}, "cpu.n_physical_cores: 64.* cpu.n_logical_cpus is 4"),
        ({"cpu": a_cpu(usable_cpus=8)}, "cpu.usable_cpus: 8"),
        ({"cpu": a_cpu(n_packages=5)}, "cpu.n_packages: 5"),
        (
            {"memory": Memory(total_bytes=10**9, available_bytes=10**10, limit_bytes=None)},
            "memory.available_bytes",
        ),
        (
            {"cpu": a_cpu(caches=(Cache(level=2, kind="unified", size_bytes=0, shared_by=1),))},
            "cpu.caches.0.size_bytes",
        ),
        ({"cpu": a_cpu(brand=" ")}, "cpu.brand"),
        ({"cpu": a_cpu(brand="Ryzen\nmany")}, "cpu.brand"),
        ({"cpu": a_cpu(brand="x" * 10**6)}, "cpu.brand: 'xxx.*' is no name"),
        ({"opencl": (an_opencl(name=""),)}, "opencl.opencl0.name"),
        ({"opencl": (an_opencl(), an_opencl())}, "opencl: two devices have the id 'opencl0'"),
        ({"collected_on": "yesterday"}, "collected_on: a date must look like"),
    ],
)
def test_what_cannot_be_is_named(changes, name):
    with pytest.raises(InputError, match=name) as told:
        check_machine(a_profile(**changes))
    assert len(str(told.value)) < 120


@pytest.mark.parametrize("value", [True, "text", None, ("a",)])
def test_what_is_no_number_passes(value):
    check_value("cpu.base_mhz", value)
