"""Machines and a network for tests of what is worth trying."""

from advisor.model.machine import (
    Cpu,
    Environment,
    InstalledFramework,
    Load,
    MachineProfile,
    Memory,
    OperatingSystem,
    OsFamily,
    Power,
)
from advisor.model.quantity import Phase
from advisor.model.trial import TrialSource
from advisor.trial.plan import TrialFacts, list_trials

SOURCE = TrialSource(name="net", title="Net", phase=Phase.TRAINING, batch_size=32, model_json="{}")
FACTS = TrialFacts(core_cpus=(0, 2, 4, 6), has_huge_pages=True, has_glibc=True)


def environment(kind, *names):
    frameworks = tuple(InstalledFramework(name=name, version="1") for name in names)
    return Environment(python=f"/{kind}/python", version="3.11", kind=kind, frameworks=frameworks)


def profile(
    flags=("avx2", "avx512_bf16"), cores=4, logical=8, family=OsFamily.LINUX, frameworks=()
):
    cpu = Cpu(
        vendor="AMD", brand="x", microarchitecture=None, isa_features=flags, n_packages=1,
        n_physical_cores=cores, n_logical_cpus=logical, usable_cpus=logical, quota_cpus=None,
        base_mhz=None, max_mhz=None, caches=(), n_numa_nodes=1,
    )  # fmt: skip
    return MachineProfile(
        collected_on="2026-11-22",
        os=OperatingSystem(family=family, name="", version=None, kernel=None,
                           architecture="x86_64", hypervisor="", container=""),
        cpu=cpu,
        memory=Memory(total_bytes=1 << 34, available_bytes=1 << 33, limit_bytes=None),
        graphics=(), opencl=(), npus=(),
        environments=(environment("ours", "keras", "tensorflow-cpu", *frameworks),),
        power=Power(on_battery=None, governor=None),
        load=Load(load_average_1m=None, busy_fraction=None, steal_fraction=None),
        missing=(),
    )  # fmt: skip


def ids(machine, source=SOURCE, **more):
    return [
        setup.id for setup in list_trials(machine, source, facts=more.pop("facts", FACTS), **more)
    ]
