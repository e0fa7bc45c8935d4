"""What is measured, for whom, in which order."""

import collections
import dataclasses

import pytest

from advisor.errors import InputError
from advisor.model.kernel import (
    ClockShape,
    ConvShape,
    Direction,
    GemmShape,
    KernelCall,
    OptimizerShape,
    OverheadShape,
    StreamShape,
)
from advisor.model.machine import Cache, DeviceKind, OsFamily
from advisor.model.measurement import Runner, Setting
from advisor.model.quantity import Phase, Precision
from probes.bench import plan as module
from probes.bench import suite
from probes.bench.plan import (
    CALIBRATION,
    HEADLINE,
    REPLAY,
    Budget,
    budgets_s,
    plan,
    thread_counts,
)
from probes.bench.plan_builder import ANCHOR
from probes.bench.plan_sizes import is_affordable, stream_elements
from probes.bench.visit_run import wire_kernel

CALL = KernelCall(shape=suite.dense(50, 60, 70), direction=Direction.FORWARD)


def roles(requests):
    return {request.role for request in requests}


def test_ids_are_unique_and_tell_the_kernel(profile):
    for budget in Budget:
        for phase in Phase:
            requests = plan(profile, budget=budget, phase=phase, replay=(CALL,))
            assert len({request.id for request in requests}) == len(requests)
    assert "keras/gemm-m50n70k60/forward" in {request.id for request in requests}


def test_numpy_and_memory_come_first_then_the_headlines_then_the_users_kernels(profile):
    requests = plan(profile, budget=Budget.QUICK, device_ids=("cpu",), replay=(CALL,))
    runners = [request.runner for request in requests]
    assert runners.index(Runner.STREAM) < runners.index(Runner.KERAS)
    keras = [request for request in requests if request.runner is Runner.KERAS]
    order = [request.role for request in keras]
    assert order.index("replay") == order.count("headline")
    assert order[-1] == "reference"  # timed again at the end
    # What every step has comes first of the table, and its values cover the run.
    assert order.index("anchor") == order.index("replay") + 1
    assert keras[-1].shape == module.REFERENCE_GEMM


def test_what_tells_something_of_the_network_comes_before_the_rest_of_the_table(profile):
    layers = (suite.conv(8, 3, 32, 16, 3), suite.pool("max", 8, 16, 32, 2, 2))
    plain = plan(profile, budget=Budget.QUICK, device_ids=("cpu",))
    requests = plan(profile, budget=Budget.QUICK, device_ids=("cpu",), layers=layers)
    assert {r.id for r in requests} == {r.id for r in plain}
    table = [r for r in requests if r.role in (ANCHOR, CALIBRATION)]
    kinds = [type(r.shape).__name__ for r in table]
    last_of_network = max(
        at
        for at, r in enumerate(table)
        if r.runner is Runner.KERAS
        and isinstance(r.shape, ConvShape)
        and not r.shape.is_transposed
        and r.shape.groups == 1
        and len(r.shape.kernel) == 2
    )
    assert kinds.index("RecurrentShape") > last_of_network
    assert kinds.index("EmbeddingShape") > last_of_network
    assert kinds.index("OptimizerShape") < last_of_network
    # The headline of what it has not comes behind that, before the rest.
    order = [r.id for r in requests]
    lstm = next(r.id for r in requests if r.role == HEADLINE and "lstm" in r.id)
    small_lstm = next(r.id for r in requests if r.role == CALIBRATION and "lstm" in r.id)
    pool_ = next(r.id for r in requests if "pool-max" in r.id)
    assert order.index(pool_) < order.index(lstm) < order.index(small_lstm)


def test_a_network_with_recurrent_layers_has_their_headline_first(profile):
    layers = (suite.HEADLINE_LSTM,)
    requests = plan(profile, budget=Budget.QUICK, device_ids=("cpu",), layers=layers)
    keras = [r for r in requests if r.runner is Runner.KERAS]
    assert [r.role for r in keras].index(ANCHOR) == sum(r.role == HEADLINE for r in keras)


@pytest.mark.parametrize("phase", Phase)
def test_what_every_step_has_is_looked_at_over_the_whole_run(profile, phase):
    requests = plan(profile, budget=Budget.QUICK, phase=phase, device_ids=("cpu",))
    keras = [r for r in requests if r.runner is Runner.KERAS]
    looks = {r.id: wire_kernel(r).get("looks", 0) for r in keras}
    fixed = [r for r in keras if isinstance(r.shape, (OptimizerShape, OverheadShape))]
    # Memory given anew is waited for in steps of large results alone.
    every = [r for r in fixed if not r.id.endswith("fresh_mebibyte/forward")]
    assert len(every) == len(fixed) - 1
    assert {r.id for r in every} == {r.id for r in keras if r.role == ANCHOR}
    assert min(looks[r.id] for r in every) >= 10
    assert any(isinstance(r.shape, OptimizerShape) for r in every) is (phase is Phase.TRAINING)
    assert not any(looks[r.id] for r in keras if r.role in (CALIBRATION, "reference"))


def test_the_clock_is_measured_before_everything_else_and_after_all_devices(profile):
    requests = plan(profile, budget=Budget.QUICK)
    assert {r.device_id for r in requests} == {"cpu", "opencl:0:0"}
    clocks = [index for index, r in enumerate(requests) if r.runner is Runner.CLOCK]
    assert clocks == [0, 1, 2, len(requests) - 1]
    first, last = requests[0], requests[-1]
    assert first.shape == last.shape == ClockShape(load="vector")
    assert last.id == first.id + module.REFERENCE_SUFFIX


def test_the_first_tier_of_all_groups_comes_before_the_second(profile):
    tiers = {row.shape: row.tier for row in (*suite.CONVOLUTIONS, *suite.DENSES)}
    requests = plan(profile, budget=Budget.QUICK, device_ids=("cpu",))
    found = [tiers[r.shape] for r in requests if r.role == "calibration" and r.shape in tiers]
    assert found == sorted(found)
    assert set(found) == {1, 2, 3}


def test_inference_has_no_gradients_and_no_optimisers(profile):
    requests = plan(profile, budget=Budget.THOROUGH, phase=Phase.INFERENCE, device_ids=("cpu",))
    assert {request.direction for request in requests} == {Direction.FORWARD}
    kinds = {getattr(r.shape, "kind", "") for r in requests}
    assert {"predict_call", "batch_inference"} <= kinds
    assert "train_call" not in {getattr(r.shape, "kind", "") for r in requests if not r.threads
                                and not r.settings}  # fmt: skip


def test_a_quick_run_is_small_and_without_settings(profile, with_cpu):
    requests = plan(profile, budget=Budget.QUICK, device_ids=("cpu",))
    assert len(requests) < 180
    assert roles(requests) == {"headline", "anchor", "calibration", "reference"}
    assert all(request.threads is None and not request.settings for request in requests)
    with_bf16 = plan(
        with_cpu(isa_features=("avx2", "avx512f", "avx512_bf16")),
        budget=Budget.QUICK,
        device_ids=("cpu",),
    )
    short = [r for r in with_bf16 if r.precision is Precision.BFLOAT16]
    assert {r.role for r in short} == {"setting"}
    assert len(short) >= 8


def test_half_precision_that_nobody_asked_for_is_timed_forwards_only(with_cpu):
    fast = with_cpu(isa_features=("avx512f", "avx512_bf16", "avx512_fp16"))

    def directions(budget, precision=Precision.FLOAT32):
        requests = plan(fast, budget=budget, device_ids=("cpu",), precision=precision)
        return {r.direction for r in requests if r.precision is Precision.FLOAT16}

    assert directions(Budget.QUICK) == set()
    assert directions(Budget.THOROUGH) == {Direction.FORWARD}
    assert Direction.WEIGHT_GRADIENT in directions(Budget.THOROUGH, Precision.FLOAT16)


def test_the_format_of_the_job_is_measured_though_the_processor_lacks_it(profile):
    requests = plan(profile, budget=Budget.QUICK, replay=(CALL,), precision=Precision.FLOAT16)
    short = [r for r in requests if r.precision is Precision.FLOAT16 and r.device_id == "cpu"]
    assert CALL.shape in {r.shape for r in short}
    assert {r.role for r in short if r.shape != CALL.shape} == {"setting"}
    replayed = [r for r in requests if r.role == "replay"]
    assert [r.precision for r in replayed] == [Precision.FLOAT32, Precision.FLOAT16]


@pytest.mark.parametrize("shape", [suite.dense(50, 60, 70), suite.SHORT_FORMATS[3].shape])
@pytest.mark.parametrize("precision", [Precision.BFLOAT16, Precision.FLOAT16])
def test_the_networks_kernels_are_its_own_in_the_format_of_the_job(profile, shape, precision):
    call = KernelCall(shape=shape, direction=Direction.FORWARD)
    requests = plan(profile, budget=Budget.QUICK, replay=(call,), precision=precision)
    own = [r for r in requests if r.shape == shape and r.precision is precision]
    assert {r.role for r in own if r.direction is Direction.FORWARD} == {REPLAY}


GRADIENT = KernelCall(shape=suite.dense(50, 60, 70), direction=Direction.WEIGHT_GRADIENT)


@pytest.mark.parametrize("precision", [Precision.FLOAT16, Precision.BFLOAT16])
def test_a_format_that_the_processor_lacks_comes_last_and_forwards_only(profile, precision):
    requests = plan(profile, budget=Budget.QUICK, device_ids=("cpu",),
                    replay=(CALL, GRADIENT), precision=precision)  # fmt: skip
    short = [i for i, r in enumerate(requests) if r.precision is precision]
    assert {requests[i].direction for i in short} == {Direction.FORWARD}
    assert CALL.shape in {requests[i].shape for i in short}
    assert min(short) > max(i for i, r in enumerate(requests) if r.role == "calibration"
                            and r.runner is Runner.KERAS)  # fmt: skip


@pytest.mark.parametrize("flag", ["avx512_fp16", "amx_fp16", "asimdhp"])
def test_half_precision_that_the_processor_has_is_replayed_with_gradients(with_cpu, flag):
    requests = plan(with_cpu(isa_features=("avx2", flag)), budget=Budget.QUICK,
                    replay=(CALL, GRADIENT), precision=Precision.FLOAT16)  # fmt: skip
    short = [r for r in requests if r.precision is Precision.FLOAT16 and r.device_id == "cpu"]
    replayed = {r.direction for r in short if r.shape == GRADIENT.shape}
    assert replayed == {Direction.FORWARD, Direction.WEIGHT_GRADIENT}


@pytest.mark.parametrize(
    ("flags", "value"), [(("avx512f", "avx512_vnni"), "0"), (("avx2", "fma"), "1")]
)
def test_a_thorough_run_sweeps_threads_and_turns_onednn_the_other_way(with_cpu, flags, value):
    profile = with_cpu(isa_features=flags)
    requests = plan(profile, budget=Budget.THOROUGH, device_ids=("cpu",))
    assert {r.threads for r in requests} == {None, 1, 2, 4, 6, 12}
    other = [r for r in requests if r.settings]
    assert {r.settings for r in other} == {(Setting(name="TF_ENABLE_ONEDNN_OPTS", value=value),)}
    assert {r.role for r in (*other, *[r for r in requests if r.threads])} == {"setting"}
    mac = dataclasses.replace(profile, os=dataclasses.replace(profile.os, family=OsFamily.MACOS))
    assert not [r for r in plan(mac, budget=Budget.THOROUGH) if r.settings]


def test_thread_counts_of_small_and_limited_machines(with_cpu):
    assert thread_counts(with_cpu(n_physical_cores=2, n_logical_cpus=2, usable_cpus=2)) == (1, 2)
    assert thread_counts(with_cpu(usable_cpus=3)) == (1, 2, 3)
    assert thread_counts(with_cpu(n_physical_cores=None, usable_cpus=None)) == (1, 2, 4, 8, 12)


def test_slow_processors_get_smaller_products(profile, with_cpu):
    def sizes(machine):
        requests = plan(machine, budget=Budget.THOROUGH, device_ids=("cpu",))
        numpy = [r for r in requests if r.runner is Runner.NUMPY and r.role == "headline"]
        return {r.shape.m for r in numpy}

    assert sizes(profile) == {512, 1024, 2048}
    slow = with_cpu(isa_features=("neon",), n_physical_cores=4, n_logical_cpus=4, max_mhz=1500.0)
    assert sizes(slow) == {512, 1024}
    fast = with_cpu(isa_features=("avx512f",), n_physical_cores=64, n_logical_cpus=128)
    assert 4096 in sizes(dataclasses.replace(fast, cpu=dataclasses.replace(
        fast.cpu, usable_cpus=128)))  # fmt: skip


def test_products_with_transposed_operands_where_there_is_memory_for_them(profile, with_cpu):
    def asked(machine, budget=Budget.THOROUGH):
        requests = plan(machine, budget=budget, device_ids=("cpu",))
        return {
            (r.runner, r.shape.k, r.shape.transpose_a, r.shape.transpose_b)
            for r in requests
            if isinstance(r.shape, GemmShape) and r.shape.k in (26752, 1760)
        }

    fast = with_cpu(isa_features=("avx512f",), n_physical_cores=16)
    large = dataclasses.replace(fast, memory=dataclasses.replace(
        fast.memory, available_bytes=64 << 30))  # fmt: skip
    both = {(runner, 26752, False, turned) for runner in (Runner.NUMPY, Runner.KERAS)
            for turned in (False, True)}  # fmt: skip
    assert both <= asked(large)
    assert asked(large, Budget.QUICK) == set()
    small = dataclasses.replace(fast, memory=dataclasses.replace(
        fast.memory, available_bytes=1 << 30))  # fmt: skip
    assert {k for _runner, k, *_ in asked(small)} == {1760}
    assert not is_affordable(suite.gemm(64), profile=dataclasses.replace(
        fast, memory=dataclasses.replace(fast.memory, available_bytes=None, total_bytes=None)
    ))  # fmt: skip


def test_memory_is_swept_beyond_all_caches_and_within_what_is_free(profile, with_cpu):
    assert stream_elements(profile) == 4 * (16 << 20) // 4
    two = (Cache(level=3, kind="unified", size_bytes=32 << 20, shared_by=6),)
    assert stream_elements(with_cpu(caches=two)) == 4 * (64 << 20) // 4
    assert stream_elements(with_cpu(caches=())) == 4 * (32 << 20) // 4
    poor = dataclasses.replace(
        profile, memory=dataclasses.replace(profile.memory, available_bytes=256 << 20)
    )
    assert stream_elements(poor) == 1 << 22
    # Free memory differs from run to run, the sweep does not.
    odd = dataclasses.replace(
        profile, memory=dataclasses.replace(profile.memory, available_bytes=(1 << 29) + 12345)
    )
    assert stream_elements(odd) == 1 << 22


def test_opencl_devices_are_measured_when_chosen(profile):
    requests = plan(profile, budget=Budget.QUICK, device_ids=("opencl:0:0",))
    assert {r.runner for r in requests} == {Runner.OPENCL}
    assert {r.device_id for r in requests} == {"opencl:0:0"}
    assert all(r.id.startswith("opencl/opencl:0:0/") for r in requests)
    names = {type(r.shape).__name__ for r in requests}
    assert {"PeakShape", "StreamShape", "GemmShape", "ConvShape", "RecurrentShape",
            "OverheadShape", "TransferShape"} <= names  # fmt: skip
    thorough = plan(profile, budget=Budget.THOROUGH, device_ids=("opencl:0:0",))
    assert Precision.FLOAT16 in {r.precision for r in thorough}


def test_a_small_device_gets_small_arrays_and_no_large_transfer(profile):
    device = dataclasses.replace(
        profile.opencl[0], max_alloc_bytes=16 << 20, global_mem_bytes=256 << 20
    )
    small = dataclasses.replace(profile, opencl=(device,))
    requests = plan(small, budget=Budget.QUICK, device_ids=(device.id,))
    streams = [r.shape for r in requests if isinstance(r.shape, StreamShape)]
    assert {shape.elements for shape in streams if shape.op != "local"} == {4 << 20}
    assert not [r for r in requests if type(r.shape).__name__ == "TransferShape"]


def test_the_batch_of_the_job_is_among_the_dense_shapes(profile):
    requests = plan(profile, budget=Budget.QUICK, batch_size=77)
    assert 77 in {r.shape.m for r in requests if isinstance(r.shape, GemmShape)}


def test_an_unknown_device_is_refused_with_those_that_are_there(profile):
    with pytest.raises(InputError, match="'gpu9'; there is: cpu, opencl:0:0"):
        plan(profile, budget=Budget.QUICK, device_ids=("cpu", "gpu9"))


def test_each_device_has_its_budget(profile):
    assert budgets_s(profile, budget=Budget.QUICK) == {"cpu": 58.0, "opencl:0:0": 30.0}
    thorough = budgets_s(profile, budget=Budget.THOROUGH, device_ids=("cpu",))
    assert thorough == {"cpu": 590.0}


def with_processors(profile):
    """Return a machine whose processor two drivers offer beside the GPU."""
    device = profile.opencl[0]
    processors = tuple(
        dataclasses.replace(device, id=f"opencl:{n}:0", kind=DeviceKind.CPU) for n in (1, 2)
    )
    return dataclasses.replace(profile, opencl=(device, *processors))


def asked_of(requests):
    return collections.Counter(request.device_id for request in requests)


def test_a_quick_run_spends_little_on_the_processor_seen_through_opencl(profile):
    machine = with_processors(profile)
    limits = budgets_s(machine, budget=Budget.QUICK)
    assert limits == {"cpu": 58.0, "opencl:0:0": 30.0, "opencl:1:0": 14.0, "opencl:2:0": 14.0}
    alone = plan(profile, budget=Budget.QUICK)
    found = plan(machine, budget=Budget.QUICK)
    assert asked_of(found)["opencl:0:0"] == asked_of(alone)["opencl:0:0"]
    assert asked_of(found)["cpu"] == asked_of(alone)["cpu"]
    assert asked_of(found)["opencl:1:0"] == asked_of(found)["opencl:2:0"] == 6
    assert {r.role for r in found if r.device_id == "opencl:1:0"} == {HEADLINE, CALIBRATION}


def test_a_processor_that_is_asked_for_by_name_is_measured_in_full(profile):
    machine = with_processors(profile)
    ids = ("cpu", "opencl:1:0")
    assert budgets_s(machine, budget=Budget.QUICK, device_ids=ids)["opencl:1:0"] == 30.0
    named = asked_of(plan(machine, budget=Budget.QUICK, device_ids=ids))
    graphics = asked_of(plan(profile, budget=Budget.QUICK))["opencl:0:0"]
    assert named["opencl:1:0"] == graphics


def test_a_thorough_run_measures_the_processor_seen_through_opencl_in_full(profile):
    machine = with_processors(profile)
    limits = budgets_s(machine, budget=Budget.THOROUGH)
    assert limits["opencl:1:0"] == limits["opencl:0:0"] == 90.0
    found = asked_of(plan(machine, budget=Budget.THOROUGH))
    assert found["opencl:1:0"] == found["opencl:0:0"]


def test_the_network_is_never_replayed_on_opencl(profile):
    for budget in Budget:
        found = plan(with_processors(profile), budget=budget, replay=(CALL,))
        assert {r.device_id for r in found if r.role == REPLAY} == {"cpu"}


@pytest.mark.parametrize("n_devices", [0, 1, 3, 12])
@pytest.mark.parametrize("has_cpu", [True, False])
def test_a_thorough_run_of_all_devices_takes_ten_minutes_at_most(profile, n_devices, has_cpu):
    device = profile.opencl[0]
    devices = tuple(dataclasses.replace(device, id=f"opencl:0:{i}") for i in range(n_devices))
    many = dataclasses.replace(profile, opencl=devices)
    ids = [device.id for device in devices] + (["cpu"] if has_cpu else [])
    found = budgets_s(many, budget=Budget.THOROUGH, device_ids=ids)
    assert set(found) == set(ids)
    assert sum(found.values()) <= 600.0
    assert all(seconds > 20.0 for seconds in found.values())
    assert found.get("cpu", 590.0) >= 290.0
