"""What runs on this machine's memory: its processor, its GPUs, networks that need less."""

import pytest

from advisor.knowledge.store import Knowledge
from advisor.model.machine import DeviceKind, Memory
from advisor.model.option import OptionKind
from advisor.model.quantity import Phase
from advisor.model.recommendation import Hint, ReasonCode
from advisor.recommend.circumstances import Circumstances
from advisor.recommend.fitting import (
    LIGHT_RUNTIME_BYTES,
    fitting,
    fitting_hints,
    memory_of_gpu,
    needed_by,
)
from advisor.recommend.room import FRAMEWORK_BYTES, needed_bytes
from tests.advisor.recommend.builders import (
    GIB,
    a_fact,
    a_gpu,
    a_profile,
    a_spec,
    a_workload,
    an_opencl,
    an_option,
)

MIB = 1024**2
PARAMETERS = 25_000_000
WEIGHTS = 4 * PARAMETERS
LARGE = a_workload(
    batch_size=64, parameters=PARAMETERS, memory_training_bytes=4 * WEIGHTS + 16 * GIB,
    memory_inference_bytes=WEIGHTS + 2 * GIB,
)  # fmt: skip
INTEGRATED = an_option("device:gpu0", OptionKind.LOCAL_DEVICE, device_id="opencl0")


def with_memory(gib, **changes):
    memory = Memory(total_bytes=int(gib * GIB), available_bytes=None, limit_bytes=None)
    return a_profile(memory=memory, **changes)


def changed(name, **effects):
    fact = a_fact(id=name, kind=OptionKind.CHANGE_NETWORK, **effects)
    return an_option(name, OptionKind.CHANGE_NETWORK, device_id="cpu", fact=fact)


def refusals(*options, profile, workload=LARGE):
    given = Circumstances(profile=profile, workload=workload)
    kept, refused = fitting(options, given=given, knowledge=Knowledge())
    assert {o.id for o in kept} | {r.option_id for r in refused} == {o.id for o in options}
    return {entry.option_id: entry.reasons[0] for entry in refused}


def values_of(reason):
    return {parameter.name: parameter.value for parameter in reason.parameters}


def test_an_integrated_gpu_has_no_more_than_the_machine():
    gpu = a_gpu(carve_out_bytes=None, shared_limit_bytes=None)
    refused = refusals(an_option(), INTEGRATED, profile=with_memory(8, graphics=(gpu,)))
    assert set(refused) == {"stay", "device:gpu0"}
    reason = refused["device:gpu0"]
    assert reason.code is ReasonCode.MEMORY_TOO_SMALL
    found = values_of(reason)
    assert found["needed_bytes"] == needed_bytes(LARGE)
    assert found["available_bytes"] == 8 * GIB
    assert 1.0 <= found["batch"] < 32.0
    assert values_of(refused["stay"]) == found
    assert not refusals(INTEGRATED, profile=with_memory(32, graphics=(gpu,)))


@pytest.mark.parametrize(
    ("own", "shared", "total", "size"),
    [
        (None, None, 8, 8 * GIB),
        (None, 4 * GIB, 8, 4 * GIB),
        (GIB, 4 * GIB, 8, 5 * GIB),
        (96 * GIB, None, 32, 128 * GIB),
        (None, 64 * GIB, 8, 8 * GIB),
    ],
)
def test_memory_of_an_integrated_gpu(own, shared, total, size):
    gpu = a_gpu(carve_out_bytes=own, shared_limit_bytes=shared)
    assert memory_of_gpu(gpu, profile=with_memory(total), knowledge=Knowledge()) == size


def test_unknown_memory_refuses_nothing():
    unknown = Memory(total_bytes=None, available_bytes=None, limit_bytes=None)
    profile = a_profile(memory=unknown)
    assert memory_of_gpu(a_gpu(), profile=profile, knowledge=Knowledge()) is None
    assert not refusals(an_option(), INTEGRATED, profile=profile)


def test_a_card_has_its_own_memory_and_the_framework_the_systems():
    gpu = a_gpu(kind=DeviceKind.DGPU, carve_out_bytes=8 * GIB)
    profile = with_memory(64, graphics=(gpu,))
    found = values_of(refusals(INTEGRATED, profile=profile)["device:gpu0"])
    assert found["needed_bytes"] == LARGE.memory_training_bytes
    assert found["available_bytes"] == 8 * GIB
    just = a_workload(memory_training_bytes=int(7.3 * GIB))
    assert not refusals(INTEGRATED, profile=profile, workload=just)
    beyond = a_workload(memory_training_bytes=int(7.5 * GIB))
    assert refusals(INTEGRATED, profile=profile, workload=beyond)
    unknown = a_gpu(kind=DeviceKind.DGPU, carve_out_bytes=None)
    assert not refusals(INTEGRATED, profile=with_memory(64, graphics=(unknown,)))


def test_a_card_of_which_the_system_tells_a_part_has_what_its_sheet_says():
    gpu = a_gpu(
        kind=DeviceKind.DGPU, vendor="NVIDIA", name="NVIDIA GeForce RTX 3060 12 GB",
        pci_vendor_id="10de", pci_device_id="2504", carve_out_bytes=4 * GIB,
    )  # fmt: skip
    known = Knowledge(devices=(a_spec(),))
    profile = a_profile(graphics=(gpu,))
    assert memory_of_gpu(gpu, profile=profile, knowledge=known) == 12 * GIB
    assert memory_of_gpu(gpu, profile=profile, knowledge=Knowledge()) == 4 * GIB


def test_where_not_one_sample_fits_no_batch_is_told():
    reason = refusals(an_option(), profile=with_memory(0.9))["stay"]
    assert "batch" not in values_of(reason)


def test_rows_about_another_device_go_by_the_machines_memory():
    row = an_option("npu", OptionKind.LOCAL_DEVICE, device_id="npu0")
    assert set(refusals(row, profile=with_memory(8))) == {"npu"}


@pytest.mark.parametrize(
    ("option", "needed"),
    [
        (changed("transfer-frozen"), GIB + WEIGHTS + 2 * GIB),
        (changed("transfer-cached"), GIB + WEIGHTS + GIB),
        (changed("smaller-model"), GIB + int(0.43 * (4 * WEIGHTS + 16 * GIB))),
        (
            changed("smaller-input", effect_low=2.0, effect_high=8.0),
            GIB + 4 * WEIGHTS + 4 * GIB,
        ),
        (
            changed("smaller-input", effect_low=None, effect_high=None),
            GIB + 4 * WEIGHTS + 16 * GIB,
        ),
        (changed("another"), GIB),
    ],
)
def test_another_network_needs_its_own_memory(option, needed):
    assert FRAMEWORK_BYTES[Phase.TRAINING] == GIB
    assert needed_by(option, workload=LARGE) == needed
    enough = with_memory(needed / GIB + 0.01)
    assert not refusals(option, profile=enough)
    reason = refusals(option, profile=with_memory(needed / GIB - 0.01))[option.id]
    assert values_of(reason).keys() == {"needed_bytes", "available_bytes"}


def test_what_the_machine_cannot_hold_at_all_is_not_ranked_as_a_smaller_network():
    names = ("transfer-frozen", "transfer-cached", "smaller-model", "smaller-input")
    options = [changed(name) for name in names]
    assert set(refusals(*options, profile=with_memory(0.9))) == set(names)


def test_fewer_samples_than_are_taken_at_once_need_no_more_than_they_are():
    small = a_workload(batch_size=8, parameters=1000, memory_inference_bytes=4000 + 80 * MIB)
    assert needed_by(changed("transfer-cached"), workload=small) == GIB + 4000 + 80 * MIB


def test_light_runtimes_predict_where_tensorflow_has_no_room():
    job = a_workload(phase=Phase.INFERENCE, memory_inference_bytes=50 * MIB)
    light = an_option("ort-cpu", OptionKind.CHANGE_FRAMEWORK, device_id="cpu")
    assert needed_by(light, workload=job) == LIGHT_RUNTIME_BYTES + 50 * MIB
    assert set(refusals(an_option(), light, profile=with_memory(0.5), workload=job)) == {"stay"}
    # A Raspberry Pi 3 with its graphics has this much.
    assert not refusals(an_option(), profile=with_memory(909 / 1024), workload=job)


def test_hints_about_a_device_without_the_memory_are_refused_too():
    given = Circumstances(profile=with_memory(8, opencl=(an_opencl(),)), workload=LARGE)
    device = an_option("mps", OptionKind.LOCAL_DEVICE, device_id="gpu0")
    hints = [
        Hint(option=option, reasons=(), steps=())
        for option in (device, an_option("setting", OptionKind.RUNTIME_SETTINGS, device_id="cpu"))
    ]
    kept, refused = fitting_hints(hints, given=given, knowledge=Knowledge())
    assert [hint.option.id for hint in kept] == ["setting"]
    assert [(entry.option_id, entry.reasons[0].code) for entry in refused] == [
        ("mps", ReasonCode.MEMORY_TOO_SMALL)
    ]
