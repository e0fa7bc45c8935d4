"""No device is told to be slower than one that it surpasses in every respect."""

import dataclasses
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.model.machine import DeviceKind
from advisor.model.quantity import Phase, Precision
from advisor.predict.anchors import Run, gpu_device
from advisor.predict.answers import JobAnswers
from advisor.predict.rivals import in_order, is_behind
from advisor.predict.weights import anchor_table
from tests.advisor.predict.builders import device
from tests.helpers.bundled import bundled_knowledge

CARD = gpu_device(device("Card"), precision=Precision.FLOAT32)
RUN = Run(
    network="resnet-50", family="convolutional", multiply_adds=4_000_000_000,
    phase=Phase.TRAINING, precision=Precision.FLOAT32, batch_size=32, study=None, software=None,
    framework="tensorflow",
)  # fmt: skip


@pytest.fixture(scope="module")
def table():
    return anchor_table(bundled_knowledge())


@pytest.mark.parametrize(
    "change",
    [{"peak_flop_per_s": 9e12}, {"bandwidth_byte_per_s": 400e9}, {"year": 2015}, {}],
)
def test_nothing_ahead_is_behind(change):
    assert is_behind(dataclasses.replace(CARD, **change), CARD)


@pytest.mark.parametrize(
    "change",
    [
        {"peak_flop_per_s": 11e12},
        {"year": 2017},
        {"vendor": "AMD"},
        {"kind": DeviceKind.IGPU},
        {"bandwidth_byte_per_s": 501e9},
    ],
)
def test_anything_ahead_or_other_is_not_behind(change):
    assert not is_behind(dataclasses.replace(CARD, **change), CARD)


def test_a_contradiction_is_settled_in_the_middle():
    weak = dataclasses.replace(CARD, name="Weak", peak_flop_per_s=5e12)
    assert in_order(CARD, 2.0, rivals=[(weak, 1.0)]) == pytest.approx(1.5)
    assert in_order(weak, 1.0, rivals=[(CARD, 2.0)]) == pytest.approx(1.5)
    assert in_order(CARD, 1.0, rivals=[(weak, 2.0)]) == 1.0


@settings(max_examples=6, deadline=None)
@given(
    peak=st.floats(1e12, 1e14), bandwidth=st.floats(1e11, 2e12), year=st.integers(2014, 2025),
    more=st.tuples(st.floats(1, 4), st.floats(1, 4), st.integers(0, 6)),
    batch=st.sampled_from([1, 32, 256]), work=st.sampled_from([10**6, 2 * 10**7, 4 * 10**9]),
)  # fmt: skip
def test_a_card_that_surpasses_another_is_not_slower(
    table, peak, bandwidth, year, more, batch, work
):
    answers = JobAnswers(table, dataclasses.replace(RUN, batch_size=batch, multiply_adds=work))
    weak = dataclasses.replace(
        CARD, name="Weak", peak_flop_per_s=peak, bandwidth_byte_per_s=bandwidth, year=year
    )
    strong = dataclasses.replace(
        weak, name="Strong", peak_flop_per_s=peak * more[0],
        bandwidth_byte_per_s=bandwidth * more[1], year=year + more[2],
    )  # fmt: skip
    # Two unknown cards are kept in order by the known ones between them; these by each other.
    assert answers.on(strong).sample_s <= answers.on(weak).sample_s / 0.95 * _slack(
        table, weak, strong
    )


def _slack(table, weak, strong):
    """Return how far unknown cards may contradict: only where no known card lies between."""
    between = [
        one
        for one in table.catalogue(DeviceKind.DGPU, Precision.FLOAT32)
        if is_behind(weak, one) and is_behind(one, strong)
    ]
    return 1.0 if between else 1.5


@pytest.mark.parametrize("work", [20_000_000, 4_000_000_000])
@pytest.mark.parametrize("phase", list(Phase))
def test_known_cards_are_in_order(table, work, phase):
    answers = JobAnswers(table, dataclasses.replace(RUN, multiply_adds=work, phase=phase))
    cards = table.catalogue(DeviceKind.DGPU, Precision.FLOAT32)
    times = {card.name: answers.on(card).sample_s for card in cards}
    pairs = [(a, b) for a in cards for b in cards if a is not b and is_behind(a, b)]
    assert len(pairs) > 500
    for weak, strong in pairs:
        assert times[strong.name] <= times[weak.name] / 0.95
    assert all(math.isfinite(seconds) and seconds > 0 for seconds in times.values())
