"""A network on this machine among published results, and why there are none."""

import dataclasses

import pytest

from advisor.compare.networks import compare_network
from advisor.model.codec import dump_document, load_document
from advisor.model.comparison import Comparison, NoResult, OwnBasis
from advisor.model.machine import DeviceKind
from advisor.model.published import Comparability, ResultPhase
from advisor.model.quantity import Basis, Interval, Phase, Precision
from advisor.model.workload import Job
from advisor.network.load import bundled_workload
from tests.advisor.compare.builders import a_row, facts
from tests.advisor.recommend.builders import a_prediction, a_profile, a_workload
from tests.helpers.bundled import bundled_knowledge

PROFILE = a_profile(graphics=())
STEP = Interval(low=0.5, mid=1.0, high=2.0)


def trained(number=1, **changes):
    values = {
        "phase": ResultPhase.TRAINING, "workload": "cifar10_cnn", "batch_size": 32,
        "metric": "step_time", "unit": "s", "value": float(number), "framework": "Keras",
        **changes,
    }  # fmt: skip
    return a_row(number, **values)


def group_of(*rows, work=None, **prediction):
    predicted = a_prediction(step_s=STEP, **prediction)
    found = compare_network(work or a_workload(), predicted, facts(*rows), profile=PROFILE)
    (group,) = found.groups
    return group


def test_samples_per_second_with_the_machine_between_its_neighbours():
    group = group_of(trained(1, value=0.5), trained(2, value=4.0, batch_size=64))
    assert group.own == Interval(low=16.0, mid=32.0, high=64.0)
    assert group.own_basis is OwnBasis.PREDICTED
    assert [(r.device, r.value, r.ratio) for r in group.results] == [
        ("Device 2", 16.0, 0.5), ("Device 1", 64.0, 2.0),
    ]  # fmt: skip
    assert (group.slower, group.faster) == ("Device 2", "Device 1")
    assert (group.workload, group.phase, group.batch_size) == (
        "CIFAR-10 deep CNN", Phase.TRAINING, 32,
    )  # fmt: skip


def test_a_measured_step_is_called_measured():
    assert group_of(trained(), basis=Basis.MEASURED).own_basis is OwnBasis.MEASURED


def test_each_framework_of_a_device_stands_and_its_best_one_places_it():
    group = group_of(
        trained(1, value=10.0), trained(2, device="Device 1", value=0.1, framework="Torch")
    )
    assert len(group.results) == 2
    assert (group.slower, group.faster) == (None, "Device 1")


def test_of_thread_counts_the_best_speaks_for_a_framework():
    one = trained(1, value=8.0, threads=1)
    many = trained(2, device="Device 1", value=2.0, threads=16)
    (result,) = group_of(one, many).results
    assert result.value == 16.0
    assert result.software == "Keras 10, cuBLAS, 16 threads"
    assert group_of(one).results[0].software == "Keras 10, cuBLAS, 1 thread"


REFUSED = [
    ({"workload": "vgg16"}, NoResult.NOTHING_PUBLISHED, ()),
    ({"phase": ResultPhase.INFERENCE}, NoResult.OTHER_PHASE, ("inference",)),
    ({"metric": "cost", "unit": "USD"}, NoResult.NO_RATE, ("cost",)),
    ({"comparability": Comparability.NOT_COMPARABLE}, NoResult.OTHER_WORK, ("a-study",)),
    ({"precision": Precision.FLOAT16}, NoResult.OTHER_PRECISION, ("float16",)),
    ({"precision": None}, NoResult.OTHER_PRECISION, ()),
    ({"n_devices": 4}, NoResult.SEVERAL_DEVICES, ("4",)),
    ({"n_devices": None}, NoResult.SEVERAL_DEVICES, ()),
    ({"framework": None}, NoResult.FRAMEWORK_NOT_NAMED, ("a-study",)),
    ({"batch_size": 512}, NoResult.OTHER_BATCHES, ("512",)),
]


@pytest.mark.parametrize(("changes", "reason", "found"), REFUSED, ids=lambda v: str(v))
def test_no_comparable_result_says_why(changes, reason, found):
    group = group_of(trained(1, **changes))
    assert (group.results, group.no_result, group.found) == ((), reason, found)


def test_the_batches_that_were_published_are_in_order():
    group = group_of(trained(1, batch_size=512), trained(2, batch_size=3), trained(3, batch_size=1))
    assert group.found == ("1", "3", "512")


def test_one_comparable_row_among_others_is_enough():
    group = group_of(trained(1), trained(2, batch_size=1024), trained(3, n_devices=2))
    assert [r.device for r in group.results] == ["Device 1"]
    assert group.no_result is None


def test_a_batch_within_a_factor_of_8_stands_in_where_none_is_nearer():
    far = group_of(trained(1, batch_size=128), trained(2, batch_size=512))
    assert [r.batch_size for r in far.results] == [128]
    assert far.no_result is None
    near = group_of(trained(1, batch_size=128), trained(2))
    assert [r.device for r in near.results] == ["Device 2"]


def test_a_throughput_without_a_batch_is_not_comparable():
    """A tuned batch is another quantity than a stated one."""
    group = group_of(trained(1, metric="throughput", unit="1/s", batch_size=None, value=9.0))
    assert group.no_result is NoResult.OTHER_BATCHES


def test_the_bundled_resnet_50_stands_among_many_and_survives_json():
    knowledge = bundled_knowledge()
    work = bundled_workload("resnet-50", job=Job(batch_size=16), networks=knowledge.networks)
    prediction = a_prediction(step_s=STEP)
    found = compare_network(work, prediction, knowledge, profile=PROFILE)
    (group,) = found.groups
    assert len({result.device for result in group.results}) > 10
    assert all(8 <= result.batch_size <= 32 for result in group.results)
    assert {result.kind for result in group.results} >= {DeviceKind.DGPU, DeviceKind.IGPU}
    assert load_document(dump_document(found), Comparison) == found


def test_a_step_of_no_time_is_no_figure():
    nothing = Interval(low=0.0, mid=0.0, high=0.0)
    predicted = dataclasses.replace(a_prediction(), step_s=nothing)
    found = compare_network(a_workload(), predicted, facts(trained()), profile=PROFILE)
    assert found.groups[0].own is None
    assert found.groups[0].no_result is NoResult.OWN_FIGURE_UNKNOWN
    assert found.groups[0].results[0].ratio is None
