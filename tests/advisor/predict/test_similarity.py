"""Covariance by shared features, and the best guess that follows from it."""

import math

import numpy as np
import pytest

from advisor.predict.similarity import (
    UNKNOWN,
    Features,
    JobMean,
    Kriging,
    RunLikeness,
    Term,
    covariance,
    own_variance,
)

TERMS = (
    Term(variance=4.0),
    Term(variance=0.5, same=("study",)),
    Term(variance=0.2, same=("study", "network")),
    Term(variance=0.3, near=(("batch", 1.0),)),
    Term(variance=0.1, along="peak"),
)


def features(*rows):
    columns = list(zip(*rows, strict=True))
    return Features(
        codes={"study": np.array(columns[0]), "network": np.array(columns[1])},
        numbers={
            "batch": np.array(columns[2], dtype=float),
            "peak": np.array(columns[3], dtype=float),
        },
    )


def test_each_shared_feature_adds_its_variance():
    one = features((0, 0, 0.0, 2.0))
    others = features((0, 0, 0.0, 2.0), (0, 1, 0.0, 2.0), (1, 0, 0.0, 2.0), (1, 0, 1.0, -2.0))
    found = covariance(TERMS, one, others)[0]
    far = 0.3 * math.exp(-0.5)
    assert found == pytest.approx([5.4, 5.2, 4.7, 4.0 + far - 0.4])


def test_the_unknown_equals_nothing_not_even_itself():
    one = features((UNKNOWN, 0, 0.0, 0.0))
    assert covariance(TERMS, one, one)[0, 0] == pytest.approx(4.3)
    assert own_variance(TERMS, one)[0] == pytest.approx(5.0)


def test_own_variance_is_the_covariance_with_itself():
    rows = features((0, 0, 1.0, 2.0), (1, 3, 0.0, -1.0))
    assert own_variance(TERMS, rows) == pytest.approx(np.diag(covariance(TERMS, rows, rows)))


def test_covariance_has_an_inverse():
    rng = np.random.default_rng(0)
    rows = [(rng.integers(3), rng.integers(3), rng.normal(), rng.normal()) for _ in range(40)]
    found = covariance(TERMS, features(*rows), features(*rows))
    assert found == pytest.approx(found.T)
    assert np.linalg.eigvalsh(found).min() > -1e-9


def guess(known, asked):
    return Kriging(TERMS, noise=0.01, features=features(*known)).guess(features(asked))


def guessed_log(known, logs, asked):
    weights = Kriging(TERMS, noise=0.01, features=features(*known)).weights(np.array(logs))
    return float((covariance(TERMS, features(asked), features(*known)) @ weights)[0])


def test_what_is_known_is_guessed_and_sure():
    known, asked = [(0, 0, 0.0, 0.0), (1, 1, 3.0, 0.0)], (0, 0, 0.0, 0.0)
    found = guess(known, asked)
    assert guessed_log(known, [1.0, -1.0], asked) == pytest.approx(1.0, abs=0.05)
    assert found.log_sd < 0.2
    assert found.nearest[0] == 0


def test_the_less_is_shared_the_less_is_sure():
    known = [(0, 0, 0.0, 0.0), (0, 0, 0.1, 0.0)]
    asked = [(0, 0, 0.0, 0.0), (0, 1, 0.0, 0.0), (2, 1, 0.0, 0.0), (2, 1, 9.0, 4.0)]
    sds = [guess(known, row).log_sd for row in asked]
    assert sds == sorted(sds)
    assert sds[0] < 0.5 * sds[-1]


def test_repeating_a_row_does_not_outvote_another_study():
    asked = (2, 0, 0.0, 0.0)
    once = guessed_log([(0, 0, 0.0, 0.0), (1, 0, 0.0, 0.0)], [1.0, -1.0], asked)
    known = [*[(0, 0, 0.0, 0.0)] * 20, (1, 0, 0.0, 0.0)]
    often = guessed_log(known, [*[1.0] * 20, -1.0], asked)
    assert once == pytest.approx(0.0, abs=0.01)
    assert abs(often) < 0.1


def test_order_does_not_matter():
    known = [(0, 0, 0.0, 0.0), (1, 0, 1.0, 1.0), (0, 2, 2.0, -1.0)]
    logs, asked = [0.3, -0.2, 0.9], (0, 1, 0.5, 0.5)
    backward = guessed_log(known[::-1], logs[::-1], asked)
    assert guessed_log(known, logs, asked) == pytest.approx(backward)
    assert guess(known, asked).log_sd == pytest.approx(guess(known[::-1], asked).log_sd)


def test_the_last_row_pulls_as_if_it_were_learned():
    known, logs = [(0, 0, 0.0, 0.0), (1, 0, 1.0, 1.0)], [0.3, -0.2]
    last, asked = (2, 1, 0.5, -1.0), (2, 0, 0.0, 0.0)
    before, expected = guessed_log(known, logs, asked), guessed_log(known, logs, last)
    both = Kriging(TERMS, noise=0.01, features=features(*known, last))
    pull = float(both.pull_of_last(features(asked))[0])
    after = guessed_log([*known, last], [*logs, 2.0], asked)
    assert after == pytest.approx(before + pull * (2.0 - expected))
    assert pull > 0.0


@pytest.mark.parametrize("of_device", [frozenset({"peak"}), frozenset({"peak", "network"})])
def test_the_mean_of_a_job_is_the_plain_sum(of_device):
    rng = np.random.default_rng(1)
    terms = (*TERMS, Term(variance=0.2, same=("study",), near=(("step", 1.5),), along="peak"))
    of_device |= {"step"}

    def table(count, *, is_job=False):
        codes = {
            name: np.zeros(count, dtype=int) if is_job and name not in of_device
            else rng.integers(0, 3, count)
            for name in ("study", "network")
        }  # fmt: skip
        numbers = {
            name: np.zeros(count) if is_job and name not in of_device else rng.normal(size=count)
            for name in ("batch", "peak", "step")
        }
        return Features(codes=codes, numbers=numbers)

    known, asked = table(30), table(5, is_job=True)
    # Equal devices are equal in all that belongs to the device, but for the step.
    groups = np.arange(30) % 10
    for column in (known.codes["network"], known.numbers["peak"]):
        column[:] = column[:10][groups]
    weights = rng.normal(size=30)
    mean = JobMean(
        terms, job=asked.take(np.array([0])), features=known, weights=weights,
        of_device=of_device, groups=groups,
    )  # fmt: skip
    shared = covariance(terms, asked, known)
    plain = shared @ weights
    assert mean.log_times(asked) == pytest.approx(plain)
    likeness = RunLikeness(
        terms, job=asked.take(np.array([0])), features=known, of_device=of_device
    )
    assert likeness(asked) == pytest.approx(shared)
    assert plain.std() > 0.01
