"""Experiments as rows of features, and the law of thumb over which they are compared."""

import dataclasses

import numpy as np
import pytest

from advisor.model.machine import DeviceKind
from advisor.model.quantity import Precision
from advisor.predict.anchors import anchors_of, gpu_device
from advisor.predict.nearby import AnchorTable, stacked, usual_log_s
from advisor.predict.similarity import UNKNOWN
from tests.advisor.predict.builders import device, knowledge, published

WORK = 1_000_000_000
CARDS = tuple(
    device(name, peak=peak, bandwidth=peak / 20)
    for name, peak in (("GTX Small", 5e12), ("GTX Large", 10e12), ("RTX Huge", 40e12))
)
SMALL, LARGE, HUGE = (gpu_device(card, precision=Precision.FLOAT32) for card in CARDS)


@pytest.fixture
def table():
    rows = [published(device=card.device, value=1.0, multiply_adds=WORK) for card in CARDS]
    facts = knowledge(published=(*rows, rows[0]), devices=CARDS)
    return AnchorTable(anchors_of(facts), catalogue=CARDS)


def test_more_work_takes_longer_and_a_faster_card_less(table):
    run = table.anchors[0].run
    assert usual_log_s(LARGE, dataclasses.replace(run, multiply_adds=2 * WORK)) > usual_log_s(
        LARGE, run
    )
    assert usual_log_s(HUGE, run) < usual_log_s(LARGE, run) < usual_log_s(SMALL, run)


def test_rows_of_equal_devices_are_one_group(table):
    assert table.groups.tolist() == [0, 1, 2, 0]


def test_a_question_about_a_known_row_has_its_features(table):
    asked = table.asked(SMALL, table.anchors[0].run)
    for name, codes in asked.codes.items():
        assert codes.tolist() == table.features.codes[name][:1].tolist()
    for name, numbers in asked.numbers.items():
        assert numbers == pytest.approx(table.features.numbers[name][:1])


def test_what_nobody_published_equals_only_itself(table):
    run = dataclasses.replace(table.anchors[0].run, study="mine", software=None)
    asked = stacked([table.asked(SMALL, run), table.asked(LARGE, run)])
    assert len(asked) == 2
    assert asked.codes["study"][0] == asked.codes["study"][1]
    assert asked.codes["study"][0] not in [UNKNOWN, *table.features.codes["study"]]
    assert np.all(asked.codes["software"] == UNKNOWN)


def test_the_catalogue_is_of_one_kind_with_published_times(table):
    names = [card.name for card in table.catalogue(DeviceKind.DGPU, Precision.FLOAT32)]
    assert names == ["GTX Small", "GTX Large", "RTX Huge"]
    assert table.catalogue(DeviceKind.CPU, Precision.FLOAT32) == ()
    assert table.catalogue(DeviceKind.IGPU, Precision.FLOAT32) == ()
