"""With the user's advice an explanation says what that says, in its own figures."""

import dataclasses

import pytest

from advisor.compare.explain import explain
from advisor.i18n import translator_for
from advisor.knowledge.store import load_knowledge
from advisor.model.codec import dump_document, load_document
from advisor.model.explanation import AdvisedPlace, Explanation
from advisor.model.machine import Chassis
from advisor.model.option import DEVICE_PREFIX
from advisor.model.quantity import Phase
from advisor.model.recommendation import Preferences, ReasonCode
from advisor.model.workload import Job
from advisor.network.load import bundled_workload
from advisor.recommend.recommend import recommend
from advisor.report.explain_sections import build_explanation_report
from advisor.report.text import render_text
from tests.advisor.compare.test_explain import IRIS_XE, KAVERI, RX_6800

TR = translator_for("en")
TODAY = "2026-11-28"


@pytest.fixture(scope="module")
def knowledge():
    return load_knowledge()


@pytest.fixture(scope="module")
def advise(knowledge):
    def make(profile, network="cifar10-deep-cnn", phase=Phase.TRAINING, **wishes):
        workload = bundled_workload(network, job=Job(phase=phase), networks=knowledge.networks)
        return recommend(
            profile, None, workload, Preferences(**wishes), knowledge, today=TODAY,
            app_version="1",
        )  # fmt: skip

    return make


def the_option(name, advice, knowledge):
    found = explain(name, profile=advice.profile, knowledge=knowledge, advice=advice)
    (option,) = [each for each in found.options if each.fact.id == name]
    return option


@pytest.mark.parametrize("profile", [KAVERI, IRIS_XE, RX_6800])
@pytest.mark.parametrize(
    ("network", "phase"),
    [
        ("cifar10-deep-cnn", Phase.TRAINING),
        ("lstm-ptb", Phase.TRAINING),
        ("resnet-50", Phase.INFERENCE),
    ],
)
def test_no_verdict_contradicts_the_advice(profile, network, phase, advise, knowledge):
    advice = advise(profile, network, phase)
    ranked = {row.option.id: row for row in advice.ranked}
    hints = {hint.option.id for hint in advice.hints}
    avoided = {row.option.id for row in advice.avoid}
    rejected = {row.option_id: row.reasons for row in advice.rejected}
    for fact in knowledge.options:
        if phase.value not in fact.phases:
            continue
        option = the_option(fact.id, advice, knowledge)
        place = None if option.advised is None else option.advised.place
        if fact.id in ranked:
            assert place is AdvisedPlace.RANKED
            assert option.advised.total_s == ranked[fact.id].prediction.total_s
        elif fact.id in hints or fact.id in avoided:
            assert place is (AdvisedPlace.HINT if fact.id in hints else AdvisedPlace.AVOID)
            assert not option.refusals
        elif fact.id in rejected:
            assert (place, option.refusals) == (None, rejected[fact.id])


@pytest.mark.parametrize("name", ["dlprimitives", "buy-used-gpu"])
def test_without_an_advice_a_row_is_refused_for_what_an_advice_would(name, advise, knowledge):
    """A GPU that nothing serves is no way for what needs one; a portable machine takes no card."""
    portable = dataclasses.replace(KAVERI, chassis=Chassis.PORTABLE)
    rejected = {row.option_id: row.reasons for row in advise(portable).rejected}
    found = explain(name, profile=portable, knowledge=knowledge)
    (option,) = [each for each in found.options if each.fact.id == name]
    assert option.refusals == rejected[name]


def test_a_device_that_the_advice_speaks_against_is_not_the_first(advise, knowledge):
    advice = advise(IRIS_XE, phase=Phase.INFERENCE)
    gpu = IRIS_XE.graphics[0]
    (against,) = [r for r in advice.avoid if r.option.id == f"{DEVICE_PREFIX}{gpu.id}"]
    found = explain("theano", profile=IRIS_XE, knowledge=knowledge, advice=advice)
    (route,) = [r for r in found.routes if r.device == gpu.name and r.phase is Phase.INFERENCE]
    assert route.against == against.reasons
    assert not route.is_first
    plain = explain("theano", profile=IRIS_XE, knowledge=knowledge)
    (route,) = [r for r in plain.routes if r.device == gpu.name and r.phase is Phase.INFERENCE]
    assert route.is_first


def test_the_text_has_the_advice_s_figures(advise, knowledge):
    advice = advise(IRIS_XE)
    found = explain("theano", profile=IRIS_XE, knowledge=knowledge, advice=advice)
    text = " ".join(render_text(build_explanation_report(found, TR)).split())
    assert f"by your advice of {TODAY}: {advice.workload.title}, training" in text
    assert f"First in your advice: {advice.ranked[0].option.title}" in text
    for row in advice.ranked:
        if row.option.fact is not None:
            told = explain(row.option.id, profile=IRIS_XE, knowledge=knowledge, advice=advice)
            lines = " ".join(render_text(build_explanation_report(told, TR)).split())
            assert f"In your advice no. {row.rank}: " in lines
    assert load_document(dump_document(found), Explanation) == found


def test_what_the_job_lacks_is_not_laid_on_the_machine(advise, knowledge):
    advice = advise(IRIS_XE, "lstm-ptb")
    found = explain("xla-cpu", profile=IRIS_XE, knowledge=knowledge, advice=advice)
    (option,) = [each for each in found.options if each.fact.id == "xla-cpu"]
    assert [each.code for each in option.refusals] == [ReasonCode.EXCLUDED]
    text = " ".join(render_text(build_explanation_report(found, TR)).split())
    assert "Your advice leaves it out: " in text
