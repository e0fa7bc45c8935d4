"""What an explanation says: what became of it, whether it applies, what to take here."""

import dataclasses
import re

import pytest

from advisor.compare.explain import explain
from advisor.i18n import translator_for
from advisor.model.report import Facts, Paragraph
from advisor.report.explain_sections import build_explanation_report
from advisor.report.text import render_text
from tests.advisor.compare.test_explain import IRIS_XE, KAVERI, RX_6800
from tests.helpers.bundled import bundled_knowledge

TR = translator_for("en")
# Three plain words beside each other, of which names of products and commands have none.
_ENGLISH = re.compile(r"(?<![\w./=-])(?:[a-z]{3,},? ){2,}[a-z]{3,}(?![\w./=-])")


@pytest.fixture(scope="module")
def knowledge():
    return bundled_knowledge()


def report_of(knowledge, name, *, machine=KAVERI):
    return build_explanation_report(explain(name, profile=machine, knowledge=knowledge), TR)


def text_of(knowledge, name, *, machine=KAVERI):
    """Return the text with line breaks as spaces."""
    return " ".join(render_text(report_of(knowledge, name, machine=machine)).split())


def test_a_dead_system_is_told_with_its_successor_and_source(knowledge):
    (section, *_rest) = report_of(knowledge, "plaidml").sections
    assert section.title == "PlaidML"
    (facts,) = [block for block in section.blocks if isinstance(block, Facts)]
    rows = dict(facts.rows)
    assert rows["Now"].startswith("retired")
    assert "OpenVINO" in rows["In its place"]
    assert rows["Source"].startswith("https://github.com/plaidml")


def test_the_same_name_ends_differently_on_different_hardware(knowledge):
    assert "For training: the processor, AMD A10-7850K" in text_of(knowledge, "plaidml")
    iris = text_of(knowledge, "plaidml", machine=IRIS_XE)
    assert "For inference: TigerLake-LP GT2 [Iris Xe Graphics]: OpenVINO GPU" in iris
    assert "For training: the processor, 11th Gen" in iris
    radeon = text_of(knowledge, "plaidml", machine=RX_6800)
    assert "For training: Navi 21 [Radeon RX 6800]: AMD wheels torch[device-gfx1030" in radeon
    assert "unofficial: measure before you believe it" in radeon


def test_what_speaks_against_a_gpu_is_said(knowledge):
    text = text_of(knowledge, "theano")
    assert "no software for it; others measured 5800 s on it against 1100 s" in text


def test_an_option_says_whether_it_applies(knowledge):
    avoided = text_of(knowledge, "hsa-override", machine=RX_6800)
    assert "On this machine: avoid." in avoided
    assert "HSA_OVERRIDE_GFX_VERSION=10.3.0" in avoided
    refused = text_of(knowledge, "hsa-override", machine=IRIS_XE)
    assert "It does not apply to this machine: " in refused


def test_an_option_shows_its_figure_with_its_basis_or_that_there_is_none(knowledge):
    assert "1.3× – 2.4×: on against off" in text_of(knowledge, "tf-onednn-on")
    assert "no figure is known" in text_of(knowledge, "plaidml")


def test_a_processor_shows_its_specification_and_its_graphics(knowledge):
    text = text_of(knowledge, "ryzen 5 5600g")
    for words in (
        "6 cores, 12 threads", "float32 845 GFLOP/s", "AVX2+FMA", "Its graphics part",
        "Training on Linux unofficial", "Training on Windows no software for it",
    ):  # fmt: skip
        assert words in text
    assert "What to take on this machine" not in text


def test_a_route_without_words_is_as_it_is(knowledge):
    found = explain("theano", profile=KAVERI, knowledge=knowledge)
    bare = tuple(
        dataclasses.replace(r, level=None, way=None, option_titles=(), advice=None, why_not=None)
        for r in found.routes
    )
    report = build_explanation_report(dataclasses.replace(found, routes=bare), TR)
    section = report.sections[-1]
    leads = [b.text for b in section.blocks if isinstance(b, Paragraph)]
    assert leads[0].endswith("the ready-made build of the framework that you have.")
    facts = next(block for block in section.blocks if isinstance(block, Facts))
    assert {text for _label, text in facts.rows} == {"as it is"}


@pytest.mark.parametrize("name", ["RX 580", "Tesla K80", "A10-7850K", "i7-4790K", "UHD 620"])
def test_advice_about_devices_has_no_english_sentence_in_chinese(knowledge, name):
    explanation = explain(name, profile=KAVERI, knowledge=knowledge)
    report = build_explanation_report(explanation, translator_for("zh_CN"))
    lines = render_text(report, width=10_000).splitlines()
    assert [line for line in lines if _ENGLISH.search(line)] == []


def test_why_a_row_does_not_apply_is_said_once(knowledge):
    text = text_of(knowledge, "TF_ENABLE_ONEDNN_OPTS", machine=RX_6800)
    assert "It does not apply to this machine: TensorFlow leaves oneDNN's kernels off" in text
    assert "Does not apply here" not in text
