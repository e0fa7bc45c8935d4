"""Figures of like devices that contradict each other are told as a warning about a third one."""

import dataclasses

import numpy as np
import pytest

from advisor.model.machine import DeviceKind
from advisor.model.quantity import Precision
from advisor.predict.anchors import anchors_of, gpu_device
from advisor.predict.answers import WARNED_SD, LeftOut, answers
from advisor.predict.nearby import AnchorTable
from tests.advisor.predict.builders import device, knowledge, published

# Three cards of one architecture with the same data sheet, one of another.
CARDS = tuple(
    device(name, architecture=architecture)
    for name, architecture in (
        ("RTX A", "Ampere"), ("RTX B", "Ampere"), ("RTX C", "Ampere"), ("RTX D", "Ada"),
    )
)  # fmt: skip
THIRD, OTHER = (gpu_device(card, precision=Precision.FLOAT32) for card in CARDS[2:])


def row(name, seconds, **changes):
    found = {"multiply_adds": 1_000_000_000, "framework": "ncnn", **changes}
    return published(device=name, value=seconds, **found)


def table(*rows):
    return AnchorTable(anchors_of(knowledge(published=rows, devices=CARDS)))


def about(found, where=THIRD, *, left_out=(), **changes):
    run = dataclasses.replace(found.anchors[0].run, **changes)
    return found.contradictions.about(where, run, left_out=left_out)


@pytest.mark.parametrize(("factor", "is_told"), [(8.9, False), (9.1, True)])
def test_two_devices_further_apart_than_any_answer_can_serve(factor, is_told):
    found = table(row("RTX A", 1.0), row("RTX B", factor))
    assert about(found) is is_told


def test_other_architectures_programs_and_formats_are_not_concerned():
    found = table(row("RTX A", 1.0), row("RTX B", 20.0))
    assert about(found)
    assert not about(found, OTHER)
    assert not about(found, framework="tensorflow")
    assert not about(found, precision=Precision.FLOAT16)


@pytest.mark.parametrize(
    "change", [{"workload": "another-net"}, {"batch": 64}, {"framework": "tensorflow"}]
)
def test_another_job_explains_the_distance(change):
    assert not about(table(row("RTX A", 1.0), row("RTX B", 200.0, **change)))


def test_one_device_in_two_versions_is_not_two_devices():
    found = table(row("RTX A", 1.0), row("RTX A", 20.0, study="another"))
    assert not about(found)


def test_a_device_without_architecture_has_no_like():
    nameless = device("RTX N", architecture=None)
    found = table(row("RTX A", 1.0), row("RTX B", 20.0))
    assert not about(found, gpu_device(nameless, precision=Precision.FLOAT32))


def test_the_answer_carries_the_warning_and_what_is_left_out_has_no_say():
    steady = [row(card.device, 1.0, workload=f"net-{n}") for card in CARDS[:2] for n in range(9)]
    found = table(row("RTX A", 1.0), row("RTX B", 20.0), *steady)
    run = found.anchors[0].run
    place = next(n for n, a in enumerate(found.anchors) if a.sample_s == pytest.approx(20.0 / 32))
    warned = answers(found, run, kind=DeviceKind.DGPU)
    assert warned.on(THIRD).is_warned
    calm = answers(found, run, kind=DeviceKind.DGPU, left_out=LeftOut(rows=np.array([place])))
    assert calm.on(THIRD).is_warned == (calm.on(THIRD).log_sd > WARNED_SD)
    assert not found.contradictions.about(THIRD, run, left_out={place})
