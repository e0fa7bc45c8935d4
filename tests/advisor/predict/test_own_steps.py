"""What was tried corrects what is predicted: never for noise, never far, never more surely."""

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.model.own_step import OwnStep
from advisor.model.quantity import Phase, Precision
from advisor.predict.own_steps import LARGEST_LOG, OWN_SHARE, correction
from tests.advisor.predict.builders import small_cnn

WORK = small_cnn()
FACTORS = st.floats(min_value=0.01, max_value=100.0)
DOUBTS = st.floats(min_value=0.0, max_value=1.0)


def step(network="other", factor=1.0, *, log_sd=0.1, **more):
    values = {
        "network": network, "phase": WORK.phase, "precision": WORK.precision,
        "batch_size": WORK.batch_size, "predicted_s": 0.2, "log_sd": log_sd,
        "measured_s": 0.2 * factor, "measured_on": "2026-11-20",
    }  # fmt: skip
    return OwnStep(**{**values, **more})


def test_nothing_was_tried():
    assert correction((), WORK) is None


@pytest.mark.parametrize(
    "other",
    [
        {"phase": next(p for p in Phase if p is not WORK.phase)},
        {"precision": next(p for p in Precision if p is not WORK.precision)},
        {"measured_s": 0.0},
        {"predicted_s": 0.0},
    ],
)
def test_other_phases_and_formats_and_no_figures_say_nothing(other):
    assert correction([step(factor=1.4), step(factor=1.4, **other)], WORK) == correction(
        [step(factor=1.4)], WORK
    )
    assert correction([dataclasses.replace(step(factor=1.4), **other)], WORK) is None


@given(factor=st.floats(min_value=math.exp(-0.2), max_value=math.exp(0.2)))
def test_what_noise_explains_changes_nothing(factor):
    assert correction([step(factor=factor)], WORK) is None


def test_four_networks_tell_more_than_one():
    four = [step(f"net{n}", 1.2, log_sd=0.1) for n in range(4)]
    assert correction(four[:1], WORK) is None
    found = correction(four, WORK)
    mean = math.log(1.2)
    doubt = 0.1**2 / 4 + 0.02**2
    assert found.log == pytest.approx(mean * (1.0 - 4.0 * doubt / mean**2))
    assert found.n_networks == 4


def test_networks_that_disagree_tell_less_than_they_said_of_themselves():
    alike = [step(f"net{n}", 1.3, log_sd=0.05) for n in range(4)]
    apart = [step(f"net{n}", f, log_sd=0.05) for n, f in enumerate((0.9, 1.1, 1.5, 1.92))]
    assert correction(alike, WORK).log == pytest.approx(math.log(1.3), rel=0.1)
    assert correction(apart, WORK) is None


def test_one_network_counts_once_however_often_it_was_tried():
    often = [step("a", 1.6, batch_size=2**n) for n in range(6)]
    once = correction([often[0], step("b", 1.3)], WORK)
    assert once.log > 0.0
    assert correction([*often, step("b", 1.3)], WORK).log == pytest.approx(once.log)


def test_the_last_figure_of_a_job_counts():
    assert correction([step(factor=9.0), step(factor=1.3)], WORK) == correction(
        [step(factor=1.3)], WORK
    )


@given(factors=st.lists(FACTORS, min_size=1, max_size=5), log_sd=DOUBTS, own=st.booleans())
def test_a_correction_has_the_sign_of_what_was_tried_and_bounds(factors, log_sd, own):
    names = [WORK.network if own and not n else f"net{n}" for n in range(len(factors))]
    steps = [step(name, f, log_sd=log_sd) for name, f in zip(names, factors, strict=True)]
    found = correction(steps, WORK)
    if found is None:
        return
    assert abs(found.log) <= LARGEST_LOG
    mean = sum(map(math.log, factors)) / len(factors)
    if not own:
        assert found.log * mean > 0.0
        assert abs(found.log) <= abs(mean) * (1.0 + 1e-9)
    if all(factor >= 1.0 for factor in factors):
        assert found.log > 0.0  # whoever they are of


@given(factors=st.lists(FACTORS, min_size=2, max_size=4, unique=True), log_sd=DOUBTS)
def test_the_order_of_networks_does_not_matter(factors, log_sd):
    steps = [step(f"net{n}", factor, log_sd=log_sd) for n, factor in enumerate(factors)]
    assert correction(steps, WORK) == correction(steps[::-1], WORK)


def test_a_wild_outlier_is_bounded():
    assert correction([step(factor=1000.0)], WORK).log == LARGEST_LOG
    assert correction([step(WORK.network, factor=1e-6)], WORK).log == -LARGEST_LOG


def test_a_network_tells_a_share_of_its_own_error_beyond_that_of_all():
    own = step(WORK.network, 1.05, log_sd=0.2, batch_size=4 * WORK.batch_size)
    alone = correction([own], WORK)
    assert alone.log == pytest.approx(OWN_SHARE[Phase.TRAINING] * math.log(1.05))
    (words,) = alone.evidence
    assert words.statement == (
        "this network tried on this machine (2026-11-20) took 5 % more than predicted"
    )


def test_the_words_name_how_many_how_much_and_when():
    steps = [
        step("a", 0.8, log_sd=0.01),
        step("b", 0.8, log_sd=0.01, measured_on="2026-11-22"),
    ]
    (words,) = correction(steps, WORK).evidence
    assert words.statement == (
        "2 networks tried on this machine (2026-11-20 – 2026-11-22) took 20 % less than predicted"
    )
    assert (words.source.reference, words.source.date) == ("a, b", "2026-11-22")
    (words,) = correction(steps[:1], WORK).evidence
    assert words.statement.startswith("1 network tried")
