"""Covariance by shared features, and the best guess that follows from it."""

import math

import numpy as np
import pytest

from advisor.predict.similarity import (
    UNKNOWN,
    Features,
    Kriging,
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


def guess(known, logs, asked):
    model = Kriging(TERMS, noise=0.01, features=features(*known), logs=np.array(logs))
    return model.guess(features(asked))


def test_what_is_known_is_guessed_and_sure():
    found = guess([(0, 0, 0.0, 0.0), (1, 1, 3.0, 0.0)], [1.0, -1.0], (0, 0, 0.0, 0.0))
    assert found.log_s == pytest.approx(1.0, abs=0.05)
    assert found.log_sd < 0.2
    assert found.nearest[0] == 0


def test_the_less_is_shared_the_less_is_sure():
    known = [(0, 0, 0.0, 0.0), (0, 0, 0.1, 0.0)]
    asked = [(0, 0, 0.0, 0.0), (0, 1, 0.0, 0.0), (2, 1, 0.0, 0.0), (2, 1, 9.0, 4.0)]
    sds = [guess(known, [0.0, 0.0], row).log_sd for row in asked]
    assert sds == sorted(sds)
    assert sds[0] < 0.5 * sds[-1]


def test_repeating_a_row_does_not_outvote_another_study():
    once = guess([(0, 0, 0.0, 0.0), (1, 0, 0.0, 0.0)], [1.0, -1.0], (2, 0, 0.0, 0.0))
    known = [*[(0, 0, 0.0, 0.0)] * 20, (1, 0, 0.0, 0.0)]
    often = guess(known, [*[1.0] * 20, -1.0], (2, 0, 0.0, 0.0))
    assert once.log_s == pytest.approx(0.0, abs=0.01)
    assert abs(often.log_s) < 0.1


def test_order_does_not_matter():
    known = [(0, 0, 0.0, 0.0), (1, 0, 1.0, 1.0), (0, 2, 2.0, -1.0)]
    logs = [0.3, -0.2, 0.9]
    forward = guess(known, logs, (0, 1, 0.5, 0.5))
    backward = guess(known[::-1], logs[::-1], (0, 1, 0.5, 0.5))
    assert forward.log_s == pytest.approx(backward.log_s)
    assert forward.log_sd == pytest.approx(backward.log_sd)
