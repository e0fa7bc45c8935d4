"""Times on devices without any published time, from those of their like; the user's own time."""

import dataclasses
import math

import numpy as np
import pytest

from advisor.model.machine import DeviceKind
from advisor.model.quantity import Precision
from advisor.predict.anchors import OwnTime, Run, anchors_of, gpu_device
from advisor.predict.answers import (
    OWN_LOG,
    WARNED_SD,
    JobAnswers,
    LastAnswers,
    LeftOut,
    Nearby,
    answers,
)
from advisor.predict.nearby import AnchorTable
from advisor.predict.weights import known_covariance
from tests.advisor.predict.builders import device, knowledge, published

WORK = 1_000_000_000
CARDS = tuple(
    device(name, vendor=vendor, peak=peak, bandwidth=peak / 20, year=year, architecture=arch)
    for name, vendor, peak, year, arch in (
        ("GTX Small", "NVIDIA", 5e12, 2016, "Pascal"),
        ("GTX Large", "NVIDIA", 10e12, 2017, "Pascal"),
        ("RTX Huge", "NVIDIA", 40e12, 2022, "Ada"),
        ("RX Odd", "AMD", 10e12, 2019, "RDNA"),
    )
)
SMALL, LARGE, HUGE, ODD = (gpu_device(card, precision=Precision.FLOAT32) for card in CARDS)


def row(name, seconds, **changes):
    return published(device=name, value=seconds * 32, **{"multiply_adds": WORK, **changes})


def table(*rows):
    return AnchorTable(anchors_of(knowledge(published=rows, devices=CARDS)))


def study(factor=1.0, **changes):
    """Three cards in one study, each as fast as its data sheet promises."""
    return tuple(
        row(card.device, factor * 3 * 6e9 / card.peak_fp32_flop_per_s, **changes)
        for card in (CARDS[0], CARDS[2], CARDS[3])
    )


def run_of(found, **changes):
    return dataclasses.replace(found.anchors[0].run, **changes)


def ask(found, run, where):
    answer = JobAnswers(found, run).on(where)
    assert isinstance(answer, Nearby)
    return answer


def test_an_unseen_card_lies_between_its_like():
    found = table(*study())
    answer = ask(found, run_of(found), LARGE)
    assert answer.sample_s == pytest.approx(3 * 6e9 / 10e12, rel=0.3)
    assert answer.nearest[0].device.name == "GTX Small"


def test_the_software_of_the_study_carries_over():
    found = table(*study(1.0), *study(4.0, study="slow", framework="Caffe", workload="other"))
    slow = next(a.run for a in found.anchors if a.run.study == "slow")
    ratio = ask(found, slow, LARGE).sample_s / ask(found, run_of(found), LARGE).sample_s
    assert 2.5 < ratio < 4.5


def test_unknown_software_is_less_sure():
    found = table(*study())
    known = ask(found, run_of(found), LARGE)
    own = ask(found, run_of(found, study=None, software=None), LARGE)
    assert own.log_sd > known.log_sd


def test_another_network_and_another_vendor_are_less_sure():
    found = table(row("GTX Small", 4e-3))
    same = ask(found, run_of(found), LARGE)
    other = ask(found, run_of(found, network="unheard"), LARGE)
    foreign = ask(found, run_of(found, network="unheard"), ODD)
    assert same.log_sd < other.log_sd < foreign.log_sd
    assert foreign.is_warned == (foreign.log_sd > WARNED_SD) is True


def test_left_out_rows_have_no_say():
    found = table(*study(), row("GTX Large", 1.0))
    run = run_of(found)
    with_it = answers(found, run, kind=DeviceKind.DGPU)
    rows = np.array([3])
    assert found.anchors[3].device.name == "GTX Large"
    without = answers(found, run, kind=DeviceKind.DGPU, left_out=LeftOut(rows=rows))
    plain = answers(table(*study()), run, kind=DeviceKind.DGPU)
    assert with_it.on(LARGE).sample_s > 3 * without.on(LARGE).sample_s
    assert without.on(LARGE).sample_s == pytest.approx(plain.on(LARGE).sample_s)


def test_nothing_published_on_a_kind_is_no_answer():
    found = table(*study())
    assert answers(found, run_of(found), kind=DeviceKind.CPU) is None
    assert JobAnswers(table(), Run(
        network="x", family=None, multiply_adds=WORK, phase=run_of(found).phase,
        precision=Precision.FLOAT32, batch_size=1, study=None, software=None, framework="",
    )).on(LARGE) is None  # fmt: skip


def test_solved_weights_say_the_same_where_all_rows_are_alike():
    found = table(*study())
    run = run_of(found, study=None, software=None)
    alike = ask(found, run, LARGE)
    found.weights = np.linalg.solve(known_covariance(found), found.logs)
    solved = ask(found, run, LARGE)
    assert solved.sample_s == pytest.approx(alike.sample_s)
    assert solved.log_sd == alike.log_sd


def test_software_that_is_looked_after_is_faster_than_the_middle_of_all():
    found = table(*study())
    own = ask(found, run_of(found, study=None, software=None), LARGE)
    foreign = ask(found, run_of(found, study="another", software="another"), LARGE)
    assert math.log(own.sample_s / foreign.sample_s) == pytest.approx(OWN_LOG)


@pytest.mark.parametrize("factor", [0.5, 1.0, 3.0])
def test_a_time_measured_here_pulls_the_answer_to_itself(factor):
    found = table(*study())
    run = run_of(found, study=None, software=None)
    before = ask(found, run, LARGE).sample_s
    expected = ask(found, run, SMALL).sample_s
    own = OwnTime(device=SMALL, sample_s=factor * expected, log_sd=0.1)
    pulled = JobAnswers(found, run, own=own).on(LARGE).sample_s / before
    if factor == 1.0:
        assert pulled == pytest.approx(1.0, rel=0.02)
    else:
        assert 0.2 < math.log(pulled) / math.log(factor) < 1.0


def test_order_of_rows_changes_nothing():
    forward, backward = table(*study()), table(*study()[::-1])
    run = run_of(forward)
    one, other = ask(forward, run, LARGE), ask(backward, run, LARGE)
    assert one.sample_s == pytest.approx(other.sample_s)
    assert one.log_sd == pytest.approx(other.log_sd)


def test_the_same_job_is_not_asked_twice_and_another_is_not_mistaken_for_it():
    found = table(*study())
    last, run = LastAnswers(found), run_of(found)
    kept = last.about(run, own=None)
    assert last.about(run_of(found), own=None) is kept
    assert kept.on(LARGE) is kept.on(LARGE)
    own = OwnTime(device=SMALL, sample_s=1.0, log_sd=0.1)
    others = [last.about(run_of(found, batch_size=1), own=None), last.about(run, own=own)]
    for other in others:
        assert other is not kept
        assert other.on(LARGE).sample_s != kept.on(LARGE).sample_s
