"""What is tried where."""

import dataclasses

import pytest

from advisor.errors import InputError
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
from advisor.model.measurement import Setting
from advisor.model.quantity import Interval, Phase, Precision
from advisor.model.trial import (
    DataKind,
    Runner,
    TrialData,
    TrialResult,
    TrialSetup,
    TrialSource,
    TrialVerdict,
)
from advisor.trial.plan import TrialFacts, choose_trials, combine, list_pairs, list_trials

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


def test_the_baseline_is_first_and_changes_nothing():
    first = list_trials(profile(), SOURCE, facts=FACTS)[0]
    assert first == TrialSetup(id="now", title=first.title, option_id="stay")


def test_bfloat16_only_where_the_processor_has_it():
    assert "bfloat16" in ids(profile())
    assert "bfloat16" not in ids(profile(flags=("avx2",)))
    half = dataclasses.replace(SOURCE, precision=Precision.BFLOAT16)
    assert "bfloat16" not in ids(profile(), half)


def test_threads_follow_the_cores():
    by_id = {setup.id: setup for setup in list_trials(profile(), SOURCE, facts=FACTS)}
    assert by_id["threads-physical"].intra_threads == 4
    assert by_id["threads-half"].intra_threads == 2
    assert by_id["one-pool"].intra_threads == 8
    assert by_id["pin-cores"].cpus == (0, 2, 4, 6)
    alone = ids(profile(cores=1, logical=1), facts=TrialFacts())
    assert not {"threads-physical", "threads-half", "one-pool", "pin-cores"} & set(alone)


def test_kernels_of_the_other_kind_are_tried():
    assert "onednn-off" in ids(profile())
    assert "onednn-on" in ids(profile(family=OsFamily.WINDOWS))


def test_memory_settings_need_their_library():
    facts = TrialFacts(allocators=(Setting(name="tcmalloc", value="/usr/lib/x.so"),))
    found = list_trials(profile(), SOURCE, facts=facts)
    preload = next(s for s in found if s.id == "tcmalloc").settings
    assert preload == (Setting(name="LD_PRELOAD", value="/usr/lib/x.so"),)
    assert not {"malloc-keep", "huge-pages"} & {s.id for s in found}


def test_the_pipeline_is_tried_on_own_data_only():
    data = TrialData(kind=DataKind.NPZ, path="/x.npz")
    found = ids(profile(), dataclasses.replace(SOURCE, data=data))
    assert {"data-cache", "data-prefetch", "data-cache-prefetch"} <= set(found)
    assert not [name for name in ids(profile()) if name.startswith("data")]


def test_backends_that_are_installed_here_or_in_the_other_python():
    assert not [name for name in ids(profile()) if name.startswith("backend")]
    other = environment("venv", "keras", "jax", "torch", "openvino")
    found = list_trials(profile(frameworks=("torch",)), SOURCE, facts=FACTS, environment=other)
    backends = [(s.id, s.python) for s in found if s.id.startswith("backend")]
    assert backends == [("backend-jax", "/venv/python"), ("backend-torch", "/venv/python")]
    assert "backend-torch" in ids(profile(frameworks=("torch",)))
    assert "backend-openvino" not in dict(backends)
    without_keras = environment("venv", "jax")
    assert "backend-jax" not in ids(profile(), environment=without_keras)


def test_names_are_unique_also_where_both_pythons_have_a_backend():
    other = environment("venv", "keras", "torch")
    found = ids(profile(frameworks=("torch",)), environment=other, with_batches=True)
    assert len(set(found)) == len(found)


def test_other_batches_only_when_asked():
    found = ids(profile(), with_batches=True)
    assert {"batch-16", "batch-64", "batch-128"} <= set(found)
    assert "batch-64" not in ids(profile())
    one = dataclasses.replace(SOURCE, batch_size=1)
    assert "batch-1" not in ids(profile(), one, with_batches=True)


def test_choosing_by_either_name():
    setups = list_trials(profile(), SOURCE, facts=FACTS)
    assert [s.id for s in choose_trials(setups, ["bf16-cpu-tf", "xla"])] == [
        "now",
        "bfloat16",
        "xla",
    ]
    with pytest.raises(InputError, match="nonsense"):
        choose_trials(setups, ["nonsense"])


def test_pairs_of_the_faster_that_do_not_set_the_same():
    def result(name, mid, verdict=TrialVerdict.FASTER, **setup):
        return TrialResult(
            setup=TrialSetup(id=name, title=name, **setup),
            verdict=verdict,
            speedup=Interval(low=mid, mid=mid, high=mid),
        )

    malloc = (Setting(name="M", value="0"),)
    results = [
        result("bf16", 1.4, precision=Precision.BFLOAT16),
        result("malloc", 1.2, settings=malloc),
        result("half", 1.1, intra_threads=2),
        result("one", 1.3, intra_threads=4),
        result("xla", 0.5, TrialVerdict.SLOWER),
        result("big", 2.0, batch_size=64),
    ]
    pairs = list_pairs(results)
    assert [p.id for p in pairs] == ["bf16+one", "bf16+malloc", "bf16+half", "one+malloc"]
    assert pairs[1].settings == malloc
    assert pairs[1].precision is Precision.BFLOAT16
    assert pairs[1].parts == ("bf16", "malloc")
    same = TrialSetup(id="m2", title="", settings=malloc)
    assert combine(same, dataclasses.replace(same, id="m3")) is None


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, {"pytorch", "pytorch-bfloat16"}),
        ({"phase": Phase.INFERENCE},
         {"pytorch", "pytorch-bfloat16", "onnxruntime", "onnxruntime-int8"}),
        ({"precision": Precision.BFLOAT16}, {"pytorch"}),
        ({"model_json": None}, set()),
        ({"data": TrialData(kind=DataKind.NPZ, path="/d.npz")}, set()),
    ],
)  # fmt: skip
def test_frameworks_without_keras_run_what_has_a_configuration_and_no_data(changes, expected):
    source = dataclasses.replace(SOURCE, **changes)
    other = environment("venv", "torch", "onnxruntime")
    found = list_trials(profile(), source, facts=FACTS, environment=other)
    direct = [setup for setup in found if setup.runner is not Runner.KERAS]
    assert {setup.id for setup in direct} == expected
    assert all(setup.python == "/venv/python" for setup in direct)


def test_two_frameworks_are_no_pair():
    one = TrialSetup(id="a", title="", runner=Runner.TORCH)
    other = TrialSetup(id="b", title="", runner=Runner.ONNXRUNTIME)
    assert combine(one, other) is None
    assert combine(one, TrialSetup(id="c", title="", intra_threads=1)).runner is Runner.TORCH
