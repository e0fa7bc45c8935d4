"""The bundled weights are those of the bundled facts, and are left alone for any others."""

import dataclasses
import math
import struct

import numpy as np
import pytest

from advisor.knowledge.store import bundled_folder, weights_file
from advisor.model.quantity import Precision
from advisor.predict.anchors import gpu_device
from advisor.predict.answers import JobAnswers
from advisor.predict.nearby import NOISE, TERMS
from advisor.predict.similarity import covariance
from advisor.predict.weights import (
    anchor_table,
    checksum,
    pack_solution,
    shared_covariance,
    solve,
    unpack_solution,
)
from tests.advisor.predict.builders import device, knowledge, published
from tests.helpers.bundled import bundled_knowledge

CARDS = (device("GTX Small", peak=5e12), device("GTX Large", peak=10e12))


def facts(*values):
    rows = tuple(
        published(device=card.device, value=value, multiply_adds=10**9)
        for card, value in zip(CARDS, values, strict=True)
    )
    return knowledge(published=rows, devices=CARDS)


@pytest.fixture(scope="module")
def bundled():
    return anchor_table(bundled_knowledge())


def test_the_bundled_weights_are_those_of_the_bundled_facts(bundled):
    """Otherwise: `python -m advisor.predict.weights`."""
    assert bundled.weights is not None
    some = np.arange(0, len(bundled.anchors), 50)
    of_some = covariance(TERMS, bundled.features.take(some), bundled.features)
    found = of_some @ bundled.weights + bundled.noise[some] * bundled.weights[some]
    assert found == pytest.approx(bundled.logs[some], abs=1e-6)


def test_weights_return_the_published_times():
    table = anchor_table(facts(1.0, 2.0))
    assert table.weights is None
    found = solve(table)
    assert (shared_covariance(table) + np.diag(found.noise)) @ found.weights == pytest.approx(
        table.logs
    )


def test_a_time_that_contradicts_all_others_has_more_noise_and_less_say():
    values = [1.0] * 12
    alike, odd = (
        anchor_table(
            knowledge(
                published=tuple(
                    published(device="GTX Small", value=one, multiply_adds=10**9) for one in each
                ),
                devices=CARDS,
            )
        )
        for each in (values, [*values[:-1], 8.0])
    )
    calm, found = solve(alike), solve(odd)
    assert np.ptp(calm.noise) < 0.1 * NOISE
    assert found.noise[-1] > 5 * found.noise[0]
    assert found.noise[0] == pytest.approx(calm.noise[0], rel=0.2)

    # The others hardly follow it: with equal noise they would move by a twelfth of it.
    def middle(solution):
        shared = shared_covariance(odd)
        return float((shared @ solution.weights)[0])

    assert abs(middle(found) - middle(calm)) < 0.5 * math.log(8.0) / 12


def test_weights_survive_their_file():
    table = anchor_table(facts(1.0, 2.0))
    found, solved = unpack_solution(pack_solution(table), table), solve(table)
    assert found is not None
    assert found.weights.tolist() == solved.weights.tolist()
    assert found.noise.tolist() == solved.noise.tolist()


def test_a_knowledge_carries_its_weights():
    plain = facts(1.0, 2.0)
    packed = dataclasses.replace(plain, weights=pack_solution(anchor_table(plain)))
    solved = anchor_table(packed)
    assert solved.weights is not None
    assert solved.noise.tolist() == solve(anchor_table(plain)).noise.tolist()
    other = dataclasses.replace(packed, published=facts(1.0, 3.0).published)
    assert anchor_table(other).weights is None


@pytest.mark.parametrize("change", ["value", "device", "batch"])
def test_other_facts_have_another_checksum(change):
    plain = facts(1.0, 2.0)
    row = plain.published[0]
    changed = {
        "value": {"value": 1.001 * row.value},
        "device": {"device": "GTX Large"},
        "batch": {"batch_size": 33},
    }[change]
    other = dataclasses.replace(
        plain, published=(dataclasses.replace(row, **changed), *plain.published[1:])
    )
    assert checksum(anchor_table(plain)) != checksum(anchor_table(other))


def test_the_last_digits_do_not_count():
    table = anchor_table(facts(1.0, 2.0))
    before = checksum(table)
    table.logs = table.logs * (1.0 + 1e-13)
    assert checksum(table) == before


@pytest.mark.parametrize(
    "spoil",
    [
        lambda content: b"",
        lambda content: b"[]\n",
        lambda content: content[:-3],
        lambda content: content[:-8],
        lambda content: content + struct.pack("<d", 0.0),
        lambda content: content.replace(b'"version":2', b'"version":9'),
    ],
)
def test_a_damaged_file_is_no_weights(spoil):
    table = anchor_table(facts(1.0, 2.0))
    assert unpack_solution(spoil(pack_solution(table)), table) is None


def test_with_other_facts_there_is_still_an_answer(bundled):
    """An own row: the weights no longer fit, the most alike rows answer nearly the same."""
    shipped = bundled_knowledge()
    own = dataclasses.replace(shipped.published[-1], id="own-0001")
    table = anchor_table(dataclasses.replace(shipped, published=(*shipped.published, own)))
    assert table.weights is None
    card = gpu_device(
        next(spec for spec in shipped.devices if spec.device == "NVIDIA Tesla T4"),
        precision=Precision.FLOAT32,
    )
    run = next(a.run for a in table.anchors if a.run.network == "resnet-50")
    asked = dataclasses.replace(run, study=None, software=None)
    without, with_them = (JobAnswers(one, asked).on(card) for one in (table, bundled))
    assert without.sample_s == pytest.approx(with_them.sample_s, rel=0.5)


def test_the_file_lies_where_the_app_looks():
    assert weights_file(bundled_folder()).is_file()
