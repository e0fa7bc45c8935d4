"""A job that is computed otherwise: here, with the memory of large results kept."""

import pytest

from advisor.knowledge.store import load_knowledge
from advisor.model.kernel import OverheadShape
from advisor.model.option import Option
from advisor.model.quantity import Basis, Phase
from advisor.predict.otherwise import KEEPS_MEMORY
from advisor.predict.predict import predict, predict_baseline
from tests.advisor.predict.builders import (
    calibration,
    conv,
    measure,
    measurement_set,
    operator,
    prediction_context,
    workload,
)

LARGE = conv(3, 3, 224, 64)  # 36.75 MiB of results


def told(*, fresh_s: float | None):
    """Return the step now and with the memory kept, where a MiB given anew costs so much."""
    measured = list(calibration())
    if fresh_s is not None:
        measured.append(measure(OverheadShape(kind="fresh_mebibyte"), fresh_s))
    work = workload(operator(LARGE), phase=Phase.INFERENCE)
    where = prediction_context(measurement_set(*measured), work=work)
    (fact,) = [fact for fact in load_knowledge().options if fact.id == KEEPS_MEMORY]
    option = Option(id=fact.id, title=fact.title, kind=fact.kind, fact=fact)
    now = predict_baseline(where)
    return now, predict(option, where, now)


def test_what_was_timed_here_tells_what_keeping_the_memory_gains():
    now, kept = told(fresh_s=5e-5)
    assert now.step_s.mid - kept.step_s.mid == pytest.approx(36.75 * 5e-5, rel=1e-6)
    assert kept.basis is Basis.SCALED_FROM_MEASUREMENT
    assert any("timed here" in text for text in kept.assumptions)


def test_a_system_that_gives_memory_for_nothing_gains_nothing():
    now, kept = told(fresh_s=1e-9)
    assert kept.step_s.mid == pytest.approx(now.step_s.mid, rel=1e-3)


def test_where_it_was_not_timed_the_range_of_others_holds():
    now, kept = told(fresh_s=None)
    assert kept.basis is Basis.SCALED_FROM_PUBLISHED
    assert 1.1 < now.step_s.mid / kept.step_s.mid < 1.5


def test_no_step_becomes_less_than_half():
    now, kept = told(fresh_s=1.0)
    assert kept.step_s.mid == pytest.approx(0.5 * now.step_s.mid)
