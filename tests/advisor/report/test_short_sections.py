"""The lines of a terminal: what is worth trying first, and every own GPU somewhere."""

import dataclasses

import pytest

from advisor.i18n import translator_for
from advisor.model.option import DEVICE_PREFIX, Option, OptionKind
from advisor.model.recommendation import Hint, ReasonCode, Rejection
from advisor.recommend.reasons import reason
from advisor.report.short_sections import short_avoid_section, short_hints_section
from tests.ui.advice_values import an_advice

EN = translator_for("en")


def lines_of(section):
    return [block.text for block in section.blocks]


def a_hint(name, why, kind=OptionKind.CHANGE_FRAMEWORK):
    option = Option(id=name, title=name, kind=kind, device_id="gpu0")
    return Hint(option=option, reasons=(why,), steps=())


def hinted(*hints):
    advice = dataclasses.replace(an_advice(), hints=hints, rejected=())
    return [line.rpartition(": ")[0] for line in lines_of(short_hints_section(advice, EN))]


NO_FIGURE = reason(ReasonCode.NO_FIGURE)


def effect(factor):
    return reason(ReasonCode.FASTER_THAN_NOW, factor_x=factor)


def test_an_own_gpu_stands_first_then_what_gains_most():
    found = hinted(
        a_hint("nothing", NO_FIGURE),
        a_hint("little", effect(1.5)),
        a_hint("way", effect(9.0), OptionKind.LOCAL_DEVICE),
        a_hint("much", effect(6.0)),
        a_hint(f"{DEVICE_PREFIX}gpu0", effect(1.1), OptionKind.LOCAL_DEVICE),
    )
    assert found == [f"{DEVICE_PREFIX}gpu0", "way", "much", "little"]


@pytest.mark.parametrize(
    ("why", "is_avoided"),
    [
        (reason(ReasonCode.NOT_APPLICABLE, why="family of the GPU not known"), False),
        (reason(ReasonCode.FRAMEWORK_DOES_NOT_RUN, device="A GPU", phase="training"), True),
    ],
)
def test_an_own_gpu_that_is_left_out_is_told(why, is_avoided):
    """One that nobody has heard of is not spoken against."""
    left_out = Rejection(option_id=f"{DEVICE_PREFIX}gpu0", title="A GPU", reasons=(why,))
    advice = dataclasses.replace(an_advice(), avoid=(), hints=(), rejected=(left_out,))
    assert len(lines_of(short_avoid_section(advice, EN))) == int(is_avoided)
    assert len(lines_of(short_hints_section(advice, EN))) == int(not is_avoided)


def test_an_own_gpu_that_is_not_known_is_not_said_to_be_of_no_use():
    why = reason(ReasonCode.NOT_APPLICABLE, why="family of the GPU not known")
    left_out = Rejection(option_id=f"{DEVICE_PREFIX}gpu0", title="A GPU", reasons=(why,))
    advice = dataclasses.replace(an_advice(), avoid=(), hints=(), rejected=(left_out,))
    assert lines_of(short_hints_section(advice, EN)) == ["A GPU: family of the GPU not known."]
    (chinese,) = lines_of(short_hints_section(advice, translator_for("zh_CN")))
    assert "family" not in chinese


def test_a_text_of_the_tables_ends_with_one_full_stop():
    why = reason(ReasonCode.TABLE_SAYS_AVOID, why="It gains nothing.")
    (line,) = lines_of(
        short_hints_section(
            dataclasses.replace(an_advice(), hints=(a_hint("a", why),), rejected=()), EN
        )
    )
    assert line == "a: It gains nothing."


def test_what_follows_a_full_stop_is_a_sentence():
    limit = reason(ReasonCode.FREE_LIMIT)
    hint = dataclasses.replace(a_hint("Free", effect(2.0)), reasons=(effect(2.0), limit))
    advice = dataclasses.replace(an_advice(), hints=(hint,), rejected=())
    (line,) = lines_of(short_hints_section(advice, EN))
    assert line == "Free: 2× the speed of now. Its sessions are limited in time."
