"""Factors over the roofline: which published results count for which GPU."""

import pytest

from advisor.model.machine import DeviceKind
from advisor.model.published import Comparability, ResultPhase
from advisor.model.quantity import Phase, Precision
from advisor.predict.anchors import anchor_factor, matching_anchors, peak_flop_per_s
from tests.advisor.predict.builders import device, facts, knowledge, published

OLD = device("GTX Old", peak=10e12, year=2016, architecture="Pascal")
SAME = device("GTX Sister", peak=5e12, year=2017, architecture="Pascal")
NEW = device("RTX New", peak=50e12, year=2024, architecture="Ada")
AMD = device("RX Odd", vendor="AMD", peak=10e12, year=2016, architecture="GCN")
# 1e9 multiply-adds: a training sample needs 6 GFLOP, 0.6 ms on the old card at its peak.
WORK = 1_000_000_000


def row(spec, factor, **changes):
    seconds = factor * 6e9 / spec.peak_fp32_flop_per_s * changes.get("batch", 32)
    return published(device=spec.device, value=seconds, **{"multiply_adds": WORK, **changes})


def anchors(*rows, networks=()):
    facts_of = knowledge(published=rows, devices=(OLD, SAME, NEW, AMD), networks=networks)
    return matching_anchors(facts_of, phase=Phase.TRAINING, precision=Precision.FLOAT32)


def ask(found, spec, *, names=("test-net",), family=None, roofline_s=None):
    spelled = frozenset(name.replace("-", "") for name in names)
    return anchor_factor(found, spec=spec, names=spelled, family=family, roofline_s=roofline_s)


def test_factor_is_published_time_over_roofline():
    (anchor,) = anchors(row(OLD, 2.5))
    assert anchor.factor == pytest.approx(2.5)
    assert anchor.roofline_s == pytest.approx(32 * 0.6e-3)


@pytest.mark.parametrize(
    "changes",
    [
        {"comparability": Comparability.NOT_COMPARABLE},
        {"n_devices": 2},
        {"phase": ResultPhase.INFERENCE},
        {"phase": ResultPhase.KERNEL},
        {"multiply_adds": None},
        {"metric": "cost"},
        {"kind": DeviceKind.IGPU},
    ],
)
def test_rows_that_say_nothing_are_left_out(changes):
    assert anchors(row(OLD, 2.5, **changes)) == ()


def test_incredible_factors_are_left_out():
    assert anchors(row(OLD, 0.01), row(OLD, 1e4)) == ()


def test_work_of_a_bundled_network_fills_the_gap():
    networks = (facts("test-net", multiply_adds_per_sample=WORK),)
    (anchor,) = anchors(row(OLD, 2.0, multiply_adds=None), networks=networks)
    assert (anchor.factor, anchor.family) == (pytest.approx(2.0), "convolutional")


def test_same_network_on_a_sister_beats_other_networks_on_the_device():
    rows = [row(SAME, 2.0), row(SAME, 2.1, batch=33), row(SAME, 2.2, batch=34)]
    rows += [row(OLD, 9.0, workload=f"other{i}") for i in range(5)]
    found = ask(anchors(*rows), OLD)
    assert (found.level, found.factor) == ("architecture", pytest.approx(2.1, rel=0.2))


def test_own_results_beat_all():
    rows = [row(SAME, 2.0), *(row(OLD, 3.0 + i / 10, batch=32 + i) for i in range(3))]
    found = ask(anchors(*rows), OLD)
    assert (found.level, found.factor) == ("device", pytest.approx(3.1, rel=0.05))
    assert found.log_sd < 0.5


def test_distance_makes_less_sure():
    found = anchors(*(row(OLD, 2.0, batch=30 + i) for i in range(3)))
    sds = [ask(found, spec).log_sd for spec in (OLD, SAME, NEW)]
    assert sds == sorted(sds)
    assert sds[0] < sds[2]


def test_spread_makes_less_sure():
    tight = ask(anchors(*(row(OLD, f, batch=int(f * 10)) for f in (3.0, 3.1, 3.2))), OLD)
    loose = ask(anchors(*(row(OLD, f, batch=int(f * 10)) for f in (1.5, 3.1, 9.2))), OLD)
    assert loose.log_sd > tight.log_sd


def test_results_of_similar_size_are_preferred():
    rows = [row(OLD, 20.0, batch=1 + i, workload=f"w{i}") for i in range(3)]
    rows += [row(OLD, 2.0, batch=100 + i, workload=f"w{i}") for i in range(3)]
    small = ask(anchors(*rows), OLD, names=("x",), roofline_s=0.6e-3)
    large = ask(anchors(*rows), OLD, names=("x",), roofline_s=60e-3)
    assert small.factor > 5 * large.factor


def test_nothing_known_is_a_usual_factor_with_much_doubt():
    found = ask((), NEW)
    assert (found.level, found.rows) == ("none", ())
    assert found.log_sd > 0.8


def test_peak_by_precision():
    assert peak_flop_per_s(OLD, Precision.FLOAT16) == 10e12
    assert peak_flop_per_s(device("X", peak=None), Precision.FLOAT32) is None
